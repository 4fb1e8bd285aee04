import {
  type BufferGeometry,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  type TypedArray,
} from 'three';
import { UPLOAD_BUFFERS } from '../tick-uploads.ts';

/*
 * Threads    the one that draws.
 * Memory     three GPU buffers, whose arrays are views of pinned slots while they are uploaded.
 * Ordering   three copies an array while it renders, which must happen under the frame's pin.
 * Progress   allocates when made.
 * Invariant  a geometry's two attributes of a part are the buffers that hold the pair's ticks.
 */

/** What is to be uploaded from one array: the first numbers of it. */
interface Range {
  start: number;
  count: number;
}

/** Three GPU buffers of one part of an instance, two of which are shown at a time. */
export class AttributeRing {
  readonly #attributes: readonly InstancedBufferAttribute[];
  readonly #earlierName: string;
  readonly #laterName: string;
  readonly #ranges: readonly Range[];
  readonly #pending: boolean[] = [];
  #pendingCount = 0;
  /** Whether a buffer was filled that nobody asked for: its context was lost and came back. */
  #lost = false;

  /**
   * `arrays` gives each buffer its first array: equally long ones, `itemSize` numbers a slot.
   * `onUpload` is called whenever an array was copied.
   */
  constructor(
    names: readonly [earlier: string, later: string],
    itemSize: number,
    arrays: (buffer: number) => TypedArray,
    onUpload: () => void,
  ) {
    [this.#earlierName, this.#laterName] = names;
    const buffers = Array.from({ length: UPLOAD_BUFFERS }, (_, buffer) => buffer);
    this.#ranges = buffers.map(() => ({ start: 0, count: 0 }));
    this.#attributes = buffers.map((buffer) => {
      const attribute = new InstancedBufferAttribute(arrays(buffer), itemSize);
      attribute.setUsage(DynamicDrawUsage);
      attribute.onUpload(() => {
        this.#settle(buffer);
        onUpload();
      });
      return attribute;
    });
  }

  /**
   * Whether some buffer does not hold what it was given: the mesh was not drawn since, or the
   * buffers were made anew.
   */
  get isStale(): boolean {
    return this.#lost || this.#pendingCount > 0;
  }

  /** Takes note that all buffers are to be loaded again. */
  forget(): void {
    this.#lost = false;
    this.#pending.fill(false);
    this.#pendingCount = 0;
  }

  /** Returns the array that a buffer was loaded from last. */
  arrayOf(buffer: number): TypedArray {
    return (this.#attributes[buffer] as InstancedBufferAttribute).array;
  }

  /** Has the first `rows` rows of an array uploaded into a buffer with the next draw. */
  load(buffer: number, array: TypedArray, rows: number): void {
    const attribute = this.#attributes[buffer] as InstancedBufferAttribute;
    const range = this.#ranges[buffer] as Range;
    attribute.array = array;
    range.count = rows * attribute.itemSize;
    // The same object every time: nothing is allocated for a tick.
    attribute.updateRanges.length = 0;
    attribute.updateRanges.push(range);
    attribute.needsUpdate = true;
    if (this.#pending[buffer] !== true) this.#pendingCount++;
    this.#pending[buffer] = true;
  }

  /** Makes two buffers the ones that a geometry shows. */
  show(geometry: BufferGeometry, earlier: number, later: number): void {
    geometry.setAttribute(this.#earlierName, this.#attributes[earlier] as InstancedBufferAttribute);
    geometry.setAttribute(this.#laterName, this.#attributes[later] as InstancedBufferAttribute);
  }

  #settle(buffer: number): void {
    if (this.#pending[buffer] === true) this.#pendingCount--;
    else this.#lost = true;
    this.#pending[buffer] = false;
  }
}

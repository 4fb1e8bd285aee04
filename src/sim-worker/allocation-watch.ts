/*
 * Threads    the simulation thread alone; development only.
 * Memory     its own: one reading. It asks the engine how much of this thread's heap is in use.
 * Progress   wait-free; one call of the engine a reading.
 * Invariant  a window is armed, then read, and holds nothing but the work between the two.
 *
 * How it works: the engine fills its young space by moving one pointer, so that the growth of the
 * heap in use between two readings is what was allocated between them, to the byte. (V8's
 * `getHeapStatistics`: of what Node offers it is exact and the cheapest. `process.memoryUsage`
 * also asks the system for the resident set; the statistics of single spaces leave more garbage.)
 *
 * Noise: each reading leaves the engine's own statistics object on the heap. It is kept on
 * purpose: what escapes is never optimised away, so that every window holds exactly one, and an
 * empty window measures the floor that is taken off.
 *
 * Limits:
 * - A collection makes the growth negative. Such a window says nothing and is passed over.
 * - Where a page of the young space ends, its rest counts as used: now and then a window shows some
 *   hundred bytes that nobody asked for.
 * - The engine allocates too: it compiles, and it boxes every double of code that it has not
 *   optimised. One window proves nothing, many do: AllocationGuard judges by repetition.
 * - What lies outside the heap is not seen: the bytes of an ArrayBuffer, only its object.
 */

/** What a window says in which a collection hid what was allocated. */
export const COLLECTED = -1;

/** Says why there is no watch. */
export const HEAP_UNREADABLE =
  'allocations are watched by modules of Node: they need process.getBuiltinModule, Node 20.16';

/** Empty windows at the opening: more than it takes until the engine has optimised the reading. */
const WARM_UP_WINDOWS = 4000;
const BYTES_MAX = 2_147_483_647;

/** Names the part of a global scope in which Node is looked for. */
export interface PlatformScope {
  readonly process?: { getBuiltinModule?(name: string): unknown } | undefined;
}

interface HeapStatistics {
  readonly used_heap_size: number;
}

interface HeapModule {
  getHeapStatistics(): HeapStatistics;
}

/** Measures by how many bytes a piece of work makes this thread's heap grow. */
export class AllocationWatch {
  readonly #heap: HeapModule;
  #statistics: HeapStatistics;
  /** The bytes in use when the window was armed: a typed array, so that no double is boxed. */
  readonly #before: Float64Array = new Float64Array(1);
  #floorBytes = 0;

  private constructor(heap: HeapModule) {
    this.#heap = heap;
    this.#statistics = heap.getHeapStatistics();
  }

  /**
   * Opens and calibrates a watch of this thread's heap, which takes some milliseconds. Where there
   * is none, in browsers and on Node before 20.16, it returns the reason as text.
   */
  static open(scope: PlatformScope = globalThis as PlatformScope): AllocationWatch | string {
    const heap = scope.process?.getBuiltinModule?.('node:v8') as HeapModule | undefined;
    if (heap === undefined) return HEAP_UNREADABLE;
    const watch = new AllocationWatch(heap);
    for (let window = 0; window < WARM_UP_WINDOWS; window++) watch.calibrate();
    return watch;
  }

  /** Bytes that an empty window grows by, as last calibrated. */
  get floorBytes(): number {
    return this.#floorBytes;
  }

  /** Opens a window. */
  arm(): void {
    this.#before[0] = this.#readHeap();
  }

  /**
   * Returns the bytes that were allocated since {@link AllocationWatch.arm}, without the floor and
   * at most 2^31 - 1; {@link COLLECTED} when a collection hid them.
   */
  read(): number {
    const grown = this.#readHeap() - (this.#before[0] as number);
    if (grown < 0) return COLLECTED;
    return Math.max(0, Math.min(grown - this.#floorBytes, BYTES_MAX)) | 0;
  }

  /** Takes the growth of an empty window for the floor, unless a collection fell into it. */
  calibrate(): void {
    const last = this.#floorBytes;
    this.#floorBytes = 0;
    this.arm();
    const grown = this.read();
    this.#floorBytes = grown === COLLECTED ? last : grown;
  }

  #readHeap(): number {
    this.#statistics = this.#heap.getHeapStatistics();
    return this.#statistics.used_heap_size;
  }
}

import { type ComposeJob, composeMatrices } from '../shared/kernels/compose.ts';
import type { Kernels } from '../shared/kernels/kernels.ts';
import { type BulkBlend, copyRows, type Room } from './bulk-blend.ts';
import type { Channel } from './channel.ts';
import { checkScale, turnOf } from './matrix-kinds.ts';
import type { ReaderOutputs } from './reader-outputs.ts';
import type { RowList } from './row-list.ts';
import type { RowSelection } from './row-selection.ts';

/*
 * Threads    the reader's own.
 * Memory     the matrices and their parts in this reader's output in the region.
 * Ordering   plain accesses under the view's pin.
 * Progress   wait-free; allocates nothing after it was made, but for exact views.
 * Invariant  a matrix is that of one alpha in all of its parts; none is taken apart again.
 */

/** Numbers of a matrix. */
export const MATRIX_NUMBERS = 16;

/** The matrices of a reader: translation x rotation x scale of selected rows. */
export class Matrices {
  /** Matrices of the last composition. */
  count = 0;
  readonly #blend: BulkBlend;
  readonly #kernels: Kernels | undefined;
  readonly #room: Float32Array;
  readonly #orientationRoom: Float32Array;
  readonly #scaleRoom: Float32Array;
  readonly #job: ComposeJob;
  #exact: Float32Array;
  /** What the last composition was made of. */
  #serial = -1;
  #orientation: Channel | undefined;
  #scale: Channel | undefined;

  constructor(blend: BulkBlend, outputs: ReaderOutputs) {
    this.#blend = blend;
    this.#kernels = outputs.kernels;
    this.#room = outputs.matrices;
    this.#orientationRoom = outputs.orientations;
    this.#scaleRoom = outputs.scales;
    this.#exact = this.#room.subarray(0, 0);
    this.#job = {
      position: this.#room,
      positionWidth: 2,
      orientation: this.#orientationRoom,
      turn: 'none',
      period: 1,
      scale: this.#scaleRoom,
      scaleWidth: 0,
      rows: new Uint32Array(0),
      listed: false,
      count: 0,
      out: this.#room,
    };
  }

  /**
   * Composes the matrices of a selection, which has the positions of `position`. Does nothing if
   * that was done last. Throws VALUE_INVALID for channels of other kinds.
   */
  compose(
    selection: RowSelection,
    position: Channel,
    orientation: Channel | undefined,
    scale: Channel | undefined,
  ): void {
    const { serial, rows } = selection;
    const isSame =
      serial === this.#serial && orientation === this.#orientation && scale === this.#scale;
    if (isSame) return;
    this.#serial = -1;
    const job = this.#job;
    job.turn = orientation === undefined ? 'none' : turnOf(orientation.schema);
    if (scale !== undefined) checkScale(scale.schema);
    job.position = selection.positions;
    job.positionWidth = position.schema.width as 2 | 3;
    job.count = rows.count;
    job.scaleWidth = 0;
    if (orientation !== undefined) {
      job.orientation = this.#part(orientation, rows, this.#orientationRoom);
      job.period = job.turn === 'angle' ? orientation.schema.period : 1;
    }
    if (scale !== undefined) {
      job.scale = this.#part(scale, rows, this.#scaleRoom);
      job.scaleWidth = scale.schema.width as 1 | 2 | 3;
    }
    if (this.#kernels === undefined) composeMatrices(job);
    else this.#kernels.compose(job);
    if (!this.#blend.isComplete(position, rows)) this.#clearPlaceless(position, rows);
    this.count = rows.count;
    this.#serial = serial;
    this.#orientation = orientation;
    this.#scale = scale;
  }

  /** Returns the matrices at their exact length; made anew only when the count changed. */
  exact(): Float32Array {
    const length = this.count * MATRIX_NUMBERS;
    if (this.#exact.length !== length) this.#exact = this.#room.subarray(0, length);
    return this.#exact;
  }

  /** Copies the matrices into `out`, which has room for them. */
  copyInto(out: Room, stride: number, offset: number): void {
    const { count } = this;
    const isExact = this.#exact.length === count * MATRIX_NUMBERS;
    // A native copy needs a view of the exact length; with culling that is another in each frame.
    if (isExact && stride === MATRIX_NUMBERS && out instanceof Float32Array) {
      out.set(this.#exact, offset);
    } else {
      copyRows(this.#room, count, MATRIX_NUMBERS, out, stride, offset);
    }
  }

  /** Returns a part of every row, one behind the other; who lacks it gets what changes nothing. */
  #part(channel: Channel, rows: RowList, room: Float32Array): Float32Array {
    const isComplete = this.#blend.isComplete(channel, rows);
    if (rows.isAll && isComplete) return this.#blend.blendAll(channel) as Float32Array;
    const { width, blend } = channel.schema;
    this.#blend.blend(channel, rows, room, width, 0);
    if (isComplete) return room;
    // A quaternion of zeros makes the same matrix as the one that turns nothing.
    const neutral = blend === 'lerp' || blend === 'step' ? 1 : 0;
    for (let row = 0; row < rows.count; row++) {
      if (this.#blend.hasRow(channel, rows, row)) continue;
      for (let i = 0; i < width; i++) room[row * width + i] = neutral;
    }
    return room;
  }

  #clearPlaceless(position: Channel, rows: RowList): void {
    const room = this.#room;
    for (let row = 0; row < rows.count; row++) {
      if (this.#blend.hasRow(position, rows, row)) continue;
      for (let i = 0; i < MATRIX_NUMBERS; i++) room[row * MATRIX_NUMBERS + i] = 0;
    }
  }
}

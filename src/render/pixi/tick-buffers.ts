import { Buffer, BufferUsage } from 'pixi.js';
import type { Column } from '../../shared/schema.ts';
import { UPLOAD_BUFFERS } from '../tick-uploads.ts';

/** What is uploaded: columns of f32, and words. */
export type TickArray = Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/**
 * Three buffers of pixi with an array each: the two ticks of a frame, and one more. A column is
 * copied, not uploaded from shared memory itself: pixi uploads when it draws, which may be after
 * the frame was released, once a renderer, and again when a context was lost.
 */
export class TickBuffers {
  readonly buffers: readonly Buffer[];
  readonly arrays: readonly TickArray[];
  /** Elements of each array that were ever filled. */
  readonly #filled: number[];

  /** `make` makes each of the arrays. */
  constructor(label: string, make: () => TickArray) {
    this.arrays = Array.from({ length: UPLOAD_BUFFERS }, make);
    this.#filled = this.arrays.map(() => 0);
    this.buffers = this.arrays.map(
      (data) =>
        new Buffer({
          data,
          label: `escapement-${label}`,
          usage: BufferUsage.VERTEX | BufferUsage.COPY_DST,
          shrinkToFit: false,
        }),
    );
  }

  /** Copies the first `length` elements of a column into one of the buffers. */
  fill(buffer: number, column: Column, length: number): void {
    const array = this.arrays[buffer] as TickArray;
    // Moving all of it at once beats a loop over a large part of it.
    if (column.length === array.length && length * 2 > array.length) array.set(column);
    else for (let i = 0; i < length; i++) array[i] = column[i] as number;
    this.touch(buffer, length);
  }

  /** Has the first `length` elements of an array uploaded with the next draw. */
  touch(buffer: number, length: number): void {
    // An upload that is still due may reach further than this one.
    const filled = Math.max(length, this.#filled[buffer] as number);
    this.#filled[buffer] = filled;
    (this.buffers[buffer] as Buffer).update(filled * Uint32Array.BYTES_PER_ELEMENT);
  }

  /** Gives the buffers back. */
  destroy(): void {
    for (const buffer of this.buffers) buffer.destroy();
  }
}

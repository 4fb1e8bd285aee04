import type { RecordShape } from '../record/record-shape.ts';
import { type ResultExtra, RetainedResult } from './retained-result.ts';

/**
 * Lends results and takes them back with their memory, so that a steady flow allocates nothing.
 * What would make the free ones exceed `maxFreeBytes` is let go.
 */
export class RetainedPool<Extra> {
  readonly #shape: RecordShape;
  readonly #hooks: ResultExtra<Extra>;
  readonly #maxFreeBytes: number;
  readonly #free: RetainedResult<Extra>[] = [];
  #freeBytes = 0;

  constructor(shape: RecordShape, hooks: ResultExtra<Extra>, maxFreeBytes: number) {
    this.#shape = shape;
    this.#hooks = hooks;
    this.#maxFreeBytes = maxFreeBytes;
  }

  /** Lends an empty result. */
  take(): RetainedResult<Extra> {
    const result = this.#free.pop();
    if (result === undefined) return new RetainedResult(this.#shape, this.#hooks);
    this.#freeBytes -= result.heldBytes;
    result.heldBytes = 0;
    return result;
  }

  /** Takes back a result that it lent; nobody reads it any more. */
  give(result: RetainedResult<Extra>): void {
    result.reset();
    const bytes = result.byteLength;
    if (this.#freeBytes + bytes > this.#maxFreeBytes) return;
    result.heldBytes = bytes;
    this.#freeBytes += bytes;
    this.#free.push(result);
  }
}

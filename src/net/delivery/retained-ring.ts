import { assert } from '../../shared/assert.ts';
import type { RetainedResult } from './retained-result.ts';

/** Results in ascending order of their sequences, the oldest first, up to a fixed count. */
export class RetainedRing<Extra> {
  readonly #slots: (RetainedResult<Extra> | undefined)[];
  #first = 0;
  #count = 0;
  #bytes = 0;

  constructor(capacity: number) {
    this.#slots = Array.from({ length: capacity }, () => undefined);
  }

  get count(): number {
    return this.#count;
  }

  /** The bytes that the results in it count for. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the one at a place, 0 the oldest, or undefined. */
  at(index: number): RetainedResult<Extra> | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined;
    return this.#slots[(this.#first + index) % this.#slots.length];
  }

  get oldest(): RetainedResult<Extra> | undefined {
    return this.at(0);
  }

  get newest(): RetainedResult<Extra> | undefined {
    return this.at(this.#count - 1);
  }

  /** Returns the result of a sequence, or undefined. */
  find(sequence: number): RetainedResult<Extra> | undefined {
    let low = 0;
    let high = this.#count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.at(middle);
      if (found === undefined || found.sequence === sequence) return found;
      if (found.sequence < sequence) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** Adds one that is later than all others, and counts its memory as it is now. */
  push(result: RetainedResult<Extra>): void {
    assert(this.#count < this.#slots.length, 'the ring of results has room');
    result.heldBytes = result.byteLength;
    this.#slots[(this.#first + this.#count) % this.#slots.length] = result;
    this.#count++;
    this.#bytes += result.heldBytes;
  }

  /** Takes the oldest one out; there must be one. */
  shift(): RetainedResult<Extra> {
    const result = this.oldest;
    assert(result !== undefined, 'the ring of results has an oldest one');
    this.#slots[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#slots.length;
    this.#count--;
    this.#bytes -= result.heldBytes;
    return result;
  }
}

/** Free buffers that are kept at most; beyond it the pool is emptied. */
const FREE_MAX = 8192;

/**
 * Lends buffers of an exact length and takes them back, so that traffic of lengths that come again
 * allocates nothing. Lengths that never come again do not pile up: once the free buffers exceed
 * `maxFreeBytes`, they all go.
 */
export class BufferPool {
  readonly #free: Map<number, Uint8Array[]> = new Map();
  readonly #maxFreeBytes: number;
  #freeBytes = 0;
  #freeCount = 0;

  constructor(maxFreeBytes: number) {
    this.#maxFreeBytes = maxFreeBytes;
  }

  /** Lends a buffer of `length` bytes with anything in it. */
  take(length: number): Uint8Array {
    const buffer = this.#free.get(length)?.pop();
    if (buffer === undefined) return new Uint8Array(length);
    this.#freeBytes -= length;
    this.#freeCount--;
    return buffer;
  }

  /** Takes back a buffer that it lent; nobody reads it any more. */
  give(buffer: Uint8Array): void {
    const { length } = buffer;
    if (this.#freeBytes + length > this.#maxFreeBytes || this.#freeCount === FREE_MAX)
      this.#empty();
    this.#freeBytes += length;
    this.#freeCount++;
    const free = this.#free.get(length);
    if (free === undefined) this.#free.set(length, [buffer]);
    else free.push(buffer);
  }

  #empty(): void {
    this.#free.clear();
    this.#freeBytes = 0;
    this.#freeCount = 0;
  }
}

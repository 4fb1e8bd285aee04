/**
 * Keeps the last `size` samples sorted, so that any quantile is one look-up. Nearest rank:
 * `sorted[ceil(p * n / 100) - 1]`. Adding moves part of a small array; it allocates nothing.
 */
export class RollingQuantile {
  readonly #ring: Float64Array;
  readonly #sorted: Float64Array;
  #count = 0;
  #next = 0;

  constructor(size = 256) {
    this.#ring = new Float64Array(size);
    this.#sorted = new Float64Array(size);
  }

  /** Samples held. */
  get count(): number {
    return this.#count;
  }

  /** Takes a sample in; the oldest goes when the window is full. NaN is passed over. */
  add(sample: number): void {
    if (Number.isNaN(sample)) return;
    const sorted = this.#sorted;
    if (this.#count === this.#ring.length) {
      const at = this.#lowerBound(this.#ring[this.#next] as number);
      sorted.copyWithin(at, at + 1, this.#count);
      this.#count--;
    }
    const at = this.#lowerBound(sample);
    sorted.copyWithin(at + 1, at, this.#count);
    sorted[at] = sample;
    this.#count++;
    this.#ring[this.#next] = sample;
    this.#next = (this.#next + 1) % this.#ring.length;
  }

  /** Returns the `percent`-th percentile of the window; NaN when it is empty. */
  percentile(percent: number): number {
    if (this.#count === 0) return Number.NaN;
    const rank = Math.max(1, Math.ceil((percent * this.#count) / 100));
    return this.#sorted[Math.min(rank, this.#count) - 1] as number;
  }

  /** Returns the largest sample of the window; NaN when it is empty. */
  max(): number {
    return this.#count === 0 ? Number.NaN : (this.#sorted[this.#count - 1] as number);
  }

  /** Forgets everything. */
  clear(): void {
    this.#count = 0;
    this.#next = 0;
  }

  #lowerBound(sample: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] as number) < sample) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

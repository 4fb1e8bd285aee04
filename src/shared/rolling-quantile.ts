/**
 * Keeps the last `size` samples sorted, so that any quantile is one look-up. Nearest rank:
 * `sorted[ceil(p * n / 100) - 1]`. Adding moves part of a small array; it allocates nothing. What
 * is fractional and comes often goes through {@link sample} and {@link sorted}: an engine boxes the
 * doubles of a call that it does not inline.
 */
export class RollingQuantile {
  /** What {@link take} takes in. */
  sample: number = Number.NaN;
  /** The samples held, ascending; what is behind them says nothing. */
  readonly sorted: Float64Array;
  readonly #ring: Float64Array;
  #sought: number = Number.NaN;
  #count = 0;
  #next = 0;

  constructor(size = 256) {
    this.#ring = new Float64Array(size);
    this.sorted = new Float64Array(size);
  }

  /** Samples held. */
  get count(): number {
    return this.#count;
  }

  /** Takes a sample in; the oldest goes when the window is full. NaN is passed over. */
  add(sample: number): void {
    this.sample = sample;
    this.take();
  }

  /** Takes {@link sample} in, as {@link add} does. */
  take(): void {
    const { sample, sorted } = this;
    if (Number.isNaN(sample)) return;
    if (this.#count === this.#ring.length) {
      this.#sought = this.#ring[this.#next] as number;
      const at = this.#lowerBound();
      sorted.copyWithin(at, at + 1, this.#count);
      this.#count--;
    }
    this.#sought = sample;
    const at = this.#lowerBound();
    sorted.copyWithin(at + 1, at, this.#count);
    sorted[at] = sample;
    this.#count++;
    this.#ring[this.#next] = sample;
    this.#next = (this.#next + 1) % this.#ring.length;
  }

  /** Returns the `percent`-th percentile of the window; NaN when it is empty. */
  percentile(percent: number): number {
    return this.#count === 0 ? Number.NaN : (this.sorted[this.place(percent)] as number);
  }

  /** Returns where in {@link sorted} the `percent`-th percentile stands; 0 when it is empty. */
  place(percent: number): number {
    const rank = Math.min(Math.ceil((percent * this.#count) / 100), this.#count);
    return Math.max(1, rank) - 1;
  }

  /** Returns the largest sample of the window; NaN when it is empty. */
  max(): number {
    return this.#count === 0 ? Number.NaN : (this.sorted[this.#count - 1] as number);
  }

  /** Forgets everything. */
  clear(): void {
    this.#count = 0;
    this.#next = 0;
  }

  #lowerBound(): number {
    const { sorted } = this;
    const sought = this.#sought;
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] as number) < sought) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

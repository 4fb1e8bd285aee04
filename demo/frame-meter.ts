const FRAMES_KEPT = 240;

/** Measures the page's own frames: what each costs, and how many there are a second. */
export class FrameMeter {
  /** Frames drawn so far. */
  count = 0;
  p50Ms: number = Number.NaN;
  p99Ms: number = Number.NaN;
  perSecond: number = Number.NaN;
  readonly #costs: Float64Array = new Float64Array(FRAMES_KEPT);
  readonly #sorted: Float64Array = new Float64Array(FRAMES_KEPT);
  #countBefore = 0;
  #summedAt: number = Number.NaN;

  /** Takes what one frame has cost. */
  note(costMs: number): void {
    this.#costs[this.count % FRAMES_KEPT] = costMs;
    this.count++;
  }

  /** Brings the figures up to the present: quantiles of the last 240 frames, rate since before. */
  sum(now: number): void {
    const kept = Math.min(this.count, FRAMES_KEPT);
    if (kept > 0) {
      const sorted = this.#sorted.subarray(0, kept);
      sorted.set(this.#costs.subarray(0, kept));
      sorted.sort();
      this.p50Ms = sorted[Math.ceil(0.5 * kept) - 1] ?? Number.NaN;
      this.p99Ms = sorted[Math.ceil(0.99 * kept) - 1] ?? Number.NaN;
    }
    this.perSecond = ((this.count - this.#countBefore) * 1000) / (now - this.#summedAt);
    this.#countBefore = this.count;
    this.#summedAt = now;
  }
}

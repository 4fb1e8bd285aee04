/** Lets through so many calls a second, and a burst of twice that; a token bucket. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #lastMs: number;

  /** Starts full. Times are milliseconds of any monotonic clock. */
  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#burst = 2 * perSecond;
    this.#tokens = this.#burst;
    this.#lastMs = nowMs;
  }

  /** Counts a call; returns false when it is one too many. */
  tryTake(nowMs: number): boolean {
    const earned = (Math.max(0, nowMs - this.#lastMs) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + earned);
    this.#lastMs = Math.max(this.#lastMs, nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

import type { Rational } from './rational.ts';

/** The shortest window over which a speed is measured, in wall nanoseconds. */
const WINDOW_NS = 500_000_000;

/** Measures the speed that was reached: world seconds simulated a wall second, window by window. */
export class SpeedMeter {
  /** The speed over the last full window; NaN before the first. */
  value: number = Number.NaN;
  #wallNs = 0;
  #startTick = 0;

  /** Counts wall time in which the clock ran. */
  elapse(wallNs: number): void {
    this.#wallNs += wallNs;
  }

  /** Counts a given wall time. In seconds, as it came: a product handed over may be boxed. */
  elapseSeconds(wallSeconds: number): void {
    this.#wallNs += wallSeconds * 1e9;
  }

  /** Ends the window if it is long enough, at `tick`, and begins the next. */
  close(tick: number, quantum: Rational): void {
    // A nanosecond short is long enough: given deltas do not sum up exactly here.
    if (this.#wallNs < WINDOW_NS - 1) return;
    const worldNs = ((tick - this.#startTick) * quantum.numerator * 1e9) / quantum.denominator;
    this.value = worldNs / this.#wallNs;
    this.restart(tick);
  }

  /** Begins a new window at `tick`; the last value stands until it is full. */
  restart(tick: number): void {
    this.#wallNs = 0;
    this.#startTick = tick;
  }

  /** Forgets everything: before the first window again. */
  reset(): void {
    this.value = Number.NaN;
    this.restart(0);
  }
}

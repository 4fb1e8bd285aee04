import { createInstant, elapsedNs, type Instant, type MonotonicClock } from '../shared/instant.ts';
import type { Signal } from '../shared/signal.ts';
import type { Driver } from './driver.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     sleeps on the wake word.
 * Ordering   returns at once when the word is no longer the one that was loaded before.
 * Progress   blocks for one slice at most, then spins for a bounded time.
 * Invariant  it may return early and never decides what runs: the driver asks the clock again.
 */

/** The most a sleep is cut short: what timers overshoot by on an idle machine, and some. */
const LEAD_MAX_MS = 0.3;
/** What is left after waking early is spun away, if it is no more than this. */
const SPIN_MAX_MS = 0.15;
/** Readings one spin takes at most: more than its time has, unless a clock stands still. */
const SPIN_READINGS_MAX = 10_000;
/** A late wake-up counts four times an early one, so that four of five are early. */
const LATE_STEP_MS = 0.008;
const EARLY_STEP_MS = 0.002;
/** A sleep that ends further than this from its deadline was one of several. */
const LAST_SLEEP_MS = 1;

/**
 * Parks the simulation thread until the next tick is due. Operating systems end a sleep some tens
 * of microseconds late, each time: this learns by how much, sleeps that much less, and spins away
 * the few hundredths of a millisecond that remain.
 */
export class Park {
  readonly #driver: Driver;
  readonly #wake: Signal;
  readonly #clock: MonotonicClock;
  readonly #now: Instant = createInstant();
  #leadMs = 0.05;

  constructor(driver: Driver, wake: Signal, clock: MonotonicClock) {
    this.#driver = driver;
    this.#wake = wake;
    this.#clock = clock;
  }

  /** Parks for `waitMs`, or one slice, or until the wake word is no longer `seen`. */
  until(seen: number, waitMs: number): void {
    if (!this.#driver.hasNext) {
      this.#wake.wait(seen, waitMs);
      return;
    }
    if (waitMs > SPIN_MAX_MS) {
      const short = waitMs - this.#leadMs;
      const end = this.#wake.wait(seen, short > SPIN_MAX_MS ? short : waitMs / 2);
      const leftMs = this.#leftMs();
      if (end === 'timed-out' && leftMs < LAST_SLEEP_MS) this.#learn(leftMs);
      if (end !== 'timed-out' || leftMs > SPIN_MAX_MS) return;
    }
    if (!this.#spin(seen)) this.#wake.wait(seen, Math.max(0, this.#leftMs()));
  }

  #learn(leftMs: number): void {
    const step = leftMs < 0 ? LATE_STEP_MS : -EARLY_STEP_MS;
    this.#leadMs = Math.min(LEAD_MAX_MS, Math.max(0, this.#leadMs + step));
  }

  /** Spins until the tick is due or the word changed; false when neither came in time. */
  #spin(seen: number): boolean {
    for (let reading = 0; reading < SPIN_READINGS_MAX; reading++) {
      if (this.#leftMs() <= 0 || this.#wake.load() !== seen) return true;
    }
    return false;
  }

  #leftMs(): number {
    return elapsedNs(this.#driver.next, this.#clock.read(this.#now)) / 1e6;
  }
}

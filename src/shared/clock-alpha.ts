import { createInstant, elapsedNs, type Instant, type MonotonicClock } from './instant.ts';
import { PublishedClock } from './published-clock.ts';
import type { Region } from './region.ts';

/** Where the clock in force is: a tick, and the fraction of a quantum beyond it. */
export class ClockAlpha {
  tick = 0;
  alpha = 0;
  readonly #clock: MonotonicClock;
  readonly #now: Instant = createInstant();
  readonly #published: PublishedClock = new PublishedClock();
  /** The simulation's clock less this one; undefined where that is not known. */
  readonly #offsetNs: number | undefined;

  constructor(clock: MonotonicClock, offsetNs: number | undefined) {
    this.#clock = clock;
    this.#offsetNs = offsetNs;
  }

  /**
   * Sets {@link tick} and {@link alpha}, in [0, 1], from the record in force. While the clock runs
   * by readings, alpha is that of this thread's reading, or 0 where the two clocks cannot be
   * compared.
   */
  read(region: Region): void {
    const published = this.#published;
    const now = this.#clock.read(this.#now);
    if (!published.read(region)) return;
    const { anchor } = published;
    let { alpha } = anchor;
    if (anchor.running) {
      const offsetNs = this.#offsetNs;
      const sinceNs = elapsedNs(now, anchor.due) - anchor.dueFraction;
      alpha = offsetNs === undefined ? 0 : (sinceNs + offsetNs) / anchor.quantumWallNs;
    }
    this.tick = anchor.tick;
    this.alpha = alpha > 1 ? 1 : alpha > 0 ? alpha : 0;
  }
}

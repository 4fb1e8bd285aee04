import { createInstant, type Instant, type MonotonicClock } from './instant.ts';
import { RECORD_BYTES } from './layout.ts';
import { RECORD_DOUBLE, RECORD_FLAG, RECORD_WORD } from './record.ts';
import type { Region } from './region.ts';
import { HEADER } from './words.ts';

/*
 * Threads    any.
 * Memory     sequence, current, and the fields of the record in force.
 * Ordering   a record is filled before `current` names it, and again only after `sequence` went
 *            on: what is read between two equal loads of it belongs together.
 * Progress   lock-free: reads again when a publication came between; allocates nothing.
 * Invariant  pins nothing and claims nothing; `alpha` is in [0, 1].
 */

/** Where the clock in force is: a tick, and the fraction of a quantum beyond it. */
export class ClockAlpha {
  tick = 0;
  alpha = 0;
  readonly #clock: MonotonicClock;
  readonly #now: Instant = createInstant();
  /** The simulation's clock less this one; undefined where that is not known. */
  readonly #offsetNs: number | undefined;

  constructor(clock: MonotonicClock, offsetNs: number | undefined) {
    this.#clock = clock;
    this.#offsetNs = offsetNs;
  }

  /**
   * Sets {@link tick} and {@link alpha} from the record in force. While the clock runs by readings,
   * alpha is that of this thread's reading, or 0 where the two clocks cannot be compared.
   */
  read(region: Region): void {
    const { i32, u32, f64, layout } = region;
    const now = this.#clock.read(this.#now);
    const offsetNs = this.#offsetNs;
    for (;;) {
      const sequence = Atomics.load(i32, HEADER.sequence);
      const current = Atomics.load(i32, HEADER.current);
      if (current < 0) return;
      const word = (layout.records + current * RECORD_BYTES) / 4;
      const double = word / 2;
      const low = Atomics.load(i32, word + RECORD_WORD.tickLow) >>> 0;
      const high = Atomics.load(i32, word + RECORD_WORD.tickHigh) >>> 0;
      let alpha = f64[double + RECORD_DOUBLE.alpha] as number;
      const running = ((u32[word + RECORD_WORD.flags] as number) & RECORD_FLAG.running) !== 0;
      if (running && offsetNs !== undefined) {
        const seconds = now.seconds - (f64[double + RECORD_DOUBLE.anchorSeconds] as number);
        const fraction = f64[double + RECORD_DOUBLE.anchorFraction] as number;
        const nanos = now.nanos - ((u32[word + RECORD_WORD.anchorNanos] as number) + fraction);
        const quantumNs = f64[double + RECORD_DOUBLE.quantumWallNs] as number;
        alpha = (seconds * 1e9 + nanos + offsetNs) / quantumNs;
      } else if (running) {
        alpha = 0;
      }
      if (Atomics.load(i32, HEADER.sequence) !== sequence) continue;
      this.tick = high * 2 ** 32 + low;
      this.alpha = alpha > 1 ? 1 : alpha > 0 ? alpha : 0;
      return;
    }
  }
}

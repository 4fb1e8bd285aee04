import {
  createInstant,
  elapsedNs,
  type Instant,
  instantFromMs,
  type MonotonicClock,
} from '../shared/instant.ts';
import { RECORD_DOUBLE, RECORD_FLAG, RECORD_WORD } from '../shared/record.ts';
import type { Region } from '../shared/region.ts';
import { type ClockScope } from '../shared/system-clock.ts';
import type { BeatMeter } from './beat-meter.ts';
import type { Slack } from './slack.ts';

/*
 * Threads    the reader's own.
 * Memory     reads the record that the view has pinned.
 * Ordering   plain reads under that pin.
 * Progress   wait-free. Doubles go through fields and never through calls: a double handed to a
 *            function that is not inlined is boxed, and a frame allocates nothing.
 * Invariant  one reading of the clock a frame.
 */

/** Places a reader in time: what its clock says, set against a record's anchor. */
export class ReaderClock {
  /** The simulation's reading minus this thread's, in nanoseconds, and how far it may be off. */
  offsetNs = 0;
  errorNs = 0;
  /** Where the reader stands: quanta beyond the due instant of the newest tick. */
  x = 0;
  /** Wall nanoseconds since the record was published; 0 while nothing runs by the clock. */
  silentNs = 0;
  /** Wall nanoseconds of a quantum; 0 while nothing runs by the clock. */
  quantumWallNs = 0;
  readonly slack: Slack;
  readonly beat: BeatMeter;
  readonly #clock: MonotonicClock;
  /** Whether the simulation runs on this thread: it cannot be late for us, so ages do not count. */
  readonly #sameThread: boolean;
  /** What to add to a given timestamp to get a reading of the clock, in nanoseconds. */
  readonly #stampOffsetNs: number;
  readonly #now: Instant = createInstant();
  readonly #last: Instant = createInstant();
  readonly #stamp: Instant = createInstant();
  #lastAgeNs = 0;
  /** Whether nothing ran by the clock in the last frame. */
  #rested = false;

  constructor(
    clock: MonotonicClock,
    slack: Slack,
    beat: BeatMeter,
    sameThread: boolean,
    stampOffsetNs: number,
  ) {
    this.slack = slack;
    this.beat = beat;
    this.#clock = clock;
    this.#sameThread = sameThread;
    this.#stampOffsetNs = stampOffsetNs;
  }

  /** Reads the clock: the one reading of this frame. */
  read(): void {
    this.#clock.read(this.#now);
  }

  /** Sets {@link x} to what it is told; nothing goes by the clock. */
  stand(x: number): void {
    this.x = x;
    this.silentNs = 0;
  }

  /**
   * Sets {@link x} from the record whose words and doubles begin at `word` and `double`. `now` is
   * this thread's timestamp in milliseconds; undefined for the reading itself.
   */
  place(region: Region, word: number, double: number, now: number | undefined): void {
    const { u32, f64 } = region;
    const { slack } = this;
    const reading = this.#now;
    const running = ((u32[word + RECORD_WORD.flags] as number) & RECORD_FLAG.running) !== 0;
    if (running) {
      const quantumWallNs = f64[double + RECORD_DOUBLE.quantumWallNs] as number;
      this.quantumWallNs = quantumWallNs;
      let ageNs = 0;
      if (now !== undefined && Number.isFinite(now)) {
        const stamp = instantFromMs(this.#stamp, now);
        ageNs = (reading.seconds - stamp.seconds) * 1e9 + (reading.nanos - stamp.nanos);
        ageNs -= this.#stampOffsetNs;
        slack.ageNs = ageNs;
        if (!this.#sameThread) slack.noteAge();
      }
      const delayNs = f64[double + RECORD_DOUBLE.delayP99Ns] as number;
      // From one time shown to the next: a late callback makes no longer frame.
      const last = this.#last;
      const sinceLastNs = (reading.seconds - last.seconds) * 1e9 + (reading.nanos - last.nanos);
      const frameNs = sinceLastNs - ageNs + this.#lastAgeNs;
      slack.delayP99Ns = delayNs;
      slack.quantumWallNs = quantumWallNs;
      // Nothing moved while nothing ran: slack that grew by that time would push the picture back.
      slack.frameNs = this.#rested ? 0 : frameNs;
      this.#rested = false;
      slack.follow();
      this.beat.add(Math.min(frameNs, 1e9) | 0);
      this.#lastAgeNs = ageNs;
      const dueSeconds = f64[double + RECORD_DOUBLE.anchorSeconds] as number;
      const dueFraction = f64[double + RECORD_DOUBLE.anchorFraction] as number;
      const dueNanos = (u32[word + RECORD_WORD.anchorNanos] as number) + dueFraction;
      const sinceNs = (reading.seconds - dueSeconds) * 1e9 + (reading.nanos - dueNanos);
      this.x = (sinceNs + this.offsetNs - ageNs - slack.ns) / quantumWallNs;
      const seconds = f64[double + RECORD_DOUBLE.publishedSeconds] as number;
      const nanos = f64[double + RECORD_DOUBLE.publishedNanos] as number;
      this.silentNs = (reading.seconds - seconds) * 1e9 + (reading.nanos - nanos) + this.offsetNs;
    } else {
      slack.rest();
      this.#rested = true;
      this.quantumWallNs = 0;
      this.x = f64[double + RECORD_DOUBLE.alpha] as number;
      this.silentNs = 0;
    }
    this.#last.seconds = reading.seconds;
    this.#last.nanos = reading.nanos;
  }
}

/** Measures what separates `performance.now` from a clock of this thread: 0 where they are one. */
export function measureStampOffsetNs(clock: MonotonicClock): number {
  const { performance } = globalThis as ClockScope;
  if (performance === undefined) return 0;
  const before = createInstant();
  const stamp = createInstant();
  const after = createInstant();
  let best = Number.POSITIVE_INFINITY;
  let offset = 0;
  for (let round = 0; round < 8; round++) {
    clock.read(before);
    instantFromMs(stamp, performance.now());
    clock.read(after);
    const width = elapsedNs(after, before);
    if (width >= best) continue;
    best = width;
    offset = elapsedNs(before, stamp) + width / 2;
  }
  return Math.abs(offset) <= best ? 0 : offset;
}

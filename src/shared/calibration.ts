import { createInstant, elapsedNs, type Instant, type MonotonicClock } from './instant.ts';
import type { Region } from './region.ts';
import { openSignal } from './region-signal.ts';
import type { Signal } from './signal.ts';
import { HEADER, READER, READER_WORDS } from './words.ts';

/*
 * Threads    a reader, with the simulation thread answering.
 * Memory     the reader's probe words.
 * Ordering   the question is stored before the driver is woken; the reading is loaded after
 *            `probeAnswered` shows the question's number.
 * Progress   blocking or by promise; bounded by rounds and by a time-out each.
 * Invariant  the simulation's reading lay between the two readings taken here.
 */

/** Simulation's reading minus this thread's, and how far it may be off. Nanoseconds. */
export interface ClockOffset {
  readonly offsetNs: number;
  readonly errorNs: number;
}

/** Round trips of one calibration; the shortest one counts. */
export const CALIBRATION_ROUNDS = 16;
const ROUND_TIMEOUT_MS = 200;

/** Keeps the round trip that says most: the one with the smallest error bound. */
export class OffsetEstimate {
  offsetNs = 0;
  errorNs: number = Number.POSITIVE_INFINITY;

  /** Takes in one round: sent and received are this thread's readings, `there` the other's. */
  add(sent: Instant, there: Instant, received: Instant): void {
    const errorNs = elapsedNs(received, sent) / 2;
    if (!(errorNs >= 0 && errorNs < this.errorNs)) return;
    this.errorNs = errorNs;
    this.offsetNs = elapsedNs(there, sent) - errorNs;
  }

  /** The best round so far; undefined before any. */
  result(): ClockOffset | undefined {
    if (this.errorNs === Number.POSITIVE_INFINITY) return undefined;
    const { offsetNs, errorNs } = this;
    const apartNs = Math.abs(offsetNs);
    if (apartNs > errorNs) return { offsetNs, errorNs };
    // Two threads on one clock, as far as the rounds can tell. If not, the zero is that much off.
    return { offsetNs: 0, errorNs: errorNs + apartNs };
  }
}

/** Asks the simulation thread for its clock through one reader's probe words. */
export class ClockProbe {
  readonly #words: Int32Array;
  readonly #block: number;
  readonly #clock: MonotonicClock;
  readonly #wake: Signal;
  readonly #answered: Signal;
  readonly #sent: Instant = createInstant();
  readonly #there: Instant = createInstant();
  readonly #received: Instant = createInstant();

  constructor(region: Region, reader: number, clock: MonotonicClock) {
    this.#words = region.i32;
    this.#block = region.layout.readerBlocks / 4 + reader * READER_WORDS;
    this.#clock = clock;
    this.#wake = openSignal(region, HEADER.wake);
    this.#answered = openSignal(region, this.#block + READER.probeAnswered);
  }

  /** Measures while blocking this thread. Undefined when the driver did not answer in time. */
  measureBlocking(rounds: number = CALIBRATION_ROUNDS): ClockOffset | undefined {
    const estimate = new OffsetEstimate();
    for (let round = 0; round < rounds; round++) {
      const before = this.#answered.load();
      const asked = this.#ask(before);
      if (this.#answered.load() === before) this.#answered.wait(before, ROUND_TIMEOUT_MS);
      if (!this.#take(asked, estimate)) break;
    }
    return estimate.result();
  }

  /**
   * Measures without blocking. Undefined when the driver did not answer in time: `firstMs`
   * milliseconds for the first answer, for which a thread may have to wait until it gets a core.
   */
  async measure(
    rounds: number = CALIBRATION_ROUNDS,
    firstMs: number = ROUND_TIMEOUT_MS,
  ): Promise<ClockOffset | undefined> {
    const estimate = new OffsetEstimate();
    for (let round = 0; round < rounds; round++) {
      const before = this.#answered.load();
      const asked = this.#ask(before);
      if (this.#answered.load() === before) {
        await this.#answered.waitAsync(before, round === 0 ? firstMs : ROUND_TIMEOUT_MS);
      }
      if (!this.#take(asked, estimate)) break;
    }
    return estimate.result();
  }

  /** Ends whatever waits for an answer. */
  close(): void {
    this.#answered.close();
  }

  #ask(before: number): number {
    const asked = (before + 1) | 0;
    this.#clock.read(this.#sent);
    Atomics.store(this.#words, this.#block + READER.probeAsked, asked);
    this.#wake.raise();
    return asked;
  }

  #take(asked: number, estimate: OffsetEstimate): boolean {
    const words = this.#words;
    if (Atomics.load(words, this.#block + READER.probeAnswered) !== asked) return false;
    this.#clock.read(this.#received);
    this.#there.seconds = Atomics.load(words, this.#block + READER.probeSeconds) >>> 0;
    this.#there.nanos = Atomics.load(words, this.#block + READER.probeNanos);
    estimate.add(this.#sent, this.#there, this.#received);
    return true;
  }
}

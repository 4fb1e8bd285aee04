import { DeltaBank } from './delta-bank.ts';
import type { DueAnchor } from './due.ts';
import type { Instant } from './instant.ts';
import type { Rational } from './rational.ts';
import { ReadingBank } from './reading-bank.ts';

/**
 * Clock time not yet spent on ticks, wherever it comes from: readings at first, given deltas from
 * the first of them on, readings again from the next of those. The phase goes over each time, back
 * to readings rounded once to a nanosecond.
 */
export class TimeBank {
  readonly #readings: ReadingBank;
  readonly #deltas: DeltaBank;
  #byDeltas = false;

  constructor(rate: Rational) {
    this.#readings = new ReadingBank(rate);
    this.#deltas = new DeltaBank(rate);
  }

  /** Whether time comes from given deltas. */
  get byDeltas(): boolean {
    return this.#byDeltas;
  }

  /** Empties the bank at a reading. */
  start(now: Instant, rate: Rational): void {
    this.#readings.start(now, rate);
    this.#deltas.start(rate);
  }

  /** Returns the quanta owed at a reading. After deltas, the phase goes on from this reading. */
  owedAt(now: Instant, rate: Rational): number {
    if (this.#byDeltas) {
      const owed = this.#deltas.owed();
      this.#deltas.spend(owed);
      this.#readings.startWith(now, rate, owed, this.#deltas.wallNs());
      this.#byDeltas = false;
    }
    return this.#readings.phaseAt(now).whole;
  }

  /**
   * Puts in a wall time in seconds and returns the quanta owed. After readings, the phase goes on
   * from what it was at the last of them.
   */
  deposit(wallSeconds: number, lastReading: Instant, rate: Rational): number {
    if (!this.#byDeltas) {
      this.#deltas.startWith(this.#readings.phaseAt(lastReading), rate);
      this.#byDeltas = true;
    }
    this.#deltas.deposit(wallSeconds);
    return this.#deltas.owed();
  }

  /** Counts quanta as run or dropped. */
  spend(quanta: number): void {
    if (this.#byDeltas) this.#deltas.spend(quanta);
    else this.#readings.spend(quanta);
  }

  /** Goes on at reading `at`, at a rate, from the phase at `heldAt`. */
  continueFrom(heldAt: Instant, at: Instant, rate: Rational): void {
    if (this.#byDeltas) this.#deltas.continueAt(rate);
    else this.#readings.continueFrom(heldAt, at, rate);
  }

  /** Returns an object with alpha at a reading as a fraction. The object is reused. */
  measure(reading: Instant): { readonly numerator: number; readonly denominator: number } {
    if (this.#byDeltas) {
      this.#deltas.measure();
      return this.#deltas;
    }
    this.#readings.measure(reading);
    return this.#readings;
  }

  /** Of readings: writes when the last spent quantum was due. */
  anchor(out: DueAnchor): void {
    this.#readings.anchor(out);
  }

  /** Of readings: writes the earliest one, not before `earliest`, at which a quantum is owed. */
  nextDue(out: Instant, earliest: Instant): void {
    this.#readings.nextDue(out, earliest);
  }
}

import {
  anchorInstant,
  type DueAnchor,
  dueInstant,
  type Phase,
  phaseOf,
  restNanos,
  subtractInstants,
} from './due.ts';
import { addNs, compareInstants, copyInstant, createInstant, type Instant } from './instant.ts';
import { greatestCommonDivisor, type Rational } from './rational.ts';

const NANOS = 1_000_000_000;

/**
 * Clock time taken from readings and not yet spent on ticks. Nothing is accumulated: the phase at a
 * reading R is (R - reference) x rate - spent, in quanta, exact.
 */
export class ReadingBank {
  /** Alpha's exact fraction, as of the last {@link measure}: safe integers. */
  numerator = 0;
  denominator = 1;
  #rate: Rational;
  /** Alpha is counted in units of 1 / (rateDenominator x #unit), of #billionths ns x rate each. */
  #unit = 1;
  #billionths = 1;
  /** Quanta spent since `#reference`; negative when some were owed at the last change of rate. */
  #spent = 0;
  readonly #reference: Instant = createInstant();
  readonly #elapsed: Instant = createInstant();
  readonly #phase: Phase = { whole: 0, remainder: 0, nanos: 0 };

  constructor(rate: Rational) {
    this.#rate = rate;
    this.#setRate(rate);
  }

  /** Starts at `at` with an empty bank. */
  start(at: Instant, rate: Rational): void {
    this.startWith(at, rate, 0, 0);
  }

  /** Starts at `at` with whole quanta owed, and with a rest that took `restNs` to gather. */
  startWith(at: Instant, rate: Rational, owed: number, restNs: number): void {
    copyInstant(this.#reference, at);
    addNs(this.#reference, -restNs);
    this.#setRate(rate);
    this.#spent = 0 - owed;
  }

  /**
   * Goes on at reading `at` from the phase at `heldAt`. At an unchanged rate the reference is moved
   * by the time between, exactly; else it is set anew, rounded once to a nanosecond.
   */
  continueFrom(heldAt: Instant, at: Instant, rate: Rational): void {
    const { numerator, denominator } = this.#rate;
    if (rate.numerator === numerator && rate.denominator === denominator) {
      subtractInstants(this.#elapsed, at, heldAt);
      this.#reference.seconds += this.#elapsed.seconds;
      addNs(this.#reference, this.#elapsed.nanos);
      return;
    }
    const phase = this.phaseAt(heldAt);
    const restNs = restNanos(phase, denominator, rate.numerator, rate.denominator);
    this.startWith(at, rate, phase.whole, restNs);
  }

  /** Returns the phase at a reading; `whole` are the quanta owed. The object is reused. */
  phaseAt(reading: Instant): Phase {
    subtractInstants(this.#elapsed, reading, this.#reference);
    phaseOf(this.#phase, this.#elapsed, this.#rate.numerator, this.#rate.denominator);
    this.#phase.whole -= this.#spent;
    return this.#phase;
  }

  /** Counts quanta as run or dropped. */
  spend(quanta: number): void {
    this.#spent += quanta;
  }

  /** Sets {@link numerator} and {@link denominator} to alpha at a reading, clamped to [0, 1]. */
  measure(reading: Instant): void {
    const { whole, remainder, nanos } = this.phaseAt(reading);
    if (whole < 0) this.numerator = 0;
    else if (whole > 0) this.numerator = this.denominator;
    else this.numerator = remainder * this.#unit + nanos / this.#billionths;
  }

  /** Writes when the last spent quantum was due. */
  anchor(out: DueAnchor): void {
    const { numerator, denominator } = this.#rate;
    anchorInstant(out, this.#reference, this.#spent, numerator, denominator);
  }

  /** Writes the earliest reading, not before `earliest`, at which a quantum is owed. */
  nextDue(out: Instant, earliest: Instant): void {
    const { numerator, denominator } = this.#rate;
    dueInstant(out, this.#reference, this.#spent + 1, numerator, denominator);
    if (compareInstants(out, earliest) < 0) copyInstant(out, earliest);
  }

  #setRate(rate: Rational): void {
    // A phase is a multiple of gcd(numerator, 10^9) / (denominator x 10^9): in that unit alpha is a
    // fraction of safe integers for every quantum that `checkQuantum` lets pass.
    this.#rate = rate;
    this.#billionths = greatestCommonDivisor(rate.numerator, NANOS);
    this.#unit = NANOS / this.#billionths;
    this.denominator = rate.denominator * this.#unit;
  }
}

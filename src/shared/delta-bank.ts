import type { Phase } from './due.ts';
import type { Rational } from './rational.ts';

/** Given deltas within this of a boundary have reached it, in wall seconds. */
const TOLERANCE_S = 1e-9;

/** Splits a double into two halves of 26 bits (Veltkamp). */
const SPLITTER = 2 ** 27 + 1;

/** Alpha is a multiple of one over this. */
const ALPHA_GRID = 2 ** 52;

/**
 * Clock time taken from given deltas and not yet spent on ticks.
 *
 * The bank holds quanta times the rate's denominator, so that both entries are exact: a deposit is
 * delta x numerator, a product of two doubles, and a tick is the denominator, an integer. The sum
 * is kept in two doubles (Dekker 1971, Knuth's two-sum), with a relative error below 2^-100 an
 * entry: 10^7 deltas err by less than 10^-20 of a quantum. What a float such as 1/60 itself is off
 * by is not lost either, and the tolerance of a nanosecond stands for it: 2^-53 of 1/60 s, 10^7
 * times, is 20 ps.
 */
export class DeltaBank {
  /** Alpha's fraction, as of the last {@link measure}. */
  numerator = 0;
  readonly denominator: number = ALPHA_GRID;
  #rate: Rational;
  #high = 0;
  #low = 0;
  /** The last product: rounded, and what the rounding left out. */
  #product = 0;
  #error = 0;

  constructor(rate: Rational) {
    this.#rate = rate;
  }

  /** Empties the bank. */
  start(rate: Rational): void {
    this.#rate = rate;
    this.#high = 0;
    this.#low = 0;
  }

  /** Takes over a phase that readings left, counted at `rate`; its nanoseconds to 53 bits. */
  startWith(phase: Phase, rate: Rational): void {
    this.start(rate);
    this.#add(phase.whole, rate.denominator);
    this.#add(phase.remainder, 1);
    this.#add(phase.nanos, 1e-9);
  }

  /** Goes on at another rate; the phase stays. */
  continueAt(rate: Rational): void {
    const from = this.#rate.denominator;
    this.#rate = rate;
    if (rate.denominator === from) return;
    const high = this.#high;
    const low = this.#low;
    this.#high = 0;
    this.#low = 0;
    this.#add(high, rate.denominator);
    this.#add(low, rate.denominator);
    const quotient = this.#high / from;
    this.#add(-quotient, from);
    const rest = (this.#high + this.#low) / from;
    this.#high = quotient + rest;
    this.#low = rest - (this.#high - quotient);
  }

  /** Puts in a wall time in seconds. */
  deposit(wallSeconds: number): void {
    this.#add(wallSeconds, this.#rate.numerator);
  }

  /** Returns the whole quanta in the bank; one that lacks less than a nanosecond is whole. */
  owed(): number {
    const { numerator, denominator } = this.#rate;
    // Near a multiple of the denominator the first difference is exact; elsewhere it need not be.
    const nearest = Math.floor(this.#high / denominator + 0.5);
    this.#multiply(nearest, denominator);
    const over = this.#high - this.#product - this.#error + this.#low;
    return over + TOLERANCE_S * numerator < 0 ? nearest - 1 : nearest;
  }

  /** Counts quanta as run or dropped. */
  spend(quanta: number): void {
    this.#add(-quanta, this.#rate.denominator);
  }

  /** Sets {@link numerator} to alpha, clamped to [0, 1]. */
  measure(): void {
    const alpha = Math.min(1, Math.max(0, this.#high / this.#rate.denominator));
    this.numerator = Math.round(alpha * ALPHA_GRID);
  }

  /** Returns how long the bank took to gather, to the nearest wall nanosecond, at least 0. */
  wallNs(): number {
    return Math.max(0, Math.round((this.#high * 1e9) / this.#rate.numerator));
  }

  /** Adds a x b to the bank. */
  #add(a: number, b: number): void {
    this.#multiply(a, b);
    const high = this.#high;
    const sum = high + this.#product;
    const moved = sum - high;
    const lost = high - (sum - moved) + (this.#product - moved);
    const tail = lost + (this.#low + this.#error);
    this.#high = sum + tail;
    this.#low = tail - (this.#high - sum);
  }

  #multiply(a: number, b: number): void {
    const bigA = SPLITTER * a;
    const a1 = bigA - (bigA - a);
    const a2 = a - a1;
    const bigB = SPLITTER * b;
    const b1 = bigB - (bigB - b);
    const b2 = b - b1;
    this.#product = a * b;
    this.#error = a1 * b1 - this.#product + a1 * b2 + a2 * b1 + a2 * b2;
  }
}

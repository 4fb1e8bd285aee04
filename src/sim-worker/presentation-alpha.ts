import { type Instant, copyInstant, createInstant, compareInstants } from '../shared/instant.ts';
import type { Rational } from '../shared/rational.ts';
import { ReadingBank } from '../shared/reading-bank.ts';

/** Tells when a snapshot's ticks are due; a `GameLoop` is one. Read anew at every frame. */
export interface PresentationClock {
  /** The reading of the first frame; undefined before it. */
  readonly startReference: Readonly<Instant> | undefined;
  /** Ticks that were due and forgotten: each makes all later ones due a quantum later. */
  readonly stats: { readonly droppedTicks: number };
  /** Seconds of a tick. */
  readonly quantum: Rational;
}

/** The raw Q16.16 value of 1. */
const ONE = 65_536;

/**
 * How far one step of the long division below goes. The divisor is at most 9007 x 10^9: so many
 * times that is a safe integer, and a rounded division finds the digit of one step exactly.
 */
const RADIX = 256;

/** So many leading bits, and whether anything comes behind them, decide how binary32 rounds. */
const ENOUGH = 2 ** 26;

/**
 * Where a reading stands between two ticks: (R - A(T)) / quantum with A(T) = start + (T + dropped)
 * x quantum, clamped to [0, 1]; 0 before the first tick. An exact fraction of integers, from which
 * each backend's number is rounded once.
 */
export class PresentationAlpha {
  /** Alpha in Q16.16, 0 to 65536: the exact fraction rounded once, a half upwards. */
  raw = 0;
  /** Alpha in binary32: the exact fraction rounded once, ties to even. */
  f32 = 0;
  readonly #clock: PresentationClock;
  readonly #bank: ReadingBank;
  readonly #rate: Rational;
  readonly #start: Instant = createInstant();
  #spent = 0;

  constructor(clock: PresentationClock) {
    const { numerator, denominator } = clock.quantum;
    this.#clock = clock;
    this.#rate = { numerator: denominator, denominator: numerator };
    this.#bank = new ReadingBank(this.#rate);
  }

  /** Sets alpha to that of a reading after tick `lastTick`, 0 for none. */
  measure(now: Readonly<Instant>, lastTick: number): void {
    const { startReference, stats } = this.#clock;
    this.raw = 0;
    this.f32 = 0;
    if (lastTick === 0 || startReference === undefined) return;
    const bank = this.#bank;
    if (this.#spent === 0 || compareInstants(startReference, this.#start) !== 0) {
      copyInstant(this.#start, startReference);
      bank.start(this.#start, this.#rate);
      this.#spent = 0;
    }
    const spent = lastTick + stats.droppedTicks;
    bank.spend(spent - this.#spent);
    this.#spent = spent;
    bank.measure(now);
    this.#round(bank.numerator, bank.denominator);
  }

  #round(numerator: number, denominator: number): void {
    // Also what is no number: a reading that makes none shows the earlier tick.
    if (!(numerator > 0)) return;
    let quotient = 0;
    let rest = numerator;
    let scale = 1;
    while (quotient < ENOUGH) {
      const part = rest * RADIX;
      const digit = Math.floor(part / denominator);
      rest = part - digit * denominator;
      quotient = quotient * RADIX + digit;
      scale *= RADIX;
      if (scale === ONE) this.raw = quotient + (2 * rest >= denominator ? 1 : 0);
    }
    // A last bit for whatever comes behind: with it the one rounding falls as that of the fraction.
    this.f32 = Math.fround((2 * quotient + (rest > 0 ? 1 : 0)) / (2 * scale));
  }
}

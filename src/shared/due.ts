import type { Instant } from './instant.ts';

/*
 * Exact time arithmetic in doubles that hold integers: no BigInt, no allocation. A rate is a
 * reduced fraction of ticks a second, numerator up to 10^12, denominator up to 10^9, value from
 * 1/10,000 to 400,000, so that the ticks of 2^64 ns stay below 2^53. An elapsed time may be
 * negative: every result is the floor.
 */

/** The largest rate, in ticks a second, whose ticks over 2^64 ns are all safe integers. */
export const RATE_HZ_MAX = 400_000;

/** What a division leaves. `remainder` lies in [0, divisor). */
export interface Division {
  quotient: number;
  remainder: number;
}

/**
 * A count of ticks with its exact rest: `whole + (remainder + nanos / 10^9) / rateDenominator`,
 * where `remainder` is in [0, rateDenominator) and `nanos` in [0, 10^9), both integers.
 */
export interface Phase {
  whole: number;
  remainder: number;
  nanos: number;
}

/** When a tick was due: `due`, and a part of a nanosecond in [0, 1) beyond it. */
export interface DueAnchor {
  readonly due: Instant;
  dueFraction: number;
}

const NANOS = 1_000_000_000;

/** Ten bits: a 42-bit remainder times it, plus it times a 42-bit factor, is still below 2^53. */
const LIMB = 1024;
const TOP_LIMB = 2 ** 50;

const division: Division = { quotient: 0, remainder: 0 };
const phase: Phase = { whole: 0, remainder: 0, nanos: 0 };
const rest: Division = { quotient: 0, remainder: 0 };

/**
 * Writes floor(a x b / m) and its remainder into `out`, exactly. Takes integers |a| < 2^53 and
 * b, m < 2^42 with b >= 0 and m > 0; the quotient must be a safe integer.
 */
export function mulDivFloor(a: number, b: number, m: number, out: Division): Division {
  let magnitude = Math.abs(a);
  let quotient = 0;
  let remainder = magnitude * b;
  if (remainder <= Number.MAX_SAFE_INTEGER) {
    quotient = Math.floor(remainder / m);
    remainder -= quotient * m;
  } else {
    remainder = 0;
    for (let scale = TOP_LIMB; scale >= 1; scale /= LIMB) {
      const limb = Math.floor(magnitude / scale);
      magnitude -= limb * scale;
      const part = remainder * LIMB + limb * b;
      const digit = Math.floor(part / m);
      quotient = quotient * LIMB + digit;
      remainder = part - digit * m;
    }
  }
  const below = a < 0 && remainder > 0;
  out.quotient = a < 0 ? 0 - quotient - (below ? 1 : 0) : quotient;
  out.remainder = below ? m - remainder : remainder;
  return out;
}

/** Writes `later - earlier` into `out`; `out` may be either of them. */
export function subtractInstants(out: Instant, later: Instant, earlier: Instant): Instant {
  const nanos = later.nanos - earlier.nanos;
  out.seconds = later.seconds - earlier.seconds - (nanos < 0 ? 1 : 0);
  out.nanos = nanos < 0 ? nanos + NANOS : nanos;
  return out;
}

/** Writes the ticks of `elapsed` at a rate into `out`, whole and rest. */
export function phaseOf(
  out: Phase,
  elapsed: Instant,
  rateNumerator: number,
  rateDenominator: number,
): Phase {
  // elapsed x rate = (seconds x n + nanos x n / 10^9) / d, and n, d are at hand as integers.
  mulDivFloor(elapsed.seconds, rateNumerator, rateDenominator, division);
  mulDivFloor(elapsed.nanos, rateNumerator, NANOS, rest);
  const sum = division.remainder + rest.quotient;
  const carry = Math.floor(sum / rateDenominator);
  out.whole = division.quotient + carry;
  out.remainder = sum - carry * rateDenominator;
  out.nanos = rest.remainder;
  return out;
}

/** Returns floor(elapsed x rate): the ticks due after `elapsed`. */
export function dueTicks(elapsed: Instant, rateNumerator: number, rateDenominator: number): number {
  return phaseOf(phase, elapsed, rateNumerator, rateDenominator).whole;
}

/**
 * Writes the instant at which `ticks` ticks after `reference` are due: the whole nanosecond before
 * it into `out.due`, and the part of a nanosecond beyond that, rounded once, into
 * `out.dueFraction`.
 */
export function anchorInstant(
  out: DueAnchor,
  reference: Instant,
  ticks: number,
  rateNumerator: number,
  rateDenominator: number,
): void {
  divideTicks(ticks, rateNumerator, rateDenominator);
  addSpan(out.due, reference);
  out.dueFraction = rest.remainder / rateNumerator;
}

/**
 * Writes the earliest whole-nanosecond reading at which {@link dueTicks} since `reference` reaches
 * `ticks`.
 */
export function dueInstant(
  out: Instant,
  reference: Instant,
  ticks: number,
  rateNumerator: number,
  rateDenominator: number,
): Instant {
  divideTicks(ticks, rateNumerator, rateDenominator);
  if (rest.remainder > 0) rest.quotient++;
  return addSpan(out, reference);
}

/** Leaves the whole seconds that ticks take in `division`, the nanoseconds beyond in `rest`. */
function divideTicks(ticks: number, rateNumerator: number, rateDenominator: number): void {
  mulDivFloor(ticks, rateDenominator, rateNumerator, division);
  mulDivFloor(division.remainder, NANOS, rateNumerator, rest);
}

/**
 * Writes `reference` plus the seconds in `division` plus the nanoseconds, up to 10^9, in `rest`.
 */
function addSpan(out: Instant, reference: Instant): Instant {
  const sum = reference.nanos + rest.quotient;
  const carry = sum >= NANOS ? 1 : 0;
  out.seconds = reference.seconds + division.quotient + carry;
  out.nanos = sum - carry * NANOS;
  return out;
}

/**
 * Returns the wall nanoseconds that the rest of a phase, counted at a rate with denominator
 * `phaseDenominator`, takes at another rate: exact, then rounded once, a half upwards.
 */
export function restNanos(
  { remainder, nanos }: Phase,
  phaseDenominator: number,
  rateNumerator: number,
  rateDenominator: number,
): number {
  // (remainder x 10^9 + nanos) / phaseDenominator = billionths + part / phaseDenominator.
  mulDivFloor(remainder, NANOS, phaseDenominator, division);
  const sum = division.remainder + nanos;
  const carry = Math.floor(sum / phaseDenominator);
  const billionths = division.quotient + carry;
  mulDivFloor(sum - carry * phaseDenominator, rateDenominator, phaseDenominator, rest);
  mulDivFloor(billionths, rateDenominator, rateNumerator, division);
  const over = division.remainder + rest.quotient;
  const floor = Math.floor(over / rateNumerator);
  const twice =
    2 * (over - floor * rateNumerator) + (2 * rest.remainder >= phaseDenominator ? 1 : 0);
  return division.quotient + floor + (twice >= rateNumerator ? 1 : 0);
}

/**
 * Returns alpha in billionths, an integer in [0, 10^9]: where a reading that is `elapsed` after the
 * start reference stands between tick `lastTick` - 1 and `lastTick`. `lastTick` counts completed
 * and dropped ticks; 0 gives 0. The rate is a whole number of ticks a second up to 1,000,000.
 */
export function alphaNanos(elapsed: Instant, lastTick: number, tickRateHz: number): number {
  if (lastTick === 0) return 0;
  const whole = elapsed.seconds * tickRateHz - lastTick;
  // Beyond these two the product below would not be exact, and need not be.
  if (whole >= 1) return NANOS;
  if (whole <= -tickRateHz) return 0;
  return Math.min(NANOS, Math.max(0, whole * NANOS + elapsed.nanos * tickRateHz));
}

/** Returns alpha, given in billionths, as raw Q16.16 in [0, 65536]; a half is rounded upwards. */
export function alphaToFixed(billionths: number): number {
  return Math.floor((billionths * 65_536 + 500_000_000) / NANOS);
}

/**
 * Returns alpha, given in billionths, as binary32. Two roundings, as the reference does: of the
 * numerator, then of the quotient.
 */
export function alphaToFloat(billionths: number): number {
  return Math.fround(Math.fround(billionths) / NANOS);
}

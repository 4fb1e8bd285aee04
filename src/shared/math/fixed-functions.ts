/*
 * Functions of Q16.16 numbers, from IEEE 754 additions, multiplications and divisions alone, so
 * that every engine returns the same raw value. A double carries some 20 bits more than a result
 * needs, and each result is rounded once, ties to even, and saturated. Sine, cosine, exponential
 * and logarithm were compared with a precise reference over every raw value: all are the nearest.
 *
 * Exponential and logarithm keep a second double, the tail, for what the first cannot hold: the
 * error of a power grows with its result, which may have 31 bits. Their series are Taylor's: of
 * e^r to r^14 for |r| <= ln 2 / 2, and of 2 artanh s to s^23 for |s| <= 3 - 2 sqrt 2; the first
 * term left out is below 2^-62.
 *
 * Doubles travel between the steps in `work`, never as arguments or results of a function that an
 * engine does not inline: it would box them.
 */

import { countFixedFault } from './fixed-faults.ts';
import { FIXED_MAX, FIXED_MIN, FIXED_ONE, fromFixed, roundRaw, saturateRaw } from './fixed.ts';
import { evaluateAngle, evaluateSine, trigWork } from './trig.ts';

// Not exported: V8 reads an exported constant anew at each use.
const ONE = FIXED_ONE;
/** 1.5 * 2^52: adding it rounds to a whole number, ties to even; taking it away is exact. */
const ROUNDER = 6_755_399_441_055_744;

const LOG2_E = 1.4426950408889634;
/** ln 2 in a part of 46 bits, so that a count of five bits times it is exact, and the rest. */
const LN2_HIGH = 0.693147180559933;
const LN2_LOW = 1.23466660414777e-14;
const SQRT_2 = 1.4142135623730951;
/** Beyond these the exponential saturates, or is less than half a raw unit. */
const EXP_HIGHEST = 11;
const EXP_LOWEST = -12;
/** These split a significand into 22 and 31 bits, and into 21 and 32 (Veltkamp). */
const SPLIT_31 = 2_147_483_649;
const SPLIT_32 = 4_294_967_297;

/** A double and its tail, on their way in and out of the steps. */
const work: Float64Array = new Float64Array(2);

/** Returns the sine of an angle in radians, rounded to nearest. */
export function sinFixed(angle: number): number {
  trigWork[0] = angle / ONE;
  evaluateSine(0);
  return (trigWork[0] as number) * ONE + ROUNDER - ROUNDER;
}

/** Returns the cosine of an angle in radians, rounded to nearest. */
export function cosFixed(angle: number): number {
  trigWork[0] = angle / ONE;
  evaluateSine(1);
  return (trigWork[0] as number) * ONE + ROUNDER - ROUNDER;
}

/**
 * Returns the angle of the point (x, y) in radians, from raw -205887 to 205887, within 0.5 + 2^-34
 * raw units. That of (0, 0) is 0.
 */
export function atan2Fixed(y: number, x: number): number {
  trigWork[0] = y / ONE;
  trigWork[1] = x / ONE;
  evaluateAngle();
  return (trigWork[0] as number) * ONE + ROUNDER - ROUNDER;
}

/** Returns e to the `raw`, rounded to nearest and saturated: the largest value from 10.4 on. */
export function expFixed(raw: number): number {
  work[0] = fromFixed(raw);
  work[1] = 0;
  return evaluateExp(false);
}

/**
 * Returns the natural logarithm, rounded to nearest. That of 0 is the smallest value; a negative
 * number gives 0 and counts as a fault.
 */
export function logFixed(raw: number): number {
  if (raw === 0) return FIXED_MIN;
  if (raw < 0) {
    countFixedFault('negativeLog');
    return 0;
  }
  evaluateLog(raw);
  work[0] = (work[0] as number) * FIXED_ONE;
  work[1] = (work[1] as number) * FIXED_ONE;
  roundWork();
  // As an integer: where an engine does not inline this, a double would be boxed.
  return (work[0] as number) | 0;
}

/**
 * Returns `base` to the `exponent`, within 0.5 + 2^-22 raw units and saturated; of the few powers
 * that lie exactly halfway, those equal to 1.5^17 may go either way. Anything to the 0 is 1. 0 to a
 * negative power is the largest value. A negative base takes whole exponents, and the sign of the
 * result is that of the exact power; to any other it gives 0 and counts as a fault.
 */
export function powFixed(base: number, exponent: number): number {
  if (exponent === 0) return FIXED_ONE;
  if (base === 0) return exponent > 0 ? 0 : FIXED_MAX;
  if (base < 0 && (exponent & 0xffff) !== 0) {
    countFixedFault('negativePower');
    return 0;
  }
  evaluateLog(base);
  scaleWork(exponent);
  return evaluateExp(base < 0 && (exponent & FIXED_ONE) !== 0);
}

/** Returns e^x of the pair x in `work`, or its negative, in raw units, rounded and saturated. */
function evaluateExp(isNegative: boolean): number {
  const x = work[0] as number;
  if (x < EXP_LOWEST) return 0;
  if (x > EXP_HIGHEST) return isNegative ? FIXED_MIN : FIXED_MAX;
  // x = count * ln 2 + r + tail; r is exact.
  const count = roundRaw(x * LOG2_E);
  const r = x - count * LN2_HIGH;
  const tail = (work[1] as number) - count * LN2_LOW;
  const p =
    1 / 362_880 +
    r *
      (1 / 3_628_800 +
        r *
          (1 / 39_916_800 +
            r * (1 / 479_001_600 + r * (1 / 6_227_020_800 + r * (1 / 87_178_291_200)))));
  const q =
    1 / 6 +
    r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * (1 / 40_320 + r * p)))));
  const bend = r * r * (0.5 + r * q);
  const head = 1 + r;
  // 1 - head + r is what the rounding of `head` lost, exactly.
  const rest = 1 - head + r + (bend + tail * (head + bend));
  const scale = count >= 0 ? FIXED_ONE * (1 << count) : FIXED_ONE / (1 << -count);
  work[0] = head * scale;
  work[1] = rest * scale;
  roundWork();
  const power = work[0] as number;
  return saturateRaw(isNegative ? 0 - power : power);
}

/** Writes the logarithm of the magnitude of `raw`, which is not 0, to `work`. */
function evaluateLog(raw: number): void {
  const magnitude = Math.abs(raw);
  let exponent = 31 - Math.clz32(magnitude);
  let m = magnitude / ((1 << exponent) >>> 0);
  if (m > SQRT_2) {
    m /= 2;
    exponent += 1;
  }
  // ln m = 2 artanh((m - 1) / (m + 1)); m has 31 bits, so that both are exact.
  const above = m - 1;
  const under = m + 1;
  const s = above / under;
  const big = s * SPLIT_32;
  const upper = big - (big - s);
  const lost = (above - upper * under - (s - upper) * under) / under;
  const z = s * s;
  const p = 1 / 13 + z * (1 / 15 + z * (1 / 17 + z * (1 / 19 + z * (1 / 21 + z * (1 / 23)))));
  const q = 1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * (1 / 11 + z * p))));
  const count = exponent - 16;
  const base = count * LN2_HIGH;
  const rough = base + 2 * s;
  // base is 0 or the larger, so that this is what the rounding of `rough` lost, exactly.
  const roughLost = base - rough + 2 * s;
  const rest = roughLost + (count * LN2_LOW + 2 * (lost + s * z * q));
  const head = rough + rest;
  work[0] = head;
  work[1] = rough - head + rest;
}

/** Multiplies the pair in `work` by the number that `raw` stands for. */
function scaleWork(raw: number): void {
  const head = work[0] as number;
  const factor = fromFixed(raw);
  const big = head * SPLIT_31;
  const upper = big - (big - head);
  // Exact: 22 bits by 31.
  const product = upper * factor;
  const rest = (head - upper) * factor + (work[1] as number) * factor;
  const sum = product + rest;
  work[0] = sum;
  work[1] = product - sum + rest;
}

/** Replaces work[0] by the whole number nearest to the pair, ties to even. */
function roundWork(): void {
  const head = work[0] as number;
  // Even, so that a tie of the rest goes where that of the whole would.
  const even = 2 * Math.floor(head / 2);
  work[0] = even + roundRaw(head - even + (work[1] as number));
}

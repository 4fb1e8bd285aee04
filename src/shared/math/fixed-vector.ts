/*
 * Lengths and directions of Q16.16 vectors. Squares have up to 64 bits, more than a double holds:
 * the double decides unless it comes close to a tie, and there whole numbers decide exactly. No
 * tie itself can occur: neither the root of a whole number nor a component of a unit vector lies
 * halfway between two raw values.
 */

import { FIXED_MAX, FIXED_ONE, lerpFixed } from './fixed.ts';

/** How close to a tie the exact comparison takes over. The doubles err by less than 2^-18. */
const NEAR_TIE = 0.00390625;

/** Digits, in base 65536 and least significant first, of the sum of squares: below 2^34 each. */
const sum: Float64Array = new Float64Array(3);
/** The rounded length of the vector at hand: as an argument an engine might box it. */
const lengths: Float64Array = new Float64Array(1);

/** Returns the length of (x, y): exact inside, rounded to nearest, saturated. */
export function length2Fixed(x: number, y: number): number {
  return length3Fixed(x, y, 0);
}

/** Returns the length of (x, y, z): exact inside, rounded to nearest, saturated. */
export function length3Fixed(x: number, y: number, z: number): number {
  const length = Math.sqrt(x * x + y * y + z * z);
  if (length >= FIXED_MAX) return FIXED_MAX;
  const below = Math.floor(length);
  const fromTie = length - below - 0.5;
  if (fromTie < -NEAR_TIE) return below;
  if (fromTie > NEAR_TIE) return below + 1;
  return isLongerThanTie(x, y, z, below) ? below + 1 : below;
}

/**
 * Writes (x, y) divided by its length to `out`, from `offset` on: each component is the exact
 * quotient rounded to nearest, whatever the vector's size. Returns false, and writes zeros, where
 * the vector has no direction.
 */
export function normalise2Fixed(x: number, y: number, out: Int32Array, offset = 0): boolean {
  lengths[0] = Math.sqrt(x * x + y * y);
  out[offset] = unitComponent(x, x, y, 0);
  out[offset + 1] = unitComponent(y, x, y, 0);
  return x !== 0 || y !== 0;
}

/**
 * Writes (x, y, z) divided by its length to `out`, from `offset` on: each component is the exact
 * quotient rounded to nearest, whatever the vector's size. Returns false, and writes zeros, where
 * the vector has no direction.
 */
export function normalise3Fixed(
  x: number,
  y: number,
  z: number,
  out: Int32Array,
  offset = 0,
): boolean {
  lengths[0] = Math.sqrt(x * x + y * y + z * z);
  out[offset] = unitComponent(x, x, y, z);
  out[offset + 1] = unitComponent(y, x, y, z);
  out[offset + 2] = unitComponent(z, x, y, z);
  return x !== 0 || y !== 0 || z !== 0;
}

/**
 * Writes the lerp of `a` and `b`, component by component, to `out`, as many as that has. `a` and
 * `b` have at least as many; either may be `out`. See {@link lerpFixed} for `t`.
 */
export function lerpFixedInto(a: Int32Array, b: Int32Array, t: number, out: Int32Array): void {
  for (let index = 0; index < out.length; index++) {
    out[index] = lerpFixed(a[index] as number, b[index] as number, t);
  }
}

/** Rounds a component of (x, y, z) divided by the length. */
function unitComponent(part: number, x: number, y: number, z: number): number {
  if (part === 0) return 0;
  const quotient = (part * FIXED_ONE) / (lengths[0] as number);
  const below = Math.floor(quotient);
  const fromTie = quotient - below - 0.5;
  if (fromTie < -NEAR_TIE) return below;
  if (fromTie > NEAR_TIE) return below + 1;
  return isBeyondTie(part, below, x, y, z) ? below + 1 : below;
}

/** Says whether the sum of squares exceeds (below + 1/2)^2. */
function isLongerThanTie(x: number, y: number, z: number, below: number): boolean {
  sumSquares(x, y, z);
  const high = below >> 16;
  const low = below & 0xffff;
  // The leading digits cancel, so that every step is a whole number below 2^53.
  let difference = (sum[2] as number) - high * high;
  difference = difference * FIXED_ONE + (sum[1] as number) - 2 * high * low;
  difference = difference * FIXED_ONE + (sum[0] as number) - low * low;
  return difference > below;
}

/**
 * Says whether part / length, in raw units, exceeds below + 1/2. The squares of both sides times
 * the sum of squares are compared, digit by digit in base 65536.
 */
function isBeyondTie(part: number, below: number, x: number, y: number, z: number): boolean {
  sumSquares(x, y, z);
  const sum2 = sum[2] as number;
  const sum1 = sum[1] as number;
  const sum0 = sum[0] as number;
  const partHigh = part >> 16;
  const partLow = part & 0xffff;
  // Below 2^34: the tie is below 1.
  const square = (2 * below + 1) * (2 * below + 1);
  const squareHigh = Math.floor(square / FIXED_ONE);
  const squareLow = square - squareHigh * FIXED_ONE;
  // Of 4 * part^2 * 65536^2 - square * sum. Beyond 2^36 the digits to come cannot turn its sign;
  // below, the next step is exact.
  let difference = 4 * partHigh * partHigh;
  difference = difference * FIXED_ONE + 8 * partHigh * partLow - squareHigh * sum2;
  difference =
    difference * FIXED_ONE + 4 * partLow * partLow - squareHigh * sum1 - squareLow * sum2;
  difference = difference * FIXED_ONE - squareHigh * sum0 - squareLow * sum1;
  difference = difference * FIXED_ONE - squareLow * sum0;
  return difference > 0 === part > 0;
}

/** Writes x^2 + y^2 + z^2 to `sum`, its digits not carried. */
function sumSquares(x: number, y: number, z: number): void {
  const xHigh = x >> 16;
  const yHigh = y >> 16;
  const zHigh = z >> 16;
  const xLow = x & 0xffff;
  const yLow = y & 0xffff;
  const zLow = z & 0xffff;
  sum[2] = xHigh * xHigh + yHigh * yHigh + zHigh * zHigh;
  sum[1] = 2 * (xHigh * xLow + yHigh * yLow + zHigh * zLow);
  sum[0] = xLow * xLow + yLow * yLow + zLow * zLow;
}

/*
 * Cube root and hypotenuse from IEEE 754 additions, multiplications, divisions and square roots
 * alone, each rounded once, so that every engine returns the same bits. `Math.cbrt` and
 * `Math.hypot` may differ between engines and between versions of one engine.
 *
 * Both take a root that is nearly right, find by how much its power misses what is under the root,
 * in exact products of half a double each, and add what that is worth. So only the last sum is
 * rounded, and what a double holds exactly is exact. Against a high-precision reference the error
 * stays below 0.501 ulp of f64, subnormal results included.
 *
 * No step may be reordered or fused: golden hashes pin the bits. Doubles travel in `work`, as
 * exp.ts says.
 */

import { pow } from './exp.ts';

// The cube root on [1, 2] is R0 + R1 x + R2 x^2 + R3 x^3, within 0.0001.
const R0 = 0.555791;
const R1 = 0.580826;
const R2 = -0.158662;
const R3 = 0.0221487;

const TWO_54 = 18_014_398_509_481_984;
const TWO_MINUS_20 = 9.5367431640625e-7;
const TWO_MINUS_32 = 2.3283064365386963e-10;
const NORMAL_MIN = 2.2250738585072014e-308;
/** 341 * 3 is the bias of an exponent. */
const BIAS_THIRD = 341;
/** Cube roots have exponents from here to BIAS_THIRD. */
const ROOT_EXPONENT_MIN = -358;

// Powers of two are written out: `**` is only as exact as the engine makes it. Legs beyond the
// first two are scaled before their squares, or what the roundings of those lose, overflow or
// vanish.
const TWO_500 = 3.273390607896142e150;
const TWO_MINUS_400 = 3.8725919148493183e-121;
const TWO_700 = 5.260135901548374e210;
const TWO_MINUS_700 = 1.90109156629516e-211;
/** 2^-322. Its last place is 2^-374, which is that of the subnormals times 2^700. */
const SUBNORMAL_ANCHOR = 1.1704190886730496e-97;
/** 2^27 + 1: splits a 53-bit significand into two of 26 bits (Veltkamp). */
const SPLIT = 134_217_729;

/** Doubles on their way in and out of the steps; each says which. */
const work: Float64Array = new Float64Array(2);
/** 2^ROOT_EXPONENT_MIN to 2^BIAS_THIRD. */
const powersOfTwo: Float64Array = Float64Array.from(
  { length: BIAS_THIRD - ROOT_EXPONENT_MIN + 1 },
  (_, at) => pow(2, at + ROOT_EXPONENT_MIN),
);
/** The cube roots of 1, 2 and 4, nearly. */
const startFactors: Float64Array = Float64Array.of(1, 1.259921, 1.587401);
/** One double and the two words of it, which are only read. */
const double: Float64Array = Float64Array.of(1);
const words: Uint32Array = new Uint32Array(double.buffer);
/** Where the word with the exponent lies: 1 where the low byte comes first. */
const HIGH: number = words[0] === 0 ? 1 : 0;
const LOW: number = 1 - HIGH;

/**
 * Returns the cube root of `x`, within 0.501 ulp, the same bits on every engine. `cbrt(-x)` is
 * `-cbrt(x)`; a cube that a double holds gives its root exactly. Zeros, infinities and NaN are
 * their own roots.
 */
export function cbrt(x: number): number {
  work[0] = x;
  evaluateCubeRoot();
  return work[0] as number;
}

/**
 * Returns the length of (x, y), the root of `x * x + y * y`, within 0.501 ulp, the same bits on
 * every engine. It overflows or vanishes only where the length itself does. An infinite part gives
 * Infinity, even beside NaN; NaN gives NaN otherwise.
 */
export function hypot(x: number, y: number): number {
  work[0] = x;
  work[1] = y;
  evaluateLength();
  return work[0] as number;
}

/** Replaces x in work[0] by its cube root. */
function evaluateCubeRoot(): void {
  const x = work[0] as number;
  const size = Math.abs(x);
  if (!(size > 0 && size < Infinity)) return;
  // |x| = 2^(3 k) 2^left significand, left of 0 to 2; 54 is a multiple of three.
  const subnormal = size < NORMAL_MIN;
  double[0] = subnormal ? size * TWO_54 : size;
  const word = words[HIGH] as number;
  const fraction = (word & 0xfffff) + (words[LOW] as number) * TWO_MINUS_32;
  const significand = 1 + fraction * TWO_MINUS_20;
  const biased = word >>> 20;
  const third = Math.floor(biased / 3);
  const left = biased - third * 3;
  const k = third - (subnormal ? BIAS_THIRD + 18 : BIAS_THIRD);
  const m = significand * (1 << left);
  // One of Halley's steps takes the start to more than 24 bits, of which 24 stay.
  const start =
    (R0 + significand * (R1 + significand * (R2 + significand * R3))) *
    (startFactors[left] as number);
  const startCube = start * start * start;
  const root = Math.fround((start * (startCube + 2 * m)) / (2 * startCube + m));
  // m - root^3, exactly: both subtractions cancel more bits than the products have too many.
  const square = root * root;
  const squareHigh = Math.fround(square);
  const missing = m - squareHigh * root - (square - squareHigh) * root;
  // Halley's step again. The root of m lies in [1, 2]: the scaling is exact.
  const value = root + (missing * root) / (2 * square * root + m);
  const scaled = value * (powersOfTwo[k - ROOT_EXPONENT_MIN] as number);
  work[0] = x < 0 ? -scaled : scaled;
}

/** Replaces x and y in work[0] and work[1] by the length of (x, y), in work[0]. */
function evaluateLength(): void {
  const x = Math.abs(work[0] as number);
  const y = Math.abs(work[1] as number);
  if (!(x < Infinity && y < Infinity)) {
    work[0] = x === Infinity || y === Infinity ? Infinity : NaN;
    return;
  }
  let long = x > y ? x : y;
  let short = x > y ? y : x;
  if (short === 0) {
    work[0] = long;
    return;
  }
  let unscale = 1;
  if (long > TWO_500) {
    long *= TWO_MINUS_700;
    short *= TWO_MINUS_700;
    unscale = TWO_700;
  } else if (long < TWO_MINUS_400) {
    long *= TWO_700;
    short *= TWO_700;
    unscale = TWO_MINUS_700;
  }
  const longSquare = long * long;
  const shortSquare = short * short;
  const root = Math.sqrt(longSquare + shortSquare);
  const rootSquare = root * root;
  // What the roundings of the squares lost: the products of the parts are exact.
  const longBig = long * SPLIT;
  const longHigh = longBig - (longBig - long);
  const longLow = long - longHigh;
  const longLost = longHigh * longHigh - longSquare + 2 * longHigh * longLow + longLow * longLow;
  const shortBig = short * SPLIT;
  const shortHigh = shortBig - (shortBig - short);
  const shortLow = short - shortHigh;
  const shortLost =
    shortHigh * shortHigh - shortSquare + 2 * shortHigh * shortLow + shortLow * shortLow;
  const rootBig = root * SPLIT;
  const rootHigh = rootBig - (rootBig - root);
  const rootLow = root - rootHigh;
  const rootLost = rootHigh * rootHigh - rootSquare + 2 * rootHigh * rootLow + rootLow * rootLow;
  // root^2 - long^2 - short^2, the great parts first: they cancel exactly.
  const over = rootSquare - longSquare - shortSquare + (rootLost - longLost - shortLost);
  const rest = over / (2 * root);
  if (unscale === TWO_MINUS_700 && root < SUBNORMAL_ANCHOR) {
    // Beside the anchor a double has the places that a subnormal result has: one rounding, not two.
    const sum = SUBNORMAL_ANCHOR + root;
    const lost = SUBNORMAL_ANCHOR - sum + root - rest;
    work[0] = (sum + lost - SUBNORMAL_ANCHOR) * TWO_MINUS_700;
  } else {
    work[0] = (root - rest) * unscale;
  }
}

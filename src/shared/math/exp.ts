/*
 * Exponential, natural logarithm and power from IEEE 754 additions, multiplications, divisions and
 * square roots alone, each rounded once, so that every engine returns the same bits. `Math.exp`,
 * `Math.log`, `Math.pow` and `**` may differ between engines and between versions of one engine.
 *
 * The polynomials are the minimax coefficients of Sun's fdlibm (e_pow.c), and so is the way to a
 * logarithm of more than double precision. The rest is this file's own: one logarithm and one
 * exponential serve all three functions, both work on a head and a tail, and where sums end, what
 * a rounding lost is added again. A double is split by rounding it to 24 bits: the product of two
 * upper parts is exact. Against a high-precision reference the error stays below 0.51 ulp of f64
 * for logarithms and below 0.7 ulp for the others, subnormal results included.
 *
 * No step may be reordered or fused: golden hashes pin the bits. Doubles travel between the steps
 * in `work`, never as arguments or results: an engine boxes those of a call that it does not
 * inline. Only `exp`, `log` and `pow` pass doubles. They are small and what they call is too
 * large to be inlined (V8: 460 bytes of bytecode), so that it cannot use up a caller's budget.
 */

// ln(2) in a part of 32 bits, so that a count below 2^20 times it is exact, and the rest.
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const LN2_INVERSE = 1.4426950408889634;
// ln(3/2) in a part of 32 bits, so that its sum with those is exact, and the rest.
const LN_THREE_HALVES_HIGH = 0.4054651079932228;
const LN_THREE_HALVES_LOW = 1.1494160890290935e-10;
const TWO_THIRDS = 0.6666666666666666;
const TWO_THIRDS_HIGH = 0.6666666865348816;
const TWO_THIRDS_LOW = -1.9868214925130207e-8;
const ROOT_THREE_HALVES = 1.224744871391589;
const ROOT_THREE = 1.7320508075688772;

// Bases of logarithms, each as the place of its first factor in `baseFactors`.
const BASE_E = 0;
/** Selects the base 2 in `evaluateLogarithm`. */
export const BASE_2 = 3;
/** Selects the base 10 in `evaluateLogarithm`. */
export const BASE_10 = 6;
/** 1 / ln(base) in 24 bits, that in 53 bits, and what the first is short of it. */
const baseFactors: Float64Array = new Float64Array(
  [
    [1, 1, 0],
    [1.4426950216293335, 1.4426950408889634, 1.9259629911266175e-8],
    [0.4342944920063019, 0.4342944819032518, -1.0103050052231683e-8],
  ].flat(),
);
/** 5/4 of 2^-53: a whole number less this part of itself rounds to the next double below it. */
const STEP_BELOW = 1.3877787807814457e-16;

// 3/2 ln((1 + s) / (1 - s)) = 3 s + s^3 + s^5 (L1 + L2 s^2 + ... + L6 s^10) for |s| < 0.102.
const L1 = 0.5999999999999946;
const L2 = 0.4285714285785502;
const L3 = 0.33333332981837743;
const L4 = 0.272728123808534;
const L5 = 0.23066074577556175;
const L6 = 0.20697501780033842;
// r (e^r + 1) / (e^r - 1) = 2 + P1 r^2 + P2 r^4 + ... + P5 r^10 for |r| <= ln(2) / 2.
const P1 = 0.16666666666666602;
const P2 = -0.0027777777777015593;
const P3 = 6.613756321437934e-5;
const P4 = -1.6533902205465252e-6;
const P5 = 4.1381367970572385e-8;

/** Above this every exponential overflows, and it is so little above that 2^k has k <= 1024. */
const EXPONENT_MAX = 710;
/** Below this every exponential is zero. */
const EXPONENT_MIN = -746;
/** From this on a power of anything but +-1 overflows or vanishes. */
const POWER_MAX = 18_446_744_073_709_551_616;

// Powers of two are written out: `**` is only as exact as the engine makes it.
const TWO_54 = 18_014_398_509_481_984;
const TWO_MINUS_20 = 9.5367431640625e-7;
const TWO_MINUS_32 = 2.3283064365386963e-10;
/** 2^MIN_EXPONENT: below it lie the subnormals. */
const NORMAL_MIN = 2.2250738585072014e-308;
const MIN_EXPONENT = -1022;
/** Halves of the exponents that a result is scaled by. */
const HALF_MIN = -511;
const HALF_MAX = 512;

/** Holds doubles on their way in and out of the steps; each says which. */
export const work: Float64Array = new Float64Array(2);
/** 2^HALF_MIN to 2^HALF_MAX. A double written as two words and read as one stalls a processor. */
const powersOfTwo: Float64Array = listPowersOfTwo();
/** One double and the two words of it, which are only read. */
const double: Float64Array = Float64Array.of(1);
const words: Uint32Array = new Uint32Array(double.buffer);
/** Where the word with the exponent lies: 1 where the low byte comes first. */
const HIGH: number = words[0] === 0 ? 1 : 0;
const LOW: number = 1 - HIGH;

/**
 * Returns e to the power of `x`, within 0.7 ulp, the same bits on every engine. `exp(-Infinity)`
 * is 0; NaN gives NaN.
 */
export function exp(x: number): number {
  work[0] = x;
  work[1] = 0;
  evaluateExponential();
  return work[0] as number;
}

/**
 * Returns the natural logarithm of `x`, within 0.51 ulp, the same bits on every engine. Both zeros
 * give -Infinity; what is below zero, and NaN, gives NaN.
 */
export function log(x: number): number {
  work[0] = x;
  evaluateLogarithm(BASE_E);
  return (work[0] as number) + (work[1] as number);
}

/**
 * Returns `x` to the power of `y`, within 0.7 ulp, the same bits on every engine; squares, square
 * roots and whatever a double holds exactly are correctly rounded. Zeros, infinities and NaN give
 * what ECMAScript's `Math.pow` gives: `pow(x, 0)` is 1 for every `x`, `pow(1, Infinity)` is NaN.
 * What is below zero has powers of whole `y` only; others are NaN.
 */
export function pow(x: number, y: number): number {
  work[0] = x;
  work[1] = y;
  evaluatePower();
  return work[0] as number;
}

/** Replaces the sum p of work[0] and work[1] by e^p, in work[0]. work[1] is far the smaller. */
function evaluateExponential(): void {
  const high = work[0] as number;
  const low = work[1] as number;
  if (!(high >= EXPONENT_MIN && high <= EXPONENT_MAX)) {
    work[0] = high < 0 ? 0 : high > 0 ? Infinity : NaN;
    return;
  }
  // p = k ln(2) + head + tail, |head| at most a hair above ln(2) / 2. `upper` is exact.
  const k = Math.floor((high + low) * LN2_INVERSE + 0.5);
  const upper = high - k * LN2_HIGH;
  const lower = low - k * LN2_LOW;
  const head = upper + lower;
  const tail = upper - head + lower;
  const z = head * head;
  const c = head - z * (P1 + z * (P2 + z * (P3 + z * (P4 + z * P5))));
  const bend = (head * c) / (2 - c);
  const rough = 1 + head;
  // 1 - rough + head is what the rounding of `rough` lost, exactly.
  const rest = 1 - rough + head + (bend + (tail + head * tail));
  const value = rough + rest;
  if (k < MIN_EXPONENT + 1) {
    // Beside a 1 a double has the places that a subnormal result has: only that sum is rounded.
    const scale = powersOfTwo[k - MIN_EXPONENT - HALF_MIN] as number;
    const scaled = value * scale;
    const sum = 1 + scaled;
    const lost = 1 - sum + scaled + (rough - value + rest) * scale;
    work[0] = (scaled < 1 ? sum + lost - 1 : scaled) * NORMAL_MIN;
  } else {
    // 2^1024 is no double: two factors, the first of which leaves the value exact.
    const half = k >> 1;
    const scaled = value * (powersOfTwo[half - HALF_MIN] as number);
    work[0] = scaled * (powersOfTwo[k - half - HALF_MIN] as number);
  }
}

/**
 * Replaces x in work[0] by most of its logarithm to a base, one of the `BASE_` places, and work[1]
 * by the rest, to about 2^-66 of the whole. To the base e work[0] has 24 bits; to the base 2 the
 * sum stays below every whole number that the logarithm is below. What has no logarithm becomes
 * NaN.
 */
export function evaluateLogarithm(base: number): void {
  const x = work[0] as number;
  if (!(x > 0 && x < Infinity)) {
    work[0] = x === 0 ? -Infinity : x > 0 ? x : NaN;
    work[1] = 0;
    return;
  }
  // x = 2^n m. Then m is brought near 1 or 3/2.
  const subnormal = x < NORMAL_MIN;
  double[0] = subnormal ? x * TWO_54 : x;
  const word = words[HIGH] as number;
  const fraction = (word & 0xfffff) + (words[LOW] as number) * TWO_MINUS_32;
  let m = 1 + fraction * TWO_MINUS_20;
  let n = (word >>> 20) - (subnormal ? 1023 + 54 : 1023);
  let centre = 1;
  let centreHigh = 0;
  let centreLow = 0;
  if (m >= ROOT_THREE) {
    m *= 0.5;
    n += 1;
  } else if (m >= ROOT_THREE_HALVES) {
    centre = 1.5;
    centreHigh = LN_THREE_HALVES_HIGH;
    centreLow = LN_THREE_HALVES_LOW;
  }
  // s = (m - centre) / (m + centre) as sHigh + sLow.
  const over = m - centre;
  const inverse = 1 / (m + centre);
  const s = over * inverse;
  const sHigh = Math.fround(s);
  const underHigh = Math.fround(m + centre);
  const underLow = m - (underHigh - centre);
  const sLow = inverse * (over - sHigh * underHigh - sHigh * underLow);
  // 3 + s^2 + rest as factorHigh + factorLow. The square is not that of `s`, whose three roundings
  // the fourth power would make twelve.
  const square = sHigh * sHigh;
  const cross = sLow * (sHigh + s);
  const z = square + cross;
  const series = z * z * (L1 + z * (L2 + z * (L3 + z * (L4 + z * (L5 + z * L6)))));
  const rest = series + cross;
  const factorHigh = Math.fround(3 + square + rest);
  const factorLow = rest - (factorHigh - 3 - square);
  // Its product with s, and two thirds of that.
  const product = sHigh * factorHigh;
  const productRest = sLow * factorHigh + factorLow * s;
  const productHigh = Math.fround(product + productRest);
  const productLow = productRest - (productHigh - product);
  const logHigh = TWO_THIRDS_HIGH * productHigh;
  const logLow = TWO_THIRDS_LOW * productHigh + productLow * TWO_THIRDS;
  const whole = n * LN2_HIGH + centreHigh;
  const high = Math.fround(whole + logHigh);
  const low = whole - high + logHigh + (logLow + (n * LN2_LOW + centreLow));
  work[0] = high * (baseFactors[base] as number);
  work[1] = low * (baseFactors[base + 1] as number) + high * (baseFactors[base + 2] as number);
  if (base === BASE_2) stayBelow((word >>> 20) - (subnormal ? 1022 + 54 : 1022));
}

/** Lowers a sum in work[0] and work[1] that would round to a whole number, or more, below it. */
function stayBelow(limit: number): void {
  if ((work[0] as number) + (work[1] as number) < limit) return;
  work[0] = limit;
  work[1] = -Math.abs(limit) * STEP_BELOW;
}

/** Replaces x and y in work[0] and work[1] by x^y, in work[0]. */
function evaluatePower(): void {
  const x = work[0] as number;
  const y = work[1] as number;
  const size = Math.abs(x);
  const steepness = Math.abs(y);
  // The infinities count as whole and even, and so does every double from 2^53 on.
  const whole = Math.floor(y) === y;
  if (y === 0) {
    work[0] = 1;
    return;
  }
  if (y === 2) {
    work[0] = x * x;
    return;
  }
  if (y === 0.5 && x > 0) {
    work[0] = Math.sqrt(x);
    return;
  }
  const isRoot = x < 0 && x > -Infinity && !whole;
  if (x !== x || y !== y || isRoot || (size === 1 && steepness === Infinity)) {
    work[0] = NaN;
    return;
  }
  if (size === 0 || size === 1 || size === Infinity || steepness >= POWER_MAX) {
    work[0] = size === 1 ? 1 : y > 0 === size > 1 ? Infinity : 0;
  } else {
    work[0] = size;
    evaluateLogarithm(BASE_E);
    const logHigh = work[0] as number;
    const logLow = work[1] as number;
    const yHigh = Math.fround(y);
    work[0] = yHigh * logHigh;
    work[1] = (y - yHigh) * logHigh + y * logLow;
    evaluateExponential();
  }
  const odd = whole && Math.floor(y * 0.5) !== y * 0.5;
  if (odd && (x < 0 || (x === 0 && 1 / x < 0))) work[0] = -(work[0] as number);
}

function listPowersOfTwo(): Float64Array {
  const powers = new Float64Array(HALF_MAX - HALF_MIN + 1);
  powers[-HALF_MIN] = 1;
  for (let at = -HALF_MIN; at < HALF_MAX - HALF_MIN; at++) {
    powers[at + 1] = (powers[at] as number) * 2;
  }
  for (let at = -HALF_MIN; at > 0; at--) powers[at - 1] = (powers[at] as number) * 0.5;
  return powers;
}

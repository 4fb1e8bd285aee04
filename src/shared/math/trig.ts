/*
 * Sine, cosine and arc tangent from IEEE 754 additions, multiplications and divisions alone, each
 * rounded once, so that every engine returns the same bits. `Math.sin` and its kin may differ
 * between engines and between versions of one engine.
 *
 * The polynomials are the minimax coefficients of Sun's fdlibm (k_sin.c, k_cos.c, s_atan.c). The
 * reductions are this file's own: three-part Cody-Waite in double-double below 2^20 quarter turns,
 * Payne-Hanek in 24-bit digits above, and an arc tangent of a double-double quotient. Against a
 * high-precision reference the error stays below 0.8 ulp of f64, huge arguments included.
 *
 * No step may be reordered or fused: golden hashes pin the bits. Doubles travel between the steps
 * in `work`, never as arguments or results: an engine boxes those of a call that it does not
 * inline. Only the three exported functions pass doubles. They are small and what they call is too
 * large to be inlined (V8: 460 bytes of bytecode), so that it cannot use up a caller's budget.
 */

const TWO_OVER_PI = 0.6366197723675814;
const PI_QUARTER = 0.7853981633974483;
const PI_QUARTER_LOW = 3.061616997868383e-17;
const ATAN_HALF_HIGH = 0.4636476090008061;
const ATAN_HALF_LOW = 2.2698777452961687e-17;
const PI_HALF_HIGH = 1.5707963267948966;
const PI_HALF_LOW = 6.123233995736766e-17;
/** PI_HALF_HIGH in two parts of 26 bits. */
const PI_HALF_HIGH_UPPER = 1.5707963407039642;
const PI_HALF_HIGH_LOWER = -1.3909067675399456e-8;

/** Pi / 2 in parts of 33 bits, so that a count below 2^20 times a part is exact, and a tail. */
const PI_HALF_A = 1.5707963267341256;
const PI_HALF_B = 6.077100506303966e-11;
const PI_HALF_C = 2.0222662487111665e-21;
const PI_HALF_TAIL = 8.4784276603689e-32;

// sin(x) = x + S1 x^3 + S2 x^5 + ... + S6 x^13 for |x| <= pi / 4.
const S1 = -0.16666666666666632;
const S2 = 0.00833333333332249;
const S3 = -0.0001984126982985795;
const S4 = 2.7557313707070068e-6;
const S5 = -2.5050760253406863e-8;
const S6 = 1.58969099521155e-10;
// cos(x) = 1 - x^2 / 2 + C1 x^4 + C2 x^6 + ... + C6 x^14 for |x| <= pi / 4.
const C1 = 0.0416666666666666;
const C2 = -0.001388888888887411;
const C3 = 2.480158728947673e-5;
const C4 = -2.7557314351390663e-7;
const C5 = 2.087572321298175e-9;
const C6 = -1.1359647557788195e-11;
// atan(t) = t - t (A1 t^2 + A2 t^4 + ... + A11 t^22) for |t| <= 7/16.
const A1 = 0.3333333333333293;
const A2 = -0.19999999999876483;
const A3 = 0.14285714272503466;
const A4 = -0.11111110405462356;
const A5 = 0.09090887133436507;
const A6 = -0.0769187620504483;
const A7 = 0.06661073137387531;
const A8 = -0.058335701337905735;
const A9 = 0.049768779946159324;
const A10 = -0.036531572744216916;
const A11 = 0.016285820115365782;

/** Below this the count of quarter turns stays under 2^20. */
const MEDIUM_MAX = 1_647_099;
/** 2^27 + 1: splits a 53-bit significand into two of 26 bits (Veltkamp). */
const SPLIT = 134_217_729;

// Powers of two are written out: `**` is only as exact as the engine makes it.
const TWO_24 = 16_777_216;
const TWO_MINUS_24 = 5.960464477539063e-8;
const TWO_52 = 4_503_599_627_370_496;
const TWO_76 = 7.555786372591432e22;
const TWO_500 = 3.273390607896142e150;
const TWO_550 = 3.6855101804897865e165;
const TWO_MINUS_400 = 3.8725919148493183e-121;
const TWO_MINUS_550 = 2.7133285516175262e-166;
/** 2^-27: below this the sine is its argument, to the last bit. */
const SINE_TINY = 7.450580596923828e-9;
/** 2^-54: below this an arc tangent is its argument, to the last bit. */
const QUOTIENT_TINY = 5.551115123125783e-17;

/** Fraction digits of 24 bits that the large reduction keeps: 168 bits, of which 62 may cancel. */
const LIMBS = 7;
/** The weight of the last of them, 2^-168. */
const LAST_LIMB = 2.6727647100921956e-51;
/**
 * 2 / pi in 24-bit digits, most significant first, behind three zeros for the places before the
 * point. 50 digits reach beyond the largest double.
 */
const TWO_OVER_PI_DIGITS: Int32Array = new Int32Array([
  0, 0, 0, 0xa2f983, 0x6e4e44, 0x1529fc, 0x2757d1, 0xf534dd, 0xc0db62, 0x95993c, 0x439041, 0xfe5163,
  0xabdebb, 0xc561b7, 0x246e3a, 0x424dd2, 0xe00649, 0x2eea09, 0xd1921c, 0xfe1deb, 0x1cb129,
  0xa73ee8, 0x8235f5, 0x2ebb44, 0x84e99c, 0x7026b4, 0x5f7e41, 0x3991d6, 0x398353, 0x39f49c,
  0x845f8b, 0xbdf928, 0x3b1ff8, 0x97ffde, 0x05980f, 0xef2f11, 0x8b5a0a, 0x6d1f6d, 0x367ecf,
  0x27cb09, 0xb74f46, 0x3f669e, 0x5fea2d, 0x7527ba, 0xc7ebe5, 0xf17b3d, 0x0739f7, 0x8a5292,
  0xea6bfb, 0x5fb11f, 0x8d5d08, 0x560330, 0x46fc7b,
]);

/** What `foldPoint` returns: the number of quarter turns, and two bits. */
const FOLD_QUARTERS = 3;
const FOLD_BACK = 4;
const FOLD_BELOW = 8;

/** Doubles on their way in and out of the steps; each says which. */
const work: Float64Array = new Float64Array(2);
/** `work`, for callers that must not box a double even where nothing is inlined. */
export const trigWork: Float64Array = work;
/** Digits of a product: the integer part, then the fraction from the top. */
const limbs: Int32Array = new Int32Array(LIMBS + 1);
/** Digits of a significand, least significant first. */
const digits: Int32Array = new Int32Array(4);

/**
 * Returns the sine of `x` radians, within 0.8 ulp, the same bits on every engine. `sin(-0)` is -0;
 * NaN and the infinities give NaN.
 */
export function sin(x: number): number {
  work[0] = x;
  evaluateSine(0);
  return work[0] as number;
}

/**
 * Returns the cosine of `x` radians, within 0.8 ulp, the same bits on every engine. NaN and the
 * infinities give NaN.
 */
export function cos(x: number): number {
  work[0] = x;
  evaluateSine(1);
  return work[0] as number;
}

/**
 * Returns the angle of the point (x, y) in [-pi, pi] radians, within 0.8 ulp, the same bits on
 * every engine. Zeros and infinities give what ECMAScript's `Math.atan2` gives: `atan2(0, 0)` is
 * 0, `atan2(-0, -1)` is -pi. NaN gives NaN.
 */
export function atan2(y: number, x: number): number {
  work[0] = y;
  work[1] = x;
  evaluateAngle();
  return work[0] as number;
}

/**
 * Replaces the angle in work[0] by the sine of it plus `turn` quarter turns. The angle is reduced
 * to head + tail in [-pi / 4, pi / 4], `tail` being what a double cannot hold of it.
 */
export function evaluateSine(turn: number): void {
  const x = work[0] as number;
  let quadrant = turn;
  let head = x;
  let tail = 0;
  if (x <= PI_QUARTER && x >= -PI_QUARTER) {
    if (turn === 0 && x < SINE_TINY && x > -SINE_TINY) return;
  } else if (x < MEDIUM_MAX && x > -MEDIUM_MAX) {
    const count = Math.floor(x * TWO_OVER_PI + 0.5);
    // Exact: the product has 53 bits and the difference cancels its leading ones.
    const a = x - count * PI_HALF_A;
    // Two subtractions, each with what its rounding lost (Knuth's two-sum).
    const b = count * PI_HALF_B;
    const ab = a - b;
    const abBack = ab - a;
    const abLost = a - (ab - abBack) - (b + abBack);
    const c = count * PI_HALF_C;
    const abc = ab - c;
    const abcBack = abc - ab;
    const abcLost = ab - (abc - abcBack) - (c + abcBack);
    const rest = abLost + (abcLost - count * PI_HALF_TAIL);
    head = abc + rest;
    tail = abc - head + rest;
    quadrant += count & 3;
  } else {
    quadrant += reduceLarge();
    head = work[0] as number;
    tail = work[1] as number;
  }
  const z = head * head;
  let value: number;
  if ((quadrant & 1) === 0) {
    const cube = z * head;
    const p = S2 + z * (S3 + z * (S4 + z * (S5 + z * S6)));
    value = head - (z * (0.5 * tail - cube * p) - tail - cube * S1);
  } else {
    const p = z * (C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * C6)))));
    const half = 0.5 * z;
    const rough = 1 - half;
    // 1 - rough - half is what the rounding of `rough` lost, exactly.
    value = rough + (1 - rough - half + (z * p - head * tail));
  }
  work[0] = (quadrant & 2) === 0 ? value : -value;
}

/**
 * Replaces the angle x in work[0] by the smallest x - n * pi / 2, and work[1] by what a double
 * cannot hold of that; returns n mod 4. What has no angle becomes NaN. After Payne and Hanek:
 * multiplies the significand by just those digits of 2 / pi that decide the quadrant and the
 * fraction, in whole numbers below 2^53.
 */
function reduceLarge(): number {
  const x = work[0] as number;
  const negative = x < 0;
  let rest = negative ? -x : x;
  if (!(rest < Infinity)) {
    work[0] = NaN;
    work[1] = 0;
    return 0;
  }
  // |x| = rest * 2^(24 * place), rest a whole number below 2^76; every scaling is exact.
  let place = 0;
  for (; rest < TWO_52; place--) rest *= TWO_24;
  for (; rest >= TWO_76; place++) rest *= TWO_MINUS_24;
  for (let digit = 0; digit < 4; digit++) {
    const above = Math.floor(rest * TWO_MINUS_24);
    digits[digit] = rest - above * TWO_24;
    rest = above;
  }
  multiplyTwoOverPi(place);
  let quadrant = limbs[0] as number;
  // A fraction of a half or more belongs to the next quadrant, as a negative angle.
  const complement = (limbs[1] as number) >= TWO_24 / 2;
  if (complement) {
    quadrant += 1;
    negateFraction();
  }
  fractionToAngle(complement !== negative);
  return (negative ? -quadrant : quadrant) & 3;
}

/** Writes (digits * 2^(24 * place) * 2 / pi) mod 2^24 to `limbs`. */
function multiplyTwoOverPi(place: number): void {
  let carry = 0;
  for (let limb = LIMBS; limb >= 0; limb--) {
    // Four products of 24-bit digits and a carry stay below 2^51.
    let sum = carry;
    for (let digit = 0; digit < 4; digit++) {
      sum += (digits[digit] as number) * (TWO_OVER_PI_DIGITS[digit + place + limb + 2] as number);
    }
    carry = Math.floor(sum * TWO_MINUS_24);
    limbs[limb] = sum - carry * TWO_24;
  }
}

/** Replaces the fraction in `limbs` by one minus it. */
function negateFraction(): void {
  let borrow = 0;
  for (let limb = LIMBS; limb >= 1; limb--) {
    const digit = -(limbs[limb] as number) - borrow;
    borrow = digit < 0 ? 1 : 0;
    limbs[limb] = digit + borrow * TWO_24;
  }
}

/** Writes the fraction in `limbs` times pi / 2 to work[0], what that rounds away to work[1]. */
function fractionToAngle(negative: boolean): void {
  let scale = LAST_LIMB;
  let head = 0;
  let tail = 0;
  for (let limb = LIMBS; limb >= 1; limb--) {
    const digit = (limbs[limb] as number) * scale;
    const sum = digit + head;
    tail += head - (sum - digit);
    head = sum;
    scale *= TWO_24;
  }
  // head * PI_HALF_HIGH exactly, as product + lost (Dekker's product).
  const product = head * PI_HALF_HIGH;
  const big = head * SPLIT;
  const upper = big - (big - head);
  const lower = head - upper;
  const cross = product - upper * PI_HALF_HIGH_UPPER - lower * PI_HALF_HIGH_UPPER;
  const lost = lower * PI_HALF_HIGH_LOWER - (cross - upper * PI_HALF_HIGH_LOWER);
  const low = lost + (head * PI_HALF_LOW + tail * PI_HALF_HIGH);
  const angle = product + low;
  const angleTail = product - angle + low;
  work[0] = negative ? -angle : angle;
  work[1] = negative ? -angleTail : angleTail;
}

/** Replaces the point y, x in work[0] and work[1] by its angle, in work[0]. */
export function evaluateAngle(): void {
  const fold = foldPoint();
  const q = work[0] as number;
  let angle = 0;
  let angleLow = 0;
  if (q >= 0.4375) {
    // atan(q) = atan(c) + atan((q - c) / (1 + c * q)); c of 1/2 and 1 keep q - c exact.
    const isHalf = q < 0.6875;
    const c = isHalf ? 0.5 : 1;
    angle = isHalf ? ATAN_HALF_HIGH : PI_QUARTER;
    angleLow = isHalf ? ATAN_HALF_LOW : PI_QUARTER_LOW;
    const lost = work[1] as number;
    const step = c * q;
    const under = 1 + step;
    const underLow = 1 - under + step + c * lost;
    work[0] = q - c;
    work[1] = under;
    divide();
    work[1] = (work[1] as number) + (lost - (work[0] as number) * underLow) / under;
  }
  const t = work[0] as number;
  const z = t * t;
  const w = z * z;
  const odd = z * (A1 + w * (A3 + w * (A5 + w * (A7 + w * (A9 + w * A11)))));
  const even = w * (A2 + w * (A4 + w * (A6 + w * (A8 + w * A10))));
  const sum = angle + t;
  // What the rounding of `sum` lost, and the parts that are far below it.
  const rest = angle - sum + t + (angleLow + ((work[1] as number) - t * (odd + even)));
  const quarters = fold & FOLD_QUARTERS;
  const base = quarters * PI_HALF_HIGH;
  const turned = (fold & FOLD_BACK) === 0 ? sum : -sum;
  const turnedRest = (fold & FOLD_BACK) === 0 ? rest : -rest;
  const whole = base + turned;
  const wholeLost = base - whole + turned;
  const value = whole + (wholeLost + (quarters * PI_HALF_LOW + turnedRest));
  work[0] = (fold & FOLD_BELOW) === 0 ? value : -value;
}

/**
 * Replaces the point y, x in work[0] and work[1] by a quotient q in [0, 1] and what its rounding
 * lost. Returns the angle's other parts as `FOLD_` bits: it is a number of quarter turns plus, or
 * back by, atan(q), and below the axis the negative of that.
 */
function foldPoint(): number {
  const y = work[0] as number;
  const x = work[1] as number;
  const left = x < 0 || (x === 0 && 1 / x < 0);
  const below = y < 0 || (y === 0 && 1 / y < 0);
  const rise = Math.abs(y);
  const run = Math.abs(x);
  const steep = rise > run;
  let low = steep ? run : rise;
  let high = steep ? rise : run;
  if (low === high && (low === 0 || low === Infinity)) {
    // ECMAScript reads 0 / 0 as 0 and Infinity / Infinity as 1.
    low = low === 0 ? 0 : 1;
    high = 1;
  }
  const quotient = low / high;
  if (quotient < QUOTIENT_TINY) {
    // What it lost is below everything; and it could not be scaled without underflow.
    work[0] = quotient;
    work[1] = 0;
  } else {
    // The two lie within 2^54 of each other: bring both where products neither overflow nor
    // underflow.
    const scale = high > TWO_500 ? TWO_MINUS_550 : high < TWO_MINUS_400 ? TWO_550 : 1;
    work[0] = low * scale;
    work[1] = high * scale;
    divide();
  }
  const quarters = steep ? 1 : left ? 2 : 0;
  return quarters | (steep === left ? 0 : FOLD_BACK) | (below ? FOLD_BELOW : 0);
}

/** Replaces work[0] by work[0] / work[1], in [-1, 1], and work[1] by what its rounding lost. */
function divide(): void {
  const low = work[0] as number;
  const high = work[1] as number;
  const quotient = low / high;
  // quotient * high exactly, as product + lost (Dekker's product).
  const product = quotient * high;
  const quotientBig = quotient * SPLIT;
  const quotientUpper = quotientBig - (quotientBig - quotient);
  const quotientLower = quotient - quotientUpper;
  const highBig = high * SPLIT;
  const highUpper = highBig - (highBig - high);
  const highLower = high - highUpper;
  const cross = product - quotientUpper * highUpper - quotientLower * highUpper;
  const lost = quotientLower * highLower - (cross - quotientUpper * highLower);
  work[0] = quotient;
  work[1] = (low - product - lost) / high;
}

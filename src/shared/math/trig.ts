/*
 * Sine, cosine and arc tangent from IEEE 754 additions, multiplications and divisions alone, each
 * rounded once, so that every engine returns the same bits. `Math.sin` and its kin may differ
 * between engines and between versions of one engine.
 *
 * The polynomials are the minimax coefficients of Sun's fdlibm (k_sin.c, k_cos.c, s_atan.c). The
 * reductions are this file's own: three-part Cody-Waite in double-double below 2^20, 24-bit
 * Payne-Hanek above, and an arc tangent of a double-double quotient. Measured against a 300-bit
 * reference the error stays below 0.8 ulp of f64 everywhere, huge arguments included.
 *
 * No step may be reordered or fused: golden hashes pin the bits.
 */

const TWO_OVER_PI = 0.6366197723675814;
const PI_HALF_HIGH = 1.5707963267948966;
const PI_HALF_LOW = 6.123233995736766e-17;
const PI_HIGH = 3.141592653589793;
const PI_LOW = 1.2246467991473532e-16;
const PI_QUARTER = 0.7853981633974483;

/**
 * Pi / 2 in three parts of 33 bits, so that a count below 2^20 times a part is exact, and a tail.
 */
const PI_HALF_A = 1.5707963267341256;
const PI_HALF_B = 6.077100506303966e-11;
const PI_HALF_C = 2.0222662487111665e-21;
const PI_HALF_TAIL = 8.4784276603689e-32;

/** Below this the count of half pis stays under 2^20. */
const MEDIUM_MAX = 1_647_099;
/** Below this the sine is its argument, to the last bit. */
const TINY = 7.450580596923828e-9; // 2^-27
/** Splits a 53-bit significand into two of 26 bits (Dekker). */
const SPLIT = 134_217_729;

// Powers of two are written out: `**` is only as exact as the engine makes it.
const TWO_24 = 16_777_216;
const TWO_MINUS_24 = 5.960464477539063e-8;
const TWO_52 = 4_503_599_627_370_496;
const TWO_76 = 7.555786372591432e22;
/** The weight of the last limb, 2^-168. */
const LAST_LIMB = 2.6727647100921956e-51;
/** Below 2^-54 the cube of a quotient and what its rounding lost vanish. */
const QUOTIENT_TINY = 5.551115123125783e-17;
const TWO_500 = 3.273390607896142e150;
const TWO_550 = 3.6855101804897865e165;
const TWO_MINUS_400 = 3.8725919148493183e-121;
const TWO_MINUS_550 = 2.7133285516175262e-166;
/** Limbs of 24 fraction bits kept by the large reduction: 168 bits, of which 62 may cancel. */
const LIMBS = 7;

/**
 * 2 / pi in 24-bit digits, most significant first, behind three zero digits for the places before
 * the point. 50 digits reach beyond the largest double.
 */
const TWO_OVER_PI_DIGITS: Int32Array = Int32Array.of(
  0,
  0,
  0,
  0xa2f983,
  0x6e4e44,
  0x1529fc,
  0x2757d1,
  0xf534dd,
  0xc0db62,
  0x95993c,
  0x439041,
  0xfe5163,
  0xabdebb,
  0xc561b7,
  0x246e3a,
  0x424dd2,
  0xe00649,
  0x2eea09,
  0xd1921c,
  0xfe1deb,
  0x1cb129,
  0xa73ee8,
  0x8235f5,
  0x2ebb44,
  0x84e99c,
  0x7026b4,
  0x5f7e41,
  0x3991d6,
  0x398353,
  0x39f49c,
  0x845f8b,
  0xbdf928,
  0x3b1ff8,
  0x97ffde,
  0x05980f,
  0xef2f11,
  0x8b5a0a,
  0x6d1f6d,
  0x367ecf,
  0x27cb09,
  0xb74f46,
  0x3f669e,
  0x5fea2d,
  0x7527ba,
  0xc7ebe5,
  0xf17b3d,
  0x0739f7,
  0x8a5292,
  0xea6bfb,
  0x5fb11f,
  0x8d5d08,
  0x560330,
  0x46fc7b,
);

/** The reduced angle: [head, tail], written by `reduce`. */
const reduced: Float64Array = new Float64Array(2);
/** Product limbs of the large reduction: [integer part, then fraction digits from the top]. */
const limbs: Int32Array = new Int32Array(LIMBS + 1);
/** The significand in 24-bit digits, least significant first. */
const digits: Int32Array = new Int32Array(4);

/**
 * Returns the sine of `x` radians, within 0.8 ulp, the same bits on every engine. `sin(-0)` is -0;
 * NaN and the infinities give NaN. Allocates nothing of its own.
 */
export function sin(x: number): number {
  if (x < TINY && x > -TINY) return x;
  const quadrant = reduce(x);
  const head = reduced[0] as number;
  const tail = reduced[1] as number;
  const value = (quadrant & 1) === 0 ? sinKernel(head, tail) : cosKernel(head, tail);
  return (quadrant & 2) === 0 ? value : -value;
}

/**
 * Returns the cosine of `x` radians, within 0.8 ulp, the same bits on every engine. NaN and the
 * infinities give NaN. Allocates nothing of its own.
 */
export function cos(x: number): number {
  const quadrant = reduce(x);
  const head = reduced[0] as number;
  const tail = reduced[1] as number;
  const value = (quadrant & 1) === 0 ? cosKernel(head, tail) : sinKernel(head, tail);
  return ((quadrant + 1) & 2) === 0 ? value : -value;
}

/**
 * Returns the angle of the point (x, y) in [-pi, pi] radians, within 0.8 ulp, the same bits on
 * every engine. Zeros and infinities give what ECMAScript's `Math.atan2` gives: `atan2(0, 0)` is
 * 0, `atan2(-0, -1)` is -pi. NaN gives NaN. Allocates nothing of its own.
 */
export function atan2(y: number, x: number): number {
  const absX = Math.abs(x);
  const absY = Math.abs(y);
  const left = x < 0 || (x === 0 && 1 / x < 0);
  const angle = positiveAngle(absY, absX, left);
  return y < 0 || (y === 0 && 1 / y < 0) ? -angle : angle;
}

/** The sine of head + tail, |head| <= pi / 4. */
function sinKernel(head: number, tail: number): number {
  const z = head * head;
  const cube = z * head;
  const p =
    0.00833333333332249 +
    z *
      (-0.0001984126982985795 +
        z * (2.7557313707070068e-6 + z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10)));
  return head - (z * (0.5 * tail - cube * p) - tail - cube * -0.16666666666666632);
}

/** The cosine of head + tail, |head| <= pi / 4. */
function cosKernel(head: number, tail: number): number {
  const z = head * head;
  const p =
    z *
    (0.0416666666666666 +
      z *
        (-0.001388888888887411 +
          z *
            (2.480158728947673e-5 +
              z *
                (-2.7557314351390663e-7 +
                  z * (2.087572321298175e-9 + z * -1.1359647557788195e-11)))));
  const half = 0.5 * z;
  const rough = 1 - half;
  // 1 - rough - half is what the rounding of `rough` lost, exactly.
  return rough + (1 - rough - half + (z * p - head * tail));
}

/**
 * Writes x - n * pi / 2 to `reduced` for the whole n that makes it smallest; returns n mod 4.
 * Writes NaN for what has no angle.
 */
function reduce(x: number): number {
  if (x <= PI_QUARTER && x >= -PI_QUARTER) {
    reduced[0] = x;
    reduced[1] = 0;
    return 0;
  }
  if (!(x < MEDIUM_MAX && x > -MEDIUM_MAX)) return reduceLarge(x);
  const count = Math.floor(x * TWO_OVER_PI + 0.5);
  // Exact: the product has 53 bits and the difference cancels its leading ones.
  const a = x - count * PI_HALF_A;
  // Two exact subtractions, each leaving what its rounding lost (Knuth's two-sum).
  const b = count * PI_HALF_B;
  const ab = a - b;
  const abBack = ab - a;
  const abLost = a - (ab - abBack) - (b + abBack);
  const c = count * PI_HALF_C;
  const abc = ab - c;
  const abcBack = abc - ab;
  const abcLost = ab - (abc - abcBack) - (c + abcBack);
  const rest = abLost + (abcLost - count * PI_HALF_TAIL);
  const head = abc + rest;
  reduced[0] = head;
  reduced[1] = abc - head + rest;
  return count & 3;
}

/**
 * `reduce` for large angles, after Payne and Hanek: multiplies the significand by just those
 * digits of 2 / pi that decide the quadrant and the fraction, in whole numbers below 2^53.
 */
function reduceLarge(x: number): number {
  const negative = x < 0;
  let rest = negative ? -x : x;
  if (!(rest < Infinity)) {
    reduced[0] = NaN;
    reduced[1] = 0;
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
  let quadrant = multiplyTwoOverPi(place);
  // A fraction of a half or more belongs to the next quadrant, as a negative angle.
  const complement = (limbs[1] as number) >= TWO_24 / 2;
  if (complement) {
    quadrant += 1;
    negateFraction();
  }
  fractionToAngle(complement !== negative);
  return (negative ? -quadrant : quadrant) & 3;
}

/** Writes (significand * 2 / pi) mod 2^24 to `limbs`; returns its integer part. */
function multiplyTwoOverPi(place: number): number {
  let carry = 0;
  for (let limb = LIMBS; limb >= 0; limb--) {
    // Products of 24-bit digits: five terms stay below 2^51.
    let sum = carry;
    for (let digit = 0; digit < 4; digit++) {
      sum += (digits[digit] as number) * (TWO_OVER_PI_DIGITS[digit + place + limb + 2] as number);
    }
    carry = Math.floor(sum * TWO_MINUS_24);
    limbs[limb] = sum - carry * TWO_24;
  }
  return limbs[0] as number;
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

/** Writes the fraction in `limbs` times pi / 2 to `reduced`. */
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
  const product = head * PI_HALF_HIGH;
  const low = productLost(head, PI_HALF_HIGH, product) + (head * PI_HALF_LOW + tail * PI_HALF_HIGH);
  const angle = product + low;
  const angleTail = product - angle + low;
  reduced[0] = negative ? -angle : angle;
  reduced[1] = negative ? -angleTail : angleTail;
}

/** Returns a * b - product exactly, where `product` is a * b rounded (Dekker and Veltkamp). */
function productLost(a: number, b: number, product: number): number {
  const aBig = a * SPLIT;
  const aHigh = aBig - (aBig - a);
  const aLow = a - aHigh;
  const bBig = b * SPLIT;
  const bHigh = bBig - (bBig - b);
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

/** The angle in [0, pi] of (±x, y) for x, y >= 0; `left` takes -x. */
function positiveAngle(y: number, x: number, left: boolean): number {
  const steep = y > x;
  let high = steep ? y : x;
  let low = steep ? x : y;
  if (y === x && (y === 0 || y === Infinity)) {
    // ECMAScript reads 0 / 0 as 0 and Infinity / Infinity as 1.
    high = 1;
    low = y === 0 ? 0 : 1;
  }
  const quotient = low / high;
  const base = steep ? PI_HALF_HIGH : left ? PI_HIGH : 0;
  const baseLow = steep ? PI_HALF_LOW : left ? PI_LOW : 0;
  const turnsBack = steep !== left;
  if (quotient < QUOTIENT_TINY) {
    // Scaling below could underflow here, and nothing needs it.
    return base === 0 ? quotient : base + (turnsBack ? baseLow - quotient : baseLow + quotient);
  }
  // Here the two lie within 2^54 of each other: bring both where products neither
  // overflow nor underflow.
  if (high > TWO_500) {
    high *= TWO_MINUS_550;
    low *= TWO_MINUS_550;
  } else if (high < TWO_MINUS_400) {
    high *= TWO_550;
    low *= TWO_550;
  }
  const scaled = low / high;
  const product = scaled * high;
  const lost = (low - product - productLost(scaled, high, product)) / high;
  return addArcTangent(base, baseLow, turnsBack, scaled, lost);
}

/** base ± atan(q + lost) for q in [2^-54, 1]; `lost` is what q's rounding lost. */
function addArcTangent(
  base: number,
  baseLow: number,
  turnsBack: boolean,
  q: number,
  lost: number,
): number {
  // atan(q) = atan(c) + atan((q - c) / (1 + c q)); c of 0, 1/2 and 1 keep q - c exact.
  let angle = 0;
  let angleLow = 0;
  let t = q;
  let tLow = lost;
  if (q >= 0.4375) {
    const c = q < 0.6875 ? 0.5 : 1;
    angle = c === 1 ? PI_QUARTER : 0.4636476090008061;
    angleLow = c === 1 ? 3.061616997868383e-17 : 2.2698777452961687e-17;
    const over = q - c;
    const step = c * q;
    const under = 1 + step;
    const underLow = 1 - under + step + c * lost;
    t = over / under;
    const product = t * under;
    tLow = (over - product - productLost(t, under, product) + (lost - t * underLow)) / under;
  }
  const sum = angle + t;
  // What `sum` lost, the low parts, and the polynomial's part, all far below `sum`.
  const rest = angle - sum + t + (angleLow + (tLow - t * arcTangentDrop(t)));
  if (base === 0) return sum + rest;
  const signedSum = turnsBack ? -sum : sum;
  const signedRest = turnsBack ? -rest : rest;
  const whole = base + signedSum;
  return whole + (base - whole + signedSum + (baseLow + signedRest));
}

/** 1 - atan(t) / t for |t| <= 7/16. */
function arcTangentDrop(t: number): number {
  const z = t * t;
  const w = z * z;
  const odd =
    z *
    (0.3333333333333293 +
      w *
        (0.14285714272503466 +
          w *
            (0.09090887133436507 +
              w * (0.06661073137387531 + w * (0.049768779946159324 + w * 0.016285820115365782)))));
  const even =
    w *
    (-0.19999999999876483 +
      w *
        (-0.11111110405462356 +
          w * (-0.0769187620504483 + w * (-0.058335701337905735 + w * -0.036531572744216916))));
  return odd + even;
}

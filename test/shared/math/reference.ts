/** A double as a whole significand times a power of two, exactly. */
export function decompose(value: number): { significand: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return {
    significand: bits >> 63n ? -magnitude : magnitude,
    exponent: Math.max(biased, 1) - 1075,
  };
}

/** A double times 2^`bits`; what lies below the point is cut off. */
function toFixedPoint(value: number, bits: number): bigint {
  const { significand, exponent } = decompose(value);
  const shift = BigInt(exponent + bits);
  return shift >= 0n ? significand << shift : significand >> -shift;
}

/** Fraction bits of the results of {@link sineAndCosine}. */
const REFERENCE_BITS = 400;
/** Enough that the largest double times the error of pi stays below 2^-450. */
const PI_BITS = 1500;
const PI_FIXED = machinPi(PI_BITS);

/** The sine and the cosine of a double, as fixed point of {@link REFERENCE_BITS}. */
export function sineAndCosine(x: number): { sine: bigint; cosine: bigint } {
  const halfPi = PI_FIXED >> 1n;
  const angle = toFixedPoint(x, PI_BITS);
  let quadrant = angle / halfPi;
  if (angle < quadrant * halfPi) quadrant -= 1n;
  const rest = (angle - quadrant * halfPi) >> BigInt(PI_BITS - REFERENCE_BITS);
  const one = 1n << BigInt(REFERENCE_BITS);
  const sine = taylor(rest, rest, 2n);
  const cosine = taylor(one, rest, 1n);
  const turn = Number(((quadrant % 4n) + 4n) % 4n);
  if (turn === 0) return { sine, cosine };
  if (turn === 1) return { sine: cosine, cosine: -sine };
  if (turn === 2) return { sine: -sine, cosine: -cosine };
  return { sine: -cosine, cosine: sine };
}

/** How far `got` lies from `exact`, in units of the last place of a double near `exact`. */
export function ulpError(got: number, exact: bigint): number {
  if (exact === 0n) return got === 0 ? 0 : Infinity;
  const magnitude = exact < 0n ? -exact : exact;
  const unit = 1n << BigInt(magnitude.toString(2).length - 53);
  const error = toFixedPoint(got, REFERENCE_BITS) - exact;
  return Number(((error < 0n ? -error : error) * 1_000_000n) / unit) / 1e6;
}

/**
 * How far `angle` lies from that of the point (x, y), in units of its own last place: the exact
 * cross product of the point with the direction `angle` is the sine of the difference.
 */
export function angleUlpError(angle: number, y: number, x: number): number {
  const { sine, cosine } = sineAndCosine(angle);
  const a = decompose(y);
  const b = decompose(x);
  const exponent = Math.min(a.exponent, b.exponent);
  const bigY = a.significand << BigInt(a.exponent - exponent);
  const bigX = b.significand << BigInt(b.exponent - exponent);
  const cross = bigY * cosine - bigX * sine;
  // 64 guard bits, so that the root of small points keeps enough of itself.
  const length = squareRoot((bigX * bigX + bigY * bigY) << 128n);
  const difference = ((cross < 0n ? -cross : cross) << 64n) / length;
  const magnitude = toFixedPoint(Math.abs(angle), REFERENCE_BITS);
  const unit = 1n << BigInt(magnitude.toString(2).length - 53);
  return Number((difference * 1_000_000n) / unit) / 1e6;
}

/** Fraction bits of logarithms and exponentials, and of all steps between them. */
const POWER_BITS = 320;
const POWER_ONE = 1n << BigInt(POWER_BITS);
const LN_2 = 2n * inverseTangent(POWER_ONE / 3n);

/** A number as significand times 2^exponent; the significand has {@link POWER_BITS} bits. */
interface Scaled {
  readonly significand: bigint;
  readonly exponent: number;
}

/** How far `got` lies from e^x, in units of the last place of a double near e^x. */
export function expUlpError(got: number, x: number): number {
  return scaledUlpError(got, exponential(toFixedPoint(x, POWER_BITS)));
}

/** How far `got` lies from ln(x), in units of the last place of a double near ln(x). */
export function logUlpError(got: number, x: number): number {
  return scaledUlpError(got, { significand: logarithm(x), exponent: -POWER_BITS });
}

/** How far `got` lies from log2(x), in units of the last place of a double near log2(x). */
export function log2UlpError(got: number, x: number): number {
  const significand = (logarithm(x) << BigInt(POWER_BITS)) / LN_2;
  return scaledUlpError(got, { significand, exponent: -POWER_BITS });
}

/** How far `got` lies from log10(x), in units of the last place of a double near log10(x). */
export function log10UlpError(got: number, x: number): number {
  const significand = (logarithm(x) << BigInt(POWER_BITS)) / logarithm(10);
  return scaledUlpError(got, { significand, exponent: -POWER_BITS });
}

/** How far `got` lies from the cube root of x, in units of the last place of a double near it. */
export function cbrtUlpError(got: number, x: number): number {
  const { significand, exponent } = decompose(x);
  const third = Math.floor(exponent / 3) - POWER_BITS;
  const root = cubeRoot(significand << BigInt(exponent - 3 * third));
  return scaledUlpError(got, { significand: root, exponent: third });
}

/** How far `got` lies from the length of (x, y), in units of the last place of a double near it. */
export function hypotUlpError(got: number, x: number, y: number): number {
  const a = decompose(x);
  const b = decompose(y);
  const exponent = Math.min(a.exponent, b.exponent) - POWER_BITS;
  const bigX = a.significand << BigInt(a.exponent - exponent);
  const bigY = b.significand << BigInt(b.exponent - exponent);
  const root = squareRoot(bigX * bigX + bigY * bigY);
  return scaledUlpError(got, { significand: root, exponent });
}

/** How far `got` lies from x^y, x > 0, in units of the last place of a double near x^y. */
export function powUlpError(got: number, x: number, y: number): number {
  const { significand, exponent } = decompose(y);
  const product = logarithm(x) * significand;
  const log = exponent >= 0 ? product << BigInt(exponent) : product >> BigInt(-exponent);
  return scaledUlpError(got, exponential(log));
}

/**
 * As the functions above. Beyond the largest double the next power of two stands for Infinity, and
 * below the smallest normal one the unit is that of the subnormals.
 */
function scaledUlpError(got: number, exact: Scaled): number {
  const magnitude = exact.significand < 0n ? -exact.significand : exact.significand;
  if (magnitude === 0n) return got === 0 ? 0 : Infinity;
  const top = magnitude.toString(2).length + exact.exponent;
  if (top > 1024 && got === Infinity) return 0;
  if (top > 2000) return Infinity;
  const unitExponent = Math.min(Math.max(top - 53, -1074), 971);
  const value = got === Infinity ? { significand: 1n << 53n, exponent: 971 } : decompose(got);
  // Compare in 2^-64 of a unit.
  const shift = unitExponent - 64;
  const error = shifted(value, shift) - shifted(exact, shift);
  return Number(error < 0n ? -error : error) / 2 ** 64;
}

/** A number as a whole multiple of 2^`exponent`; what lies below is cut off. */
function shifted(value: Scaled, exponent: number): bigint {
  const shift = BigInt(value.exponent - exponent);
  return shift >= 0n ? value.significand << shift : value.significand >> -shift;
}

/** e to a power given as fixed point of {@link POWER_BITS}. */
function exponential(power: bigint): Scaled {
  const count = floorDivide(power, LN_2);
  // Beyond all doubles, and the shifts by it beyond all memory.
  if (count > 2000n) return { significand: 1n, exponent: 2000 };
  if (count < -2000n) return { significand: 1n, exponent: -2000 };
  const rest = power - count * LN_2;
  let term = POWER_ONE;
  let sum = 0n;
  for (let k = 1n; term !== 0n; k++) {
    sum += term;
    term = ((term * rest) >> BigInt(POWER_BITS)) / k;
  }
  return { significand: sum, exponent: Number(count) - POWER_BITS };
}

/** The natural logarithm of a double above zero, as fixed point of {@link POWER_BITS}. */
function logarithm(x: number): bigint {
  const { significand, exponent } = decompose(x);
  const length = significand.toString(2).length;
  // m = significand / 2^length in [1/2, 1): ln(m) = 2 artanh((m - 1) / (m + 1)).
  const one = 1n << BigInt(length);
  const ratio = ((significand - one) << BigInt(POWER_BITS)) / (significand + one);
  return 2n * inverseTangent(ratio) + BigInt(exponent + length) * LN_2;
}

/** The inverse hyperbolic tangent of a fixed point of {@link POWER_BITS}, |x| <= 1/3. */
function inverseTangent(x: bigint): bigint {
  const square = (x * x) >> BigInt(POWER_BITS);
  let power = x;
  let sum = 0n;
  // A negative power stays at -1 when it is shifted down.
  for (let k = 1n; power !== 0n && power !== -1n; k += 2n) {
    sum += power / k;
    power = (power * square) >> BigInt(POWER_BITS);
  }
  return sum;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return quotient * b > a ? quotient - 1n : quotient;
}

/** first - first x^2 / (k (k + 1)) + ..., k from `start` in steps of two. */
function taylor(first: bigint, x: bigint, start: bigint): bigint {
  const square = (x * x) >> BigInt(REFERENCE_BITS);
  let term = first;
  let sum = first;
  for (let k = start; term !== 0n; k += 2n) {
    term = -((term * square) >> BigInt(REFERENCE_BITS)) / (k * (k + 1n));
    sum += term;
  }
  return sum;
}

/** The largest whole number whose square is not above `value`. */
export function squareRoot(value: bigint): bigint {
  if (value === 0n) return 0n;
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** The greatest whole number whose cube is not above `value`; of negative ones, the negative. */
function cubeRoot(value: bigint): bigint {
  if (value < 0n) return -cubeRoot(-value);
  if (value === 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 3));
  for (;;) {
    const next = (2n * root + value / (root * root)) / 3n;
    if (next >= root) return root;
    root = next;
  }
}

function machinPi(bits: number): bigint {
  const one = 1n << BigInt(bits + 16);
  return (16n * arcTangentOfInverse(one, 5n) - 4n * arcTangentOfInverse(one, 239n)) >> 16n;
}

function arcTangentOfInverse(one: bigint, n: bigint): bigint {
  let power = one / n;
  let sum = power;
  for (let k = 3n, sign = -1n; power !== 0n; k += 2n, sign = -sign) {
    power /= n * n;
    sum += (sign * power) / k;
  }
  return sum;
}

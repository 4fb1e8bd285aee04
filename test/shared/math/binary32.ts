import { decompose, squareRoot } from './reference.ts';

/** Numerator over denominator, the latter above zero. */
interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Below every binary32 value's last place: all of them are whole multiples of 2^-149. */
const PLACES = 149;

/** A finite binary32 value as a whole multiple of 2^-149, exactly. */
export function toPlaces(value: number): bigint {
  const { significand, exponent } = decompose(value);
  const shift = BigInt(exponent + PLACES);
  return shift >= 0n ? significand << shift : significand >> -shift;
}

/** The exact sum of two finite binary32 values. */
export function exactSum(a: number, b: number): Rational {
  return { numerator: toPlaces(a) + toPlaces(b), denominator: 1n << BigInt(PLACES) };
}

/** The exact product of two finite binary32 values. */
export function exactProduct(a: number, b: number): Rational {
  return { numerator: toPlaces(a) * toPlaces(b), denominator: 1n << BigInt(2 * PLACES) };
}

/** The exact quotient of two finite binary32 values, `b` not zero. */
export function exactQuotient(a: number, b: number): Rational {
  const sign = b < 0 ? -1n : 1n;
  return { numerator: sign * toPlaces(a), denominator: sign * toPlaces(b) };
}

/**
 * The binary32 value nearest to a rational that is not zero, ties to even, as IEEE 754 has it:
 * Infinity from half a place beyond the largest on. A result of zero has the sign of the rational.
 */
export function roundToBinary32({ numerator, denominator }: Rational): number {
  const negative = numerator < 0n;
  const size = negative ? -numerator : numerator;
  // The exponent of the last place: 24 bits of significand, or fewer at the bottom.
  let exponent = Math.max(bitLength(size) - bitLength(denominator) - 24, -PLACES);
  if (quotientAt(size, denominator, exponent) >= 1n << 24n) exponent += 1;
  const twice = quotientAt(2n * size, denominator, exponent);
  const exact = twice * scaled(denominator, exponent) === scaled(2n * size, -exponent);
  let places = twice >> 1n;
  const isTie = (twice & 1n) === 1n && exact;
  if ((twice & 1n) === 1n && (!isTie || (places & 1n) === 1n)) places += 1n;
  const rounded = timesPowerOfTwo(places, exponent);
  return negative ? -rounded : rounded;
}

/** The binary32 value nearest to the square root of a binary32 value above zero. */
export function roundedRoot(value: number): number {
  // root(n 2^-149) = root(n 2^151) 2^-150; 300 more bits, and one that stands for the rest.
  const root = squareRoot(toPlaces(value) << BigInt(151 + 300));
  const sticky = root * root === toPlaces(value) << BigInt(151 + 300) ? 0n : 1n;
  return roundToBinary32({ numerator: 2n * root + sticky, denominator: 1n << BigInt(151 + 150) });
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}

/** `value` shifted left where `exponent` is above zero; otherwise itself. */
function scaled(value: bigint, exponent: number): bigint {
  return exponent > 0 ? value << BigInt(exponent) : value;
}

/** The whole part of size / denominator / 2^exponent. */
function quotientAt(size: bigint, denominator: bigint, exponent: number): bigint {
  return scaled(size, -exponent) / scaled(denominator, exponent);
}

/** places 2^exponent, or Infinity where that is no binary32 value any more. */
function timesPowerOfTwo(places: bigint, exponent: number): number {
  return bitLength(places) + exponent > 128 ? Infinity : Number(places) * 2 ** exponent;
}

import { FIXED_MAX, FIXED_MIN, FIXED_ONE } from '../../../src/shared/math/fixed.ts';
import { Random, STATE_WORDS } from '../../../src/shared/math/random.ts';
import { squareRoot } from './reference.ts';

/** Exact arithmetic on raw Q16.16 numbers, to compare ours with. */

/** numerator / denominator, ties to even; the denominator may be negative. */
export function roundQuotient(numerator: bigint, denominator: bigint): bigint {
  const n = denominator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  let floor = n / d;
  if (floor * d > n) floor -= 1n;
  const rest = 2n * (n - floor * d);
  return rest > d || (rest === d && floor % 2n !== 0n) ? floor + 1n : floor;
}

/** The int32 nearest to a whole number. */
export function saturate(raw: bigint): number {
  return Number(raw > 2147483647n ? 2147483647n : raw < -2147483648n ? -2147483648n : raw);
}

/** The whole number nearest to the root of `value`, which is never halfway. */
export function nearestRoot(value: bigint): bigint {
  const root = squareRoot(value);
  return value > root * root + root ? root + 1n : root;
}

/** Fraction bits of the results of {@link exponential} and {@link logarithm}. */
export const BITS = 160;
const ONE = 1n << BigInt(BITS);
const LN_2 = logarithmOfRatio(2n, 1n);

/** 2 artanh((a - b) / (a + b)) = ln(a / b), for a / b near 1. */
function logarithmOfRatio(a: bigint, b: bigint): bigint {
  const s = ((a - b) * ONE) / (a + b);
  const square = (s * s) >> BigInt(BITS);
  let power = s;
  let sum = 0n;
  for (let k = 1n; power !== 0n && power !== -1n; k += 2n) {
    sum += power / k;
    power = (power * square) >> BigInt(BITS);
  }
  return 2n * sum;
}

/** ln(raw / 65536) of a raw above 0, in fixed point of {@link BITS}. */
export function logarithm(raw: number): bigint {
  const exponent = raw.toString(2).length - 1;
  return BigInt(exponent - 16) * LN_2 + logarithmOfRatio(BigInt(raw), 1n << BigInt(exponent));
}

/** e^x of a fixed point x, both of {@link BITS}; what is below the point is lost. */
export function exponential(x: bigint): bigint {
  let count = x / LN_2;
  if (count * LN_2 > x) count -= 1n;
  const rest = x - count * LN_2;
  let term = ONE;
  let sum = 0n;
  for (let k = 1n; term !== 0n; k++) {
    sum += term;
    term = ((term * rest) >> BigInt(BITS)) / k;
  }
  return count >= 0n ? sum << count : sum >> -count;
}

/** The raw number nearest to a fixed point of `bits`, saturated. */
export function nearestRaw(value: bigint, bits: number): number {
  return saturate(roundQuotient(value, 1n << BigInt(bits - 16)));
}

/** Raw numbers at which something ends, turns or ties. */
export const EXTREMES: readonly number[] = [
  ...[0, 1, 2, 3, 5, 181, 46_340, 46_341, 11_863_283].flatMap((n) => (n === 0 ? [0] : [n, -n])),
  ...[1, 2, 5, 181, 16_384].flatMap((n) => around(n * FIXED_ONE)),
  ...around(FIXED_ONE / 2),
  FIXED_MIN,
  FIXED_MIN + 1,
  FIXED_MIN + 2,
  FIXED_MAX,
  FIXED_MAX - 1,
  FIXED_MAX - 0xffff,
];

function around(raw: number): number[] {
  return [raw - 1, raw, raw + 1].flatMap((n) => [n, -n]);
}

/** Draws raw numbers of all sizes: plain ones, near powers of two, with few bits, and extremes. */
export class Raws {
  private readonly random: Random;
  readonly seed: number;

  constructor(seed: number) {
    this.seed = seed;
    this.random = Random.seed(new Uint32Array(STATE_WORDS), 0, seed, 0, 0);
  }

  /** Draws an int32. */
  next(): number {
    const bits = this.random.nextU32() | 0;
    const shift = this.random.nextRange(0, 32);
    switch (this.random.nextRange(0, 8)) {
      case 0:
        return bits;
      case 1:
        // Few bits at the top, zeros below: products of two of them tie often.
        return (bits >> 24) << (shift % 24);
      case 2:
        return ((1 << shift) + (bits >> 29)) | 0;
      case 3:
        return EXTREMES[this.random.nextRange(0, EXTREMES.length)] as number;
      default:
        return bits >> shift;
    }
  }
}

/** Collects what went wrong, with the seed that shows it again; a test expects none of it. */
export class Mismatches {
  private readonly lines: string[] = [];
  private readonly seed: number;

  constructor(seed: number) {
    this.seed = seed;
  }

  /** Notes the inputs of a result that is not the expected one. */
  compare(got: number, expected: number, ...inputs: readonly number[]): void {
    if (Object.is(got, expected) || this.lines.length >= 5) return;
    this.lines.push(`(${inputs.join(', ')}) gave ${got}, not ${expected}; seed ${this.seed}`);
  }

  /** The first few. */
  list(): readonly string[] {
    return this.lines;
  }
}

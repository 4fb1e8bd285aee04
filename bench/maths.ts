import { divFixed, fromFixed, mulFixed, sqrtFixed } from '#dist/shared/math/fixed.js';
import { cos, sin } from '#dist/shared/math/trig.js';
import { pairNs, timeNs } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * What the simulation's own maths costs an operation: Q16.16 set against floats and against BigInt
 * that rounds alike, sine and cosine against the engine's. Each loop adds up its results.
 */
const MUL_BOUND = 4;
const COUNT = 1024;
const RAW_SPAN = 6_553_600;
const blocks = sized(3, 31, 101);
const calls = sized(2, 500, 2000);
const bigCalls = sized(1, 20, 80);
/** Enough for an engine that compiles on a busy machine to be done before the first block. */
const warmCalls = sized(2, 20_000, 20_000);
const bigWarmCalls = sized(1, 500, 500);

// Numbers from -50 to 50, so that nothing saturates; the second of a pair stays away from 0.
const rawA = Int32Array.from({ length: COUNT }, (_, i) => spread(i, 0x9e3779b1));
const rawB = Int32Array.from({ length: COUNT }, (_, i) => spread(i, 0x85ebca6b) | 0x1_0001);
const rawRoots = rawA.map(Math.abs);
const floatA = Float64Array.from(rawA, fromFixed);
const floatB = Float64Array.from(rawB, fromFixed);
const floatRoots = Float64Array.from(rawRoots, fromFixed);

/** Spreads the numbers from 0 over the raw values, by Weyl's sequence. */
function spread(index: number, step: number): number {
  return Math.floor(((Math.imul(index + 1, step) >>> 0) / 2 ** 32 - 0.5) * RAW_SPAN);
}

/** numerator / denominator, ties to even. */
function roundBig(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const rest = numerator - quotient * denominator;
  const twice = 2n * (rest < 0n ? -rest : rest);
  const size = denominator < 0n ? -denominator : denominator;
  if (twice < size || (twice === size && quotient % 2n === 0n)) return quotient;
  return numerator < 0n === denominator < 0n ? quotient + 1n : quotient - 1n;
}

/** Cuts to what an int32 holds. */
function saturateBig(raw: bigint): number {
  return Number(raw > 2147483647n ? 2147483647n : raw < -2147483648n ? -2147483648n : raw);
}

/** The whole number nearest to the root, by Newton's method. */
function rootBig(value: bigint): bigint {
  let root = 1n << 24n;
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return value > root * root + root ? root + 1n : root;
    root = next;
  }
}

let sink = 0;

/** One loop an operation, written out, so that the engine compiles each for itself. */
const loops = {
  mulFixed: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += mulFixed(rawA[i] as number, rawB[i] as number);
    sink += sum;
  },
  mulFloat: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += (floatA[i] as number) * (floatB[i] as number);
    sink += sum;
  },
  mulBig: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) {
      sum += saturateBig(roundBig(BigInt(rawA[i] as number) * BigInt(rawB[i] as number), 65_536n));
    }
    sink += sum;
  },
  divFixed: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += divFixed(rawA[i] as number, rawB[i] as number);
    sink += sum;
  },
  divFloat: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += (floatA[i] as number) / (floatB[i] as number);
    sink += sum;
  },
  divBig: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) {
      sum += saturateBig(roundBig(BigInt(rawA[i] as number) << 16n, BigInt(rawB[i] as number)));
    }
    sink += sum;
  },
  sqrtFixed: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += sqrtFixed(rawRoots[i] as number);
    sink += sum;
  },
  sqrtFloat: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += Math.sqrt(floatRoots[i] as number);
    sink += sum;
  },
  sqrtBig: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += Number(rootBig(BigInt(rawRoots[i] as number) << 16n));
    sink += sum;
  },
  sin: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += sin(floatA[i] as number);
    sink += sum;
  },
  sinMath: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += Math.sin(floatA[i] as number);
    sink += sum;
  },
  cos: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += cos(floatA[i] as number);
    sink += sum;
  },
  cosMath: (): void => {
    let sum = 0;
    for (let i = 0; i < COUNT; i++) sum += Math.cos(floatA[i] as number);
    sink += sum;
  },
};

/** Measures one operation against another and prints the line. */
function compare(
  op: string,
  against: string,
  work: () => void,
  other: () => void,
  bound?: number,
): void {
  const isBig = against === 'BigInt';
  timeNs(warmCalls, work);
  timeNs(isBig ? bigWarmCalls : warmCalls, other);
  const pair = pairNs(blocks, isBig ? bigCalls : calls, work, other);
  report('maths', {
    op,
    ns: round(pair.ns / COUNT),
    otherNs: round(pair.otherNs / COUNT),
    ratio: round(pair.ratio),
    against,
    ...(bound === undefined ? {} : { bound, ok: pair.ratio <= bound }),
  });
}

compare('mulFixed', 'float', loops.mulFixed, loops.mulFloat, MUL_BOUND);
compare('divFixed', 'float', loops.divFixed, loops.divFloat);
compare('sqrtFixed', 'Math.sqrt', loops.sqrtFixed, loops.sqrtFloat);
compare('mulFixed', 'BigInt', loops.mulFixed, loops.mulBig);
compare('divFixed', 'BigInt', loops.divFixed, loops.divBig);
compare('sqrtFixed', 'BigInt', loops.sqrtFixed, loops.sqrtBig);
compare('sin', 'Math.sin', loops.sin, loops.sinMath);
compare('cos', 'Math.cos', loops.cos, loops.cosMath);
if (!Number.isFinite(sink)) throw new Error('a sum is not finite');

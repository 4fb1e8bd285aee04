import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fnv64 } from '../../../src/shared/hash.ts';
import { exp, log, pow } from '../../../src/shared/math/exp.ts';
import { scaled } from '../../scaled.ts';
import { expUlpError, logUlpError, powUlpError } from './reference.ts';

/** The documented bounds. */
const EXP_ULP_MAX = 0.7;
const LOG_ULP_MAX = 0.51;
const POW_ULP_MAX = 0.7;

const RUNS = scaled({ tiny: 300, normal: 3000, full: 200_000 });

/** The outermost arguments of an exponential that neither overflows nor vanishes. */
const OVERFLOW = 709.782712893384;
const UNDERFLOW = -745.1332191019411;
const NORMAL_MIN = 2 ** -1022;

const view = new DataView(new ArrayBuffer(8));

function toHex(value: number): string {
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}

function feed(hash: Fnv64, value: number): void {
  view.setFloat64(0, value);
  hash.u32(view.getUint32(0));
  hash.u32(view.getUint32(4));
}

/** How many doubles lie between two of the same sign, counting one end. */
function distance(a: number, b: number): number {
  if (Object.is(a, b)) return 0;
  view.setFloat64(0, a);
  const bits = view.getBigInt64(0);
  view.setFloat64(0, b);
  const apart = Number(bits - view.getBigInt64(0));
  return a !== a || b !== b ? Infinity : Math.abs(apart);
}

function checkExp(x: number): void {
  const value = exp(x);
  expect(expUlpError(value, x)).toBeLessThan(EXP_ULP_MAX);
  expect(distance(value, Math.exp(x))).toBeLessThanOrEqual(1);
}

function checkLog(x: number): void {
  const value = log(x);
  expect(logUlpError(value, x)).toBeLessThan(LOG_ULP_MAX);
  expect(distance(value, Math.log(x))).toBeLessThanOrEqual(1);
}

function checkPow(x: number, y: number): void {
  const value = pow(x, y);
  expect(powUlpError(value, x, y)).toBeLessThan(POW_ULP_MAX);
  // For greater powers fdlibm, and an engine that follows it, is off by more.
  if (Math.abs(y) < 2 ** 31) expect(distance(value, Math.pow(x, y))).toBeLessThanOrEqual(1);
}

/** Beside `value`, up to two doubles away. */
function around(value: number): number[] {
  view.setFloat64(0, value);
  const bits = view.getBigInt64(0);
  return [-2n, -1n, 0n, 1n, 2n].map((step) => {
    view.setBigInt64(0, bits + step);
    return view.getFloat64(0);
  });
}

const uniform = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: 2 ** 40 }).map((n) => min + (n / 2 ** 40) * (max - min));
/** Doubles above zero of every exponent, the subnormals included. */
const positive = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true });
const octaves = fc
  .tuple(uniform(1, 2), fc.integer({ min: -1074, max: 1023 }))
  .map(([significand, exponent]) => significand * 2 ** exponent);
const subnormal = fc.integer({ min: 1, max: 2 ** 52 - 1 }).map((n) => n * Number.MIN_VALUE);
/** 1 with a step up or down of any size. */
const nearOne = fc
  .tuple(uniform(-1, 1), fc.integer({ min: 1, max: 52 }))
  .map(([step, exponent]) => 1 + step * 2 ** -exponent)
  .filter((x) => x !== 1);
const base = fc
  .oneof(positive, octaves, subnormal, nearOne, uniform(0.5, 3))
  .filter((x) => x !== 1);

/** A base and a power of it whose logarithm lies between two bounds, of one sign or the other. */
const powers = (min: number, max: number): fc.Arbitrary<readonly [number, number]> =>
  fc.tuple(base, uniform(min, max)).map(([x, power]) => [x, power / Math.log(x)] as const);

function checkPowers(min: number, max: number, runs: number): void {
  fc.assert(
    fc.property(powers(min, max), ([x, y]) => checkPow(x, y)),
    { numRuns: runs },
  );
}

describe('the exponential', () => {
  it('lies within 0.7 ulp of a 320-bit reference and 1 ulp of Math.exp, near zero', () => {
    fc.assert(fc.property(uniform(-3, 3), checkExp), { numRuns: RUNS });
  });

  it('does so over all its range, over- and underflow included', () => {
    fc.assert(fc.property(uniform(-750, 715), checkExp), { numRuns: RUNS });
  });

  it('does so at arguments of any size', () => {
    const signed = fc.tuple(base, fc.constantFrom(1, -1)).map(([x, sign]) => x * sign);
    fc.assert(fc.property(signed, checkExp), { numRuns: RUNS });
  });

  it('does so where the result is subnormal', () => {
    fc.assert(fc.property(uniform(-745.2, -708.3), checkExp), { numRuns: RUNS });
  });

  it('does so at whole and half multiples of ln 2, where the reduction cancels or jumps', () => {
    for (let half = -2150; half <= 2047; half++) {
      if (half !== 0) around(half * (Math.LN2 / 2)).map(checkExp);
    }
  });

  it('overflows and vanishes at the right double', () => {
    expect(exp(OVERFLOW)).toBe(Math.exp(OVERFLOW));
    expect(exp(709.7827128933841)).toBe(Infinity);
    expect(exp(UNDERFLOW)).toBe(Number.MIN_VALUE);
    expect(exp(-745.1332191019412)).toBe(0);
    for (const border of [OVERFLOW, UNDERFLOW, 710, -746, -708.3964185322641]) {
      around(border).map(checkExp);
    }
  });

  it('gives special values what ECMAScript gives them', () => {
    expect(exp(0)).toBe(1);
    expect(exp(-0)).toBe(1);
    expect(exp(Number.MIN_VALUE)).toBe(1);
    expect(exp(Infinity)).toBe(Infinity);
    expect(exp(-Infinity)).toBe(0);
    expect(exp(NaN)).toBe(NaN);
    expect(exp(1)).toBe(Math.E);
    expect(exp(Number.MAX_VALUE)).toBe(Infinity);
    expect(exp(-Number.MAX_VALUE)).toBe(0);
  });
});

describe('the logarithm', () => {
  it('lies within 0.51 ulp of a 320-bit reference and 1 ulp of Math.log, at any double', () => {
    fc.assert(fc.property(base, checkLog), { numRuns: RUNS });
  });

  it('does so near 1, where nearly all bits cancel', () => {
    fc.assert(fc.property(nearOne, checkLog), { numRuns: RUNS });
    for (const x of around(1)) if (x !== 1) checkLog(x);
  });

  it('does so among the subnormals and at both ends of the doubles', () => {
    fc.assert(fc.property(subnormal, checkLog), { numRuns: RUNS / 4 });
    checkLog(Number.MIN_VALUE);
    checkLog(Number.MAX_VALUE);
    around(NORMAL_MIN).map(checkLog);
  });

  it('does so on both sides of every border between two reductions', () => {
    for (const border of [Math.sqrt(1.5), 1.5, Math.sqrt(3), 2]) {
      for (const scale of [1, 0.5, 2 ** 100, 2 ** -1000, 2 ** -1040]) {
        for (const x of around(border * scale)) if (x !== 1) checkLog(x);
      }
    }
  });

  it('gives special values what ECMAScript gives them', () => {
    expect(log(1)).toBe(0);
    expect(log(0)).toBe(-Infinity);
    expect(log(-0)).toBe(-Infinity);
    expect(log(Infinity)).toBe(Infinity);
    for (const x of [-Number.MIN_VALUE, -1, -Infinity, NaN]) expect(log(x)).toBe(NaN);
    // The steps share scratch memory: what has no value leaves nothing behind in it.
    expect(log(2)).toBe(Math.LN2);
    expect(log(10)).toBe(Math.LN10);
  });
});

describe('the power', () => {
  it('lies within 0.7 ulp of a 320-bit reference and 1 ulp of Math.pow, at any size', () => {
    checkPowers(-750, 715, RUNS);
  });

  it('does so for bases and powers of everyday size', () => {
    fc.assert(fc.property(uniform(0.01, 20), uniform(-8, 8), checkPow), { numRuns: RUNS });
  });

  it('does so next to overflow and among subnormal results', () => {
    checkPowers(705, 710, RUNS / 2);
    checkPowers(-745.2, -705, RUNS / 2);
  });

  it('does so where the result is 1 and a little', () => {
    const tiny = fc.tuple(base, uniform(-1, 1), fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(tiny, ([x, step, exponent]) => checkPow(x, (step * 2 ** -exponent) / log(x))),
      { numRuns: RUNS / 2 },
    );
  });

  it('does so beside 1 with a huge power', () => {
    for (const x of [1 + 2 ** -52, 1 - 2 ** -53, 1 + 2 ** -51, 1 - 2 ** -52]) {
      for (const y of [2 ** 52, 2 ** 61, 2 ** 62 + 2 ** 11, 3e18, 4e18, 2 ** 63, 2 ** 64]) {
        checkPow(x, y);
        checkPow(x, -y);
      }
    }
    expect(pow(1 + 2 ** -52, Number.MAX_VALUE)).toBe(Infinity);
    expect(pow(1 + 2 ** -52, -Number.MAX_VALUE)).toBe(0);
    expect(pow(1 - 2 ** -53, Number.MAX_VALUE)).toBe(0);
    expect(pow(1 - 2 ** -53, -Number.MAX_VALUE)).toBe(Infinity);
    expect(pow(1, Number.MAX_VALUE)).toBe(1);
    expect(pow(-1, Number.MAX_VALUE)).toBe(1);
    expect(pow(-1, -(2 ** 53 - 1))).toBe(-1);
  });

  it('is exact where a double holds the result', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -2000, max: 2000 }),
        fc.integer({ min: 1, max: 40 }),
        (x, n) => {
          const exact = BigInt(x) ** BigInt(n);
          const value = Number(exact);
          fc.pre(Math.abs(value) < Infinity && BigInt(value) === exact);
          expect(pow(x, n) === value).toBe(true);
        },
      ),
      { numRuns: RUNS },
    );
    for (let n = -1074; n <= 1023; n++) expect(pow(2, n)).toBe(2 ** n);
    for (let n = -537; n <= 511; n++) expect(pow(4, n)).toBe(2 ** (2 * n));
    for (let n = 0; n <= 22; n++) expect(pow(10, n)).toBe(Number(`1e${n}`));
    expect(pow(27, 1 / 3)).toBe(3);
    expect(pow(16, 0.25)).toBe(2);
  });

  it('is the base for 1, the rounded square for 2, the rounded root for a half', () => {
    fc.assert(
      fc.property(base, (x) => {
        expect(pow(x, 1)).toBe(x);
        expect(pow(-x, 1)).toBe(-x);
        expect(pow(-x, 2)).toBe(x * x);
        expect(pow(x, 0.5)).toBe(Math.sqrt(x));
      }),
    );
  });

  it('of what is below zero has the sign of an odd power, and is NaN for a broken one', () => {
    fc.assert(
      fc.property(
        base,
        fc.integer({ min: -1000, max: 1000 }),
        uniform(0.01, 0.99),
        (x, n, part) => {
          fc.pre(n !== 0);
          expect(pow(-x, n)).toBe(n % 2 === 0 ? pow(x, n) : -pow(x, n));
          expect(pow(-x, n + part)).toBe(NaN);
        },
      ),
    );
    expect(pow(-2, 2 ** 53 + 2)).toBe(Infinity);
    expect(pow(-2, -(2 ** 53 - 1))).toBe(-0);
    expect(pow(-2, 2 ** 53 - 1)).toBe(-Infinity);
  });

  it('gives special values what ECMAScript gives them', () => {
    const values = [NaN, Infinity, 1e300, 2 ** 64, 2 ** 53 - 1, 3, 2.5, 2, 1, 0.5, 1e-300, 0];
    const signed = [...values, ...values.map((value) => -value)];
    for (const x of signed) {
      for (const y of signed) expect(distance(pow(x, y), Math.pow(x, y))).toBeLessThanOrEqual(1);
    }
    for (const x of signed) {
      expect(pow(x, 0)).toBe(1);
      expect(pow(x, -0)).toBe(1);
      if (x !== 0) expect(pow(NaN, x)).toBe(NaN);
      expect(pow(x, NaN)).toBe(NaN);
    }
    for (const y of [Infinity, -Infinity]) {
      expect(pow(1, y)).toBe(NaN);
      expect(pow(-1, y)).toBe(NaN);
    }
    expect(pow(-0, -3)).toBe(-Infinity);
    expect(pow(-0, 3)).toBe(-0);
    expect(pow(-0, 0.5)).toBe(0);
    expect(pow(-Infinity, 0.5)).toBe(Infinity);
    expect(pow(-Infinity, -3)).toBe(-0);
  });
});

describe('golden bits', () => {
  it('of a handful of results never change', () => {
    expect([-745, -1, 0.1, 10, 709.7].map((x) => toHex(exp(x)))).toEqual([
      '0000000000000001',
      '3fd78b56362cef38',
      '3ff1aec7b35a00d4',
      '40d5829dcf950560',
      '7fed75ae7a50ee14',
    ]);
    expect([5e-324, 0.1, 0.9999999, 3, 1e300].map((x) => toHex(log(x)))).toEqual([
      'c0874385446d71c3',
      'c0026bb1bbb55515',
      'be7ad7f2b1049b9f',
      '3ff193ea7aad030b',
      '4085963447f87fb5',
    ]);
    const pairs = [
      [0.1, 3.3],
      [-7, 13],
      [1.0000001, 1e9],
      [3, -0.3],
      [1e-200, 1.6],
    ] as const;
    expect(pairs.map(([x, y]) => toHex(pow(x, y)))).toEqual([
      '3f406c4363887514',
      'c2368f08f8e70000',
      '48f349445c228792',
      '3fe703e0260b76c5',
      '00000000000007e8',
    ]);
  });

  it('of 10,000 results of each never change', () => {
    const hashes = [new Fnv64(), new Fnv64(), new Fnv64()] as const;
    let x = 4e-320;
    for (let index = 0; index < 10_000; index++) {
      feed(hashes[0], exp(-746 + 0.1456 * index));
      feed(hashes[1], log(x));
      // Bases in [1/2, 3), where the logarithm is worst, and powers that show it most.
      const base = 0.50001 + index * 0.00025;
      feed(hashes[2], pow(base, ((index & 1) === 0 ? 700 : -700) / log(base)));
      x *= 1.155;
    }
    expect(x).toBeGreaterThan(1e300);
    expect(hashes.map((hash) => hash.hex())).toEqual([
      'cad3035372790cc3',
      '283d339a826eb891',
      'f6ceb71e3662b7ec',
    ]);
  });
});

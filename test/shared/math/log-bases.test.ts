import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fnv64 } from '../../../src/shared/hash.ts';
import { log10, log2 } from '../../../src/shared/math/log-bases.ts';
import { scaled } from '../../scaled.ts';
import {
  around,
  exponentOf,
  feed,
  nearOne,
  neighbour,
  NORMAL_MIN,
  positive,
  subnormal,
  toHex,
} from './doubles.ts';
import { log10UlpError, log2UlpError } from './reference.ts';

/** The documented bounds: the second holds for `log2` just below a power of two. */
const ULP_MAX = 0.51;
const ULP_MAX_BELOW = 1;
/** Nearer than this part of itself to a power of two, a logarithm below it may round to it. */
const BELOW = 2 ** -43;

const RUNS = scaled({ tiny: 300, normal: 3000, full: 200_000 });

function checkLog2(x: number): void {
  const value = log2(x);
  const exponent = exponentOf(x);
  const isBelow = x / 2 ** exponent > 2 - 2 * BELOW;
  expect(log2UlpError(value, x)).toBeLessThan(isBelow ? ULP_MAX_BELOW : ULP_MAX);
  expect(Math.floor(value)).toBe(exponent);
}

function checkLog10(x: number): void {
  expect(log10UlpError(log10(x), x)).toBeLessThan(ULP_MAX);
}

const other = positive.filter((x) => x !== 1);

describe('the logarithm to the base 2', () => {
  it('lies within 0.51 ulp of a 320-bit reference and has the right floor, at any double', () => {
    fc.assert(fc.property(other, checkLog2), { numRuns: RUNS });
  });

  it('does so near 1, where nearly all bits cancel', () => {
    fc.assert(fc.property(nearOne, checkLog2), { numRuns: RUNS });
  });

  it('does so among the subnormals and at both ends of the doubles', () => {
    fc.assert(fc.property(subnormal, checkLog2), { numRuns: RUNS / 4 });
    around(NORMAL_MIN).map(checkLog2);
    [Number.MIN_VALUE, Number.MAX_VALUE, neighbour(Number.MAX_VALUE, -1)].map(checkLog2);
  });

  it('is the exponent of every power of two', () => {
    for (let n = -1074; n <= 1023; n++) expect(Object.is(log2(2 ** n), n)).toBe(true);
  });

  it('keeps to its side of a whole number, up to 32 doubles from every power of two', () => {
    const wrong: string[] = [];
    for (let n = -1022; n <= 1023; n++) {
      for (let steps = 1; steps <= 32; steps++) {
        const below = log2(neighbour(2 ** n, -steps));
        const above = log2(neighbour(2 ** n, steps));
        if (!(below < n && above >= n)) wrong.push(`2^${n}, ${steps} doubles away`);
      }
    }
    expect(wrong).toEqual([]);
    for (let n = -1073; n <= 1023; n++) checkLog2(neighbour(2 ** n, -1));
  });

  it('rises with every whole number up to 2^20, and its floor is the place of the top bit', () => {
    const wrong: number[] = [];
    for (let n = 1, before = -1; n <= 2 ** 20; n++) {
      const value = log2(n);
      if (Math.floor(value) !== 31 - Math.clz32(n) || value <= before) wrong.push(n);
      before = value;
    }
    expect(wrong).toEqual([]);
  });

  it('never falls from one double to the next', () => {
    fc.assert(
      fc.property(positive, fc.integer({ min: 1, max: 1000 }), (x, steps) => {
        fc.pre(x < 1e308);
        expect(log2(neighbour(x, steps))).toBeGreaterThanOrEqual(log2(x));
      }),
      { numRuns: RUNS },
    );
  });

  it('gives special values what ECMAScript gives them', () => {
    expect(log2(1)).toBe(0);
    expect(log2(0)).toBe(-Infinity);
    expect(log2(-0)).toBe(-Infinity);
    expect(log2(Infinity)).toBe(Infinity);
    for (const x of [-Number.MIN_VALUE, -1, -Infinity, NaN]) expect(log2(x)).toBe(NaN);
    expect(log2(Math.E)).toBe(Math.LOG2E);
    expect(log2(10)).toBe(Math.log2(10));
  });
});

describe('the logarithm to the base 10', () => {
  it('lies within 0.51 ulp of a 320-bit reference, at any double', () => {
    fc.assert(fc.property(other, checkLog10), { numRuns: RUNS });
  });

  it('does so near 1, where nearly all bits cancel', () => {
    fc.assert(fc.property(nearOne, checkLog10), { numRuns: RUNS });
  });

  it('does so among the subnormals and at both ends of the doubles', () => {
    fc.assert(fc.property(subnormal, checkLog10), { numRuns: RUNS / 4 });
    around(NORMAL_MIN).map(checkLog10);
    [Number.MIN_VALUE, Number.MAX_VALUE].map(checkLog10);
  });

  it('is the exponent of the double nearest to every power of ten', () => {
    for (let n = -307; n <= 308; n++) expect(Object.is(log10(Number(`1e${n}`)), n)).toBe(true);
  });

  it('rises with every whole number up to 2^20, and its floor counts the digits', () => {
    const wrong: number[] = [];
    for (let n = 1, before = -1; n <= 2 ** 20; n++) {
      const value = log10(n);
      if (Math.floor(value) !== String(n).length - 1 || value <= before) wrong.push(n);
      before = value;
    }
    expect(wrong).toEqual([]);
    for (let n = 1; n <= 14; n++) expect(log10(10 ** n - 1)).toBeLessThan(n);
    expect(log10(1e15 - 1)).toBe(15);
  });

  it('never falls from one double to the next', () => {
    fc.assert(
      fc.property(positive, fc.integer({ min: 1, max: 1000 }), (x, steps) => {
        fc.pre(x < 1e308);
        expect(log10(neighbour(x, steps))).toBeGreaterThanOrEqual(log10(x));
      }),
      { numRuns: RUNS },
    );
  });

  it('gives special values what ECMAScript gives them', () => {
    expect(log10(1)).toBe(0);
    expect(log10(0)).toBe(-Infinity);
    expect(log10(-0)).toBe(-Infinity);
    expect(log10(Infinity)).toBe(Infinity);
    for (const x of [-Number.MIN_VALUE, -1, -Infinity, NaN]) expect(log10(x)).toBe(NaN);
    expect(log10(Math.E)).toBe(Math.LOG10E);
    expect(log10(2)).toBe(Math.log10(2));
  });
});

describe('golden bits', () => {
  const arguments_ = [5e-324, 0.1, 0.9999999, 3, 1e300, 255.99999999999997];

  it('of a handful of results never change', () => {
    expect(arguments_.map((x) => toHex(log2(x)))).toEqual([
      'c090c80000000000',
      'c00a934f0979a371',
      'be835d100a8009b2',
      '3ff95c01a39fbd68',
      '408f24a09f1a8b89',
      '401fffffffffffff',
    ]);
    expect(arguments_.map((x) => toHex(log10(x)))).toEqual([
      'c07434e6420f4374',
      'bff0000000000000',
      'be6750e5f0ba08cd',
      '3fde8927964fd5fd',
      '4072c00000000000',
      '40034413509f79ff',
    ]);
  });

  it('of 10,000 results of each never change', () => {
    const hashes = [new Fnv64(), new Fnv64()] as const;
    let x = 4e-320;
    for (let index = 0; index < 10_000; index++) {
      feed(hashes[0], log2(x));
      feed(hashes[1], log10(x));
      feed(hashes[0], log2(0.50001 + index * 0.00025));
      feed(hashes[1], log10(0.50001 + index * 0.00025));
      x *= 1.155;
    }
    expect(x).toBeGreaterThan(1e300);
    expect(hashes.map((hash) => hash.hex())).toEqual(['e051a151dad3fb8f', 'f4ecf1b9a89263b4']);
  });
});

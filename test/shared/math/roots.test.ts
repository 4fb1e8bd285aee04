import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fnv64 } from '../../../src/shared/hash.ts';
import { cbrt, hypot } from '../../../src/shared/math/roots.ts';
import { scaled } from '../../scaled.ts';
import {
  around,
  feed,
  neighbour,
  NORMAL_MIN,
  octaves,
  positive,
  subnormal,
  toHex,
  uniform,
} from './doubles.ts';
import { cbrtUlpError, hypotUlpError } from './reference.ts';

/** The documented bound. */
const ULP_MAX = 0.501;

const RUNS = scaled({ tiny: 300, normal: 3000, full: 200_000 });

function checkCbrt(x: number): void {
  const root = cbrt(x);
  expect(cbrtUlpError(root, x)).toBeLessThan(ULP_MAX);
  expect(cbrt(-x)).toBe(-root);
}

function checkHypot(x: number, y: number): void {
  const length = hypot(x, y);
  expect(hypotUlpError(length, x, y)).toBeLessThan(ULP_MAX);
  for (const [a, b] of [
    [y, x],
    [-x, y],
    [x, -y],
    [-y, -x],
  ] as const) {
    expect(hypot(a, b)).toBe(length);
  }
}

/** Two legs with exponents between two bounds, neither of which is lost beside the other. */
const legs = (min: number, max: number): fc.Arbitrary<readonly [number, number]> =>
  fc
    .tuple(octaves(min, max), uniform(1, 2), fc.integer({ min: 0, max: 30 }))
    .map(([long, significand, less]) => [long, long * significand * 2 ** -less] as const);

function checkLegs(min: number, max: number, runs: number): void {
  fc.assert(
    fc.property(legs(min, max), ([x, y]) => checkHypot(x, y)),
    { numRuns: runs },
  );
}

describe('the cube root', () => {
  it('lies within 0.501 ulp of an exact reference and is odd, at any double', () => {
    fc.assert(fc.property(positive, checkCbrt), { numRuns: RUNS });
  });

  it('does so for everyday sizes and for every third of an octave', () => {
    fc.assert(fc.property(uniform(1, 8), checkCbrt), { numRuns: RUNS });
  });

  it('does so among the subnormals and at both ends of the doubles', () => {
    fc.assert(fc.property(subnormal, checkCbrt), { numRuns: RUNS / 4 });
    around(NORMAL_MIN).map(checkCbrt);
    [Number.MIN_VALUE, Number.MAX_VALUE].map(checkCbrt);
  });

  it('does so beside every power of two', () => {
    for (let n = -1021; n <= 1023; n++) around(2 ** n).map(checkCbrt);
  });

  it('is exact for the cube of every whole number up to 2^17, and is odd', () => {
    const wrong: number[] = [];
    for (let n = 0; n <= 2 ** 17; n++) {
      const cube = n * n * n;
      if (!Object.is(cbrt(cube), n) || !Object.is(cbrt(-cube), -n)) wrong.push(n);
    }
    expect(wrong).toEqual([]);
  });

  it('is exact for such a cube times any power of eight', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 17 }),
        fc.integer({ min: -358, max: 324 }),
        (n, k) => {
          // One factor alone may lie below the doubles; every product is exact.
          const cube = n * n * n * 2 ** k * 2 ** k * 2 ** k;
          expect(cbrt(cube)).toBe(n * 2 ** k);
        },
      ),
      { numRuns: RUNS },
    );
    for (let k = -358; k <= 341; k++) expect(cbrt(2 ** (3 * k))).toBe(2 ** k);
  });

  it('never falls from one double to the next', () => {
    fc.assert(
      fc.property(positive, fc.integer({ min: 1, max: 1000 }), (x, steps) => {
        fc.pre(x < 1e308);
        expect(cbrt(neighbour(x, steps))).toBeGreaterThanOrEqual(cbrt(x));
      }),
      { numRuns: RUNS },
    );
  });

  it('gives special values what ECMAScript gives them', () => {
    for (const x of [0, -0, Infinity, -Infinity, NaN]) expect(cbrt(x)).toBe(x);
  });
});

describe('the hypotenuse', () => {
  it('lies within 0.501 ulp of an exact reference, with any two legs', () => {
    fc.assert(fc.property(positive, positive, checkHypot), { numRuns: RUNS });
    checkLegs(-1022, 1021, RUNS);
  });

  it('does so for everyday sizes', () => {
    fc.assert(fc.property(uniform(0.01, 2), uniform(0.01, 2), checkHypot), { numRuns: RUNS });
    checkLegs(-20, 20, RUNS);
  });

  it('does so on both sides of where the legs are scaled', () => {
    checkLegs(498, 501, RUNS / 4);
    checkLegs(-402, -398, RUNS / 4);
    for (const border of [2 ** 500, 2 ** -400]) {
      for (const x of around(border)) {
        for (const ratio of [1, 0.7, 2 ** -20, 2 ** -27, 2 ** -60, 2 ** -600]) {
          checkHypot(x, x * ratio);
        }
      }
    }
  });

  it('does so next to overflow, and is Infinity only beyond it', () => {
    checkLegs(1021, 1023, RUNS / 2);
    const max = Number.MAX_VALUE;
    expect(hypot(max, 0)).toBe(max);
    expect(hypot(max, 2 ** 996)).toBe(max);
    expect(hypot(max, 2 ** 997)).toBe(max);
    expect(hypot(max, 2 ** 998)).toBe(Infinity);
    expect(hypot(max, max)).toBe(Infinity);
    expect(hypot(max / 2, max / 2)).toBe(max * Math.SQRT1_2);
  });

  it('does so where the length is subnormal, or nearly', () => {
    fc.assert(fc.property(subnormal, subnormal, checkHypot), { numRuns: RUNS });
    checkLegs(-1026, -1020, RUNS);
    for (const x of around(NORMAL_MIN)) for (const y of around(NORMAL_MIN)) checkHypot(x, y);
    for (let a = 1; a <= 40; a++) {
      for (let b = 1; b <= 40; b++) checkHypot(a * Number.MIN_VALUE, b * Number.MIN_VALUE);
    }
  });

  it('is exact for the triples of Pythagoras, at any size', () => {
    const side = fc.integer({ min: 1, max: 2 ** 25 });
    fc.assert(
      fc.property(side, side, fc.integer({ min: -1074, max: 970 }), (m, n, exponent) => {
        const scale = 2 ** exponent;
        const [x, y, length] = [Math.abs(m * m - n * n), 2 * m * n, m * m + n * n];
        expect(hypot(x * scale, y * scale)).toBe(length * scale);
      }),
      { numRuns: RUNS },
    );
    expect(hypot(3, 4)).toBe(5);
    expect(hypot(3 * Number.MIN_VALUE, 4 * Number.MIN_VALUE)).toBe(5 * Number.MIN_VALUE);
  });

  it('is at least the longer leg, and that leg alone where the other is lost', () => {
    fc.assert(
      fc.property(positive, positive, (x, y) => {
        expect(hypot(x, y)).toBeGreaterThanOrEqual(Math.max(x, y));
        expect(hypot(x, -0)).toBe(x);
        expect(hypot(0, -x)).toBe(x);
        if (x < 1e300) expect(hypot(x, x * 2 ** -54)).toBe(x);
      }),
      { numRuns: RUNS },
    );
  });

  it('gives special values what ECMAScript gives them', () => {
    const values = [0, -0, 1, -1, Number.MIN_VALUE, Number.MAX_VALUE, Infinity, -Infinity, NaN];
    for (const x of values) {
      for (const y of values) expect(hypot(x, y)).toBe(Math.hypot(x, y));
    }
    expect(hypot(NaN, -Infinity)).toBe(Infinity);
    expect(hypot(-0, -0)).toBe(0);
  });
});

describe('golden bits', () => {
  it('of a handful of results never change', () => {
    const cubes = [5e-324, -0.1, 0.9999999, 3, 1e300];
    expect(cubes.map((x) => toHex(cbrt(x)))).toEqual([
      '2990000000000000',
      'bfddb4c7760bcff3',
      '3fefffffee1ab38f',
      '3ff7137449123ef6',
      '54b249ad2594c37d',
    ]);
    const pairs = [
      [0.1, 0.3],
      [-7, 13],
      [1e300, 3e299],
      [1e-310, 3e-311],
      [5e-324, 1.5e-323],
    ] as const;
    expect(pairs.map(([x, y]) => toHex(hypot(x, y)))).toEqual([
      '3fd43d136248490f',
      '402d8796e35ddbb2',
      '7e38f189cf7aa555',
      '000013380a85a1f1',
      '0000000000000003',
    ]);
  });

  it('of 10,000 results of each never change', () => {
    const hashes = [new Fnv64(), new Fnv64()] as const;
    let x = 4e-320;
    for (let index = 0; index < 10_000; index++) {
      feed(hashes[0], cbrt((index & 1) === 0 ? x : -x));
      feed(hashes[1], hypot(x, x * (index % 97) * 0.03));
      x *= 1.155;
    }
    expect(x).toBeGreaterThan(1e300);
    expect(hashes.map((hash) => hash.hex())).toEqual(['e99f1ac2778af9cb', 'a312fc25e2a5e767']);
  });
});

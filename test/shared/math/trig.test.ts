import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fnv64 } from '../../../src/shared/hash.ts';
import { atan2, cos, sin } from '../../../src/shared/math/trig.ts';
import { scaled } from '../../scaled.ts';
import { angleUlpError, sineAndCosine, ulpError } from './reference.ts';

/** The documented bound. The worst found in millions of samples is 0.77. */
const ULP_MAX = 0.8;

const RUNS = scaled({ tiny: 400, normal: 3000, full: 200_000 });

function checkSineAndCosine(x: number): void {
  const exact = sineAndCosine(x);
  expect(ulpError(sin(x), exact.sine)).toBeLessThan(ULP_MAX);
  expect(ulpError(cos(x), exact.cosine)).toBeLessThan(ULP_MAX);
}

function feed(hash: Fnv64, value: number): void {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  hash.u32(view.getUint32(0));
  hash.u32(view.getUint32(4));
}

const within = (max: number): fc.Arbitrary<number> => fc.double({ min: -max, max, noNaN: true });
const uniform = (max: number): fc.Arbitrary<number> =>
  fc.integer({ min: -(2 ** 40), max: 2 ** 40 }).map((n) => (n / 2 ** 40) * max);

describe('sine and cosine', () => {
  it('lie within 0.8 ulp of a 400-bit reference in the first turns', () => {
    fc.assert(fc.property(uniform(7), checkSineAndCosine), { numRuns: RUNS });
  });

  it('lie within 0.8 ulp up to the end of the Cody-Waite reduction and a little beyond', () => {
    fc.assert(fc.property(uniform(1_700_000), checkSineAndCosine), { numRuns: RUNS });
  });

  it('lie within 0.8 ulp at any double', () => {
    fc.assert(
      fc.property(
        within(Number.MAX_VALUE).filter((x) => Math.abs(x) > 1e-60),
        checkSineAndCosine,
      ),
      { numRuns: RUNS / 2 },
    );
  });

  it('lie within 0.8 ulp beside multiples of a quarter turn, where nearly all bits cancel', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (n) =>
        checkSineAndCosine((n * Math.PI) / 2),
      ),
      { numRuns: RUNS / 2 },
    );
  });

  it('hold at the double closest to a multiple of a quarter turn', () => {
    checkSineAndCosine(6381956970095103 * 2 ** 797);
    checkSineAndCosine(-6381956970095103 * 2 ** 797);
    checkSineAndCosine(Number.MAX_VALUE);
  });

  it('hold on both sides of every border between two methods', () => {
    for (const border of [2 ** -27, Math.PI / 4, 1_647_099, 2 ** 52, 2 ** 53, 2 ** 76, 2 ** 100]) {
      for (const factor of [1 - 2 ** -53, 1, 1 + 2 ** -52]) {
        checkSineAndCosine(border * factor);
        checkSineAndCosine(-border * factor);
      }
    }
  });

  it('are odd and even, bitwise', () => {
    fc.assert(
      fc.property(within(1e300), (x) => {
        expect(sin(-x)).toBe(-sin(x));
        expect(cos(-x)).toBe(cos(x));
      }),
    );
  });

  it('keep zeros, subnormals and their signs', () => {
    expect(sin(0)).toBe(0);
    expect(sin(-0)).toBe(-0);
    expect(sin(Number.MIN_VALUE)).toBe(Number.MIN_VALUE);
    expect(sin(-Number.MIN_VALUE)).toBe(-Number.MIN_VALUE);
    expect(cos(0)).toBe(1);
    expect(cos(-0)).toBe(1);
    expect(cos(Number.MIN_VALUE)).toBe(1);
  });

  it('have no value at the infinities and at NaN', () => {
    for (const x of [Infinity, -Infinity, NaN]) {
      expect(sin(x)).toBe(NaN);
      expect(cos(x)).toBe(NaN);
    }
    // The steps share scratch memory: what has no value leaves nothing behind in it.
    expect(sin(1)).toBe(0.8414709848078965);
  });
});

describe('the arc tangent', () => {
  it('lies within 0.8 ulp of a 400-bit reference in all directions', () => {
    fc.assert(
      fc.property(uniform(1), uniform(1), (y, x) => {
        fc.pre(y !== 0 && x !== 0);
        expect(angleUlpError(atan2(y, x), y, x)).toBeLessThan(ULP_MAX);
      }),
      { numRuns: RUNS },
    );
  });

  it('lies within 0.8 ulp for flat and steep points of any size', () => {
    const significand = fc.integer({ min: 2 ** 30, max: 2 ** 31 - 1 });
    const exponent = fc.integer({ min: -900, max: 900 });
    const ratio = fc.integer({ min: -70, max: 70 });
    const signs = fc.constantFrom(1, -1);
    fc.assert(
      fc.property(significand, significand, exponent, ratio, signs, signs, (a, b, e, r, s, t) => {
        const y = s * a * 2 ** e;
        const x = t * b * 2 ** (e + r);
        expect(angleUlpError(atan2(y, x), y, x)).toBeLessThan(ULP_MAX);
      }),
      { numRuns: RUNS },
    );
  });

  it('lies within 0.8 ulp on both sides of every border between two methods', () => {
    for (const border of [2 ** -54, 0.4375, 0.6875, 1, 1 / 0.6875, 1 / 0.4375, 2 ** 54]) {
      for (const size of [1, 2 ** 501, 2 ** -401, 2 ** -960]) {
        for (const step of [1 - 2 ** -53, 1, 1 + 2 ** -52]) {
          const y = border * step * size;
          expect(angleUlpError(atan2(y, size), y, size)).toBeLessThan(ULP_MAX);
          expect(angleUlpError(atan2(-y, -size), -y, -size)).toBeLessThan(ULP_MAX);
        }
      }
    }
  });

  it('is the rounded quotient where that is tiny, down to the subnormals', () => {
    expect(atan2(2 ** -1000, 2 ** 10)).toBe(2 ** -1010);
    expect(atan2(-(2 ** -1000), 2 ** 70)).toBe(-(2 ** -1070));
    expect(atan2(Number.MIN_VALUE, 1)).toBe(Number.MIN_VALUE);
    expect(atan2(Number.MIN_VALUE, Number.MAX_VALUE)).toBe(0);
    expect(atan2(3e-310, 7)).toBe(3e-310 / 7);
  });

  it('takes subnormals and the largest doubles as points', () => {
    expect(atan2(Number.MIN_VALUE, Number.MIN_VALUE)).toBe(Math.PI / 4);
    expect(atan2(Number.MAX_VALUE, -Number.MAX_VALUE)).toBe((3 * Math.PI) / 4);
    expect(angleUlpError(atan2(5e-322, 3e-321), 5e-322, 3e-321)).toBeLessThan(ULP_MAX);
  });

  it('gives zeros, axes and infinities what ECMAScript gives them', () => {
    const values = [0, -0, 1, -1, Infinity, -Infinity, NaN];
    for (const y of values) {
      for (const x of values) expect(atan2(y, x)).toBe(Math.atan2(y, x));
    }
    expect(atan2(0, 0)).toBe(0);
    expect(atan2(-0, -1)).toBe(-Math.PI);
  });

  it('is odd in y, bitwise', () => {
    fc.assert(
      fc.property(within(1e10), within(1e10), (y, x) => {
        expect(atan2(-y, x)).toBe(-atan2(y, x));
      }),
    );
  });
});

describe('golden bits', () => {
  it('of 65,536 angles of a turn never change', () => {
    const sines = new Fnv64();
    const angles = new Fnv64();
    for (let index = 0; index < 65_536; index++) {
      const angle = (index / 65_536) * 6.283185307179586;
      feed(sines, sin(angle));
      feed(sines, cos(angle));
      feed(angles, atan2(sin(angle), cos(angle)));
    }
    expect(sines.hex()).toBe('92a4caf8b45a4af2');
    expect(angles.hex()).toBe('7cda74b410208e18');
  });

  it('of 4,096 angles up to 1e300 never change', () => {
    const hash = new Fnv64();
    let angle = 1;
    for (let index = 0; index < 4096; index++) {
      feed(hash, sin(angle));
      feed(hash, cos(-angle));
      feed(hash, atan2(angle, 3e100));
      angle *= 1.18;
    }
    expect(angle).toBeGreaterThan(1e290);
    expect(hash.hex()).toBe('1a8c7155f4e7e2b7');
  });
});

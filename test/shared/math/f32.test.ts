import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addF32,
  clampF32,
  divF32,
  equalsF32,
  greaterF32,
  greaterOrEqualF32,
  isFiniteF32,
  isInfiniteF32,
  isNaNF32,
  isOrderedF32,
  length2F32,
  length3F32,
  lerpF32,
  lessF32,
  lessOrEqualF32,
  mulF32,
  normalise2F32,
  normalise3F32,
  notEqualsF32,
  sqrtF32,
  subF32,
  toF32,
} from '../../../src/shared/math/f32.ts';
import { scaled } from '../../scaled.ts';
import {
  exactProduct,
  exactQuotient,
  exactSum,
  roundedRoot,
  roundToBinary32,
  toPlaces,
} from './binary32.ts';

const RUNS = scaled({ tiny: 500, normal: 4000, full: 200_000 });

const F32_MAX = 3.4028234663852886e38;
const F32_NORMAL_MIN = 2 ** -126;
const F32_MIN = 2 ** -149;

const view = new DataView(new ArrayBuffer(4));
function fromBits(bits: number): number {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

/** Any finite bit pattern. */
const anyFinite = fc
  .integer({ min: 0, max: 0xffffffff })
  .map(fromBits)
  .filter((value) => Number.isFinite(value));
/** Values of neighbouring octaves, whose sums overlap. */
const close = fc
  .tuple(fc.integer({ min: -0xffffff, max: 0xffffff }), fc.integer({ min: -30, max: 4 }))
  .map(([significand, exponent]) => significand * 2 ** exponent);
/** Few bits, or nearly all of them set: their sums and products tie. */
const sparse = fc
  .tuple(
    fc.constantFrom(1, -1, 3, 5, 0x800001, -0xffffff, 0xfffffe, 0x7fffff, 0xfff, 0x1001),
    fc.integer({ min: -149, max: 104 }),
  )
  .map(([significand, exponent]) => significand * 2 ** exponent);
const subnormal = fc
  .integer({ min: -0x7fffff, max: 0x7fffff })
  .map((significand) => significand * F32_MIN);
const operand = fc.oneof(anyFinite, close, sparse, subnormal);

function checkExact(
  operation: (a: number, b: number) => number,
  expected: (a: number, b: number) => number,
  pairs: fc.Arbitrary<readonly [number, number]> = fc.tuple(operand, operand),
): void {
  fc.assert(
    fc.property(pairs, ([a, b]) => {
      expect(operation(a, b)).toBe(expected(a, b));
    }),
    { numRuns: RUNS },
  );
}

function expectedSum(a: number, b: number): number {
  const sum = exactSum(a, b);
  // The zero of a cancellation is positive; that of two equal zeros keeps their sign.
  if (sum.numerator === 0n) return Object.is(a, -0) && Object.is(b, -0) ? -0 : 0;
  return roundToBinary32(sum);
}

function expectedProduct(a: number, b: number): number {
  const product = exactProduct(a, b);
  return product.numerator === 0n ? signedZero(a, b) : roundToBinary32(product);
}

function expectedQuotient(a: number, b: number): number {
  if (b === 0) return a === 0 ? NaN : Infinity * zeroSign(a, b);
  return a === 0 ? signedZero(a, b) : roundToBinary32(exactQuotient(a, b));
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

function zeroSign(a: number, b: number): number {
  return isNegative(a) === isNegative(b) ? 1 : -1;
}

function signedZero(a: number, b: number): number {
  return zeroSign(a, b) > 0 ? 0 : -0;
}

describe('each operation is the correctly rounded one of binary32', () => {
  it('for sums', () => {
    checkExact(addF32, expectedSum);
  });

  it('for differences', () => {
    checkExact(subF32, (a, b) => expectedSum(a, -b));
  });

  it('for products', () => {
    checkExact(mulF32, expectedProduct);
  });

  it('for products among the subnormals and around the smallest and the largest value', () => {
    const octave = fc.oneof(
      fc.integer({ min: -152, max: -124 }),
      fc.integer({ min: 126, max: 129 }),
    );
    const significand = fc.integer({ min: 0x800000, max: 0xffffff });
    const pairs = fc.tuple(significand, significand, octave).map(([a, b, exponent]) => {
      const half = exponent >> 1;
      return [a * 2 ** (half - 23), b * 2 ** (exponent - half - 23)] as const;
    });
    checkExact(mulF32, expectedProduct, pairs);
  });

  it('for quotients', () => {
    checkExact(divF32, expectedQuotient);
  });

  it('for quotients among the subnormals and around the smallest and the largest value', () => {
    const octave = fc.oneof(
      fc.integer({ min: -152, max: -124 }),
      fc.integer({ min: 126, max: 129 }),
    );
    const significand = fc.integer({ min: 0x800000, max: 0xffffff });
    const pairs = fc.tuple(significand, significand, octave).map(([a, b, exponent]) => {
      const half = exponent >> 1;
      return [a * 2 ** (half - 23), b * 2 ** (half - exponent - 23)] as const;
    });
    checkExact(divF32, expectedQuotient, pairs);
  });

  it('for square roots', () => {
    fc.assert(
      fc.property(operand, (value) => {
        const size = Math.abs(value);
        expect(sqrtF32(size)).toBe(size === 0 ? 0 : roundedRoot(size));
      }),
      { numRuns: RUNS },
    );
  });

  it('for roots of squares and of their neighbours, where the root nearly ties', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0x800000, max: 0x1ffffff }),
        fc.integer({ min: -60, max: 38 }),
        fc.constantFrom(-1, 0, 1),
        (root, exponent, step) => {
          // 25 bits of root: every other one is a tie of binary32.
          view.setFloat32(0, root * root * 4 ** exponent);
          const value = fromBits(view.getUint32(0) + step);
          expect(sqrtF32(value)).toBe(roundedRoot(value));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('for a double that becomes one', () => {
    expect(toF32(1 + 2 ** -24)).toBe(1);
    expect(toF32(1 + 2 ** -24 + 2 ** -52)).toBe(1 + 2 ** -23);
    expect(toF32(1 + 3 * 2 ** -24)).toBe(1 + 2 ** -22);
    expect(toF32(2 ** 128 - 2 ** 103)).toBe(Infinity);
    expect(toF32(2 ** 128 - 2 ** 103 - 2 ** 75)).toBe(F32_MAX);
    expect(toF32(2 ** -150)).toBe(0);
    expect(toF32(-(2 ** -150))).toBe(-0);
    expect(toF32(NaN)).toBe(NaN);
  });
});

describe('the reference of these tests', () => {
  it('gives back every binary32 value, and the even neighbour of a tie', () => {
    const denominator = 1n << 150n;
    fc.assert(
      fc.property(
        anyFinite.filter((value) => value !== 0),
        (value) => {
          const twice = 2n * toPlaces(value);
          expect(roundToBinary32({ numerator: twice, denominator })).toBe(value);
        },
      ),
    );
    const tie = (numerator: bigint): number => roundToBinary32({ numerator, denominator });
    expect(tie(1n)).toBe(0);
    expect(tie(3n)).toBe(2 * F32_MIN);
    expect(tie(-3n)).toBe(-2 * F32_MIN);
    expect(tie(((1n << 24n) + 1n) << 150n)).toBe(2 ** 24);
    expect(tie(((1n << 24n) + 3n) << 150n)).toBe(2 ** 24 + 4);
    expect(tie((2n ** 128n - 2n ** 103n) << 150n)).toBe(Infinity);
    expect(tie((2n ** 128n - 2n ** 103n - 1n) << 150n)).toBe(F32_MAX);
  });
});

describe('composed operations round each step', () => {
  it('lerp: one difference, one product, one sum', () => {
    fc.assert(
      fc.property(close, close, fc.oneof(close, fc.constantFrom(0, 1, 0.5)), (a, b, t) => {
        const step = expectedProduct(expectedSum(b, -a), t);
        expect(lerpF32(a, b, t)).toBe(expectedSum(a, step));
        expect(lerpF32(a, b, 0)).toBe(a + 0);
      }),
      { numRuns: RUNS },
    );
    // In doubles, or with a fused step, this is 1: the difference loses the 2^-30.
    expect(lerpF32(-1, 2 ** -30, 1)).toBe(0);
    expect(lerpF32(0, 10, 0.25)).toBe(2.5);
    expect(lerpF32(0, 10, 2)).toBe(20);
    expect(lerpF32(0, 10, -1)).toBe(-10);
  });

  it('length: squares, sums from the left, root', () => {
    fc.assert(
      fc.property(close, close, close, (x, y, z) => {
        const flat = expectedSum(expectedProduct(x, x), expectedProduct(y, y));
        const solid = expectedSum(flat, expectedProduct(z, z));
        expect(length2F32(x, y)).toBe(flat === 0 ? 0 : roundedRoot(flat));
        expect(length3F32(x, y, z)).toBe(solid === 0 ? 0 : roundedRoot(solid));
      }),
      { numRuns: RUNS / 2 },
    );
    expect(length2F32(3, -4)).toBe(5);
    expect(length3F32(2, -3, 6)).toBe(7);
    expect(length2F32(F32_MAX, 0)).toBe(Infinity);
    expect(length2F32(2 ** -76, 0)).toBe(0);
    expect(length3F32(0, NaN, 1)).toBe(NaN);
  });

  it('normalise: one division by the length for each part', () => {
    const out = new Float32Array(5);
    fc.assert(
      fc.property(close, close, close, (x, y, z) => {
        fc.pre(length2F32(x, y) > 0);
        const flat = length2F32(x, y);
        const solid = length3F32(x, y, z);
        out.fill(7);
        expect(normalise2F32(x, y, out, 1)).toBe(true);
        const flatParts = [expectedQuotient(x, flat), expectedQuotient(y, flat)];
        expect([...out]).toEqual([7, ...flatParts, 7, 7]);
        expect(normalise3F32(x, y, z, out, 1)).toBe(true);
        const parts = [x, y, z].map((part) => expectedQuotient(part, solid));
        expect([...out]).toEqual([7, ...parts, 7]);
      }),
      { numRuns: RUNS / 4 },
    );
  });

  it('normalise has no direction for zero, for lengths out of range and for NaN', () => {
    const out = new Float32Array(3);
    for (const [x, y, expected] of [
      [0, 0, [0, 0]],
      [-0, 0, [0, 0]],
      [-(2 ** -76), 2 ** -80, [0, 0]],
      [F32_MAX, -1, [0, -0]],
      [-Infinity, 1, [NaN, 0]],
      [NaN, 1, [NaN, NaN]],
    ] as const) {
      out.fill(7);
      expect(normalise2F32(x, y, out, 0)).toBe(false);
      expect([...out]).toEqual([...expected, 7]);
      expect(normalise3F32(x, y, 0, out, 0)).toBe(false);
      expect([...out]).toEqual([...expected, Number.isNaN(expected[1]) ? NaN : 0]);
    }
  });
});

describe('special values', () => {
  it('take part as IEEE 754 says', () => {
    expect(addF32(Infinity, -Infinity)).toBe(NaN);
    expect(subF32(Infinity, 1)).toBe(Infinity);
    expect(addF32(F32_MAX, F32_MAX)).toBe(Infinity);
    expect(mulF32(0, -Infinity)).toBe(NaN);
    expect(mulF32(-F32_MAX, 2)).toBe(-Infinity);
    expect(divF32(Infinity, Infinity)).toBe(NaN);
    expect(divF32(1, -Infinity)).toBe(-0);
    expect(sqrtF32(-0)).toBe(-0);
    expect(sqrtF32(-F32_MIN)).toBe(NaN);
    expect(sqrtF32(Infinity)).toBe(Infinity);
    for (const operation of [addF32, subF32, mulF32, divF32]) {
      expect(operation(NaN, 1)).toBe(NaN);
      expect(operation(1, NaN)).toBe(NaN);
    }
  });

  it('keep subnormals', () => {
    expect(subF32(F32_NORMAL_MIN + F32_MIN, F32_NORMAL_MIN)).toBe(F32_MIN);
    expect(mulF32(F32_NORMAL_MIN, 0.5)).toBe(2 ** -127);
    expect(divF32(F32_MIN, 2)).toBe(0);
    expect(divF32(3 * F32_MIN, 2)).toBe(2 * F32_MIN);
    expect(addF32(F32_MIN, F32_MIN)).toBe(2 * F32_MIN);
  });

  it('clamp to a bound, except NaN', () => {
    expect(clampF32(NaN, -1, 1)).toBe(NaN);
    expect(clampF32(Infinity, -1, 1)).toBe(1);
    expect(clampF32(-Infinity, -1, 1)).toBe(-1);
    expect(clampF32(0.5, -1, 1)).toBe(0.5);
    expect(clampF32(-0, 0, 1)).toBe(-0);
    fc.assert(
      fc.property(operand, operand, operand, (value, a, b) => {
        const [low, high] = a <= b ? [a, b] : [b, a];
        const sorted = [value, low, high].sort((first, second) => first - second);
        expect(clampF32(value, low, high) === sorted[1]).toBe(true);
      }),
    );
  });

  it('compare in order: every comparison with NaN is false, but that it is not equal', () => {
    const values = [NaN, -Infinity, -1, -F32_MIN, -0, 0, F32_MIN, 1, Infinity];
    for (const [i, a] of values.entries()) {
      for (const [j, b] of values.entries()) {
        const ordered = i > 0 && j > 0;
        const equal = ordered && (i === j || (a === 0 && b === 0));
        const less = ordered && i < j && !equal;
        const greater = ordered && i > j && !equal;
        expect(isOrderedF32(a, b)).toBe(ordered);
        expect(equalsF32(a, b)).toBe(equal);
        expect(notEqualsF32(a, b)).toBe(!equal);
        expect(lessF32(a, b)).toBe(less);
        expect(lessOrEqualF32(a, b)).toBe(less || equal);
        expect(greaterF32(a, b)).toBe(greater);
        expect(greaterOrEqualF32(a, b)).toBe(greater || equal);
      }
    }
    expect(values.map(isNaNF32)).toEqual(values.map((_, index) => index === 0));
    expect(values.map(isFiniteF32)).toEqual(values.map((_, index) => index > 1 && index < 8));
    const infinities = values.map((value) => Math.abs(value) === Infinity);
    expect(values.map(isInfiniteF32)).toEqual(infinities);
    expect(infinities.filter(Boolean)).toHaveLength(2);
  });
});

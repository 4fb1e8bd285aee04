import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FIXED_MAX,
  FIXED_MIN,
  FIXED_ONE,
  fromFixed,
  lerpFixed,
  toFixed,
} from '../../../src/shared/math/fixed.ts';
import { scaled } from '../../scaled.ts';
import { decompose } from './reference.ts';

const clamp = (raw: bigint): number =>
  Number(raw > 2147483647n ? 2147483647n : raw < -2147483648n ? -2147483648n : raw);

/** numerator / 2^shift, ties to even. */
function roundHalfEven(numerator: bigint, shift: bigint): bigint {
  const floor = numerator >> shift;
  const rest = (numerator - (floor << shift)) * 2n;
  const one = 1n << shift;
  return rest > one || (rest === one && floor % 2n !== 0n) ? floor + 1n : floor;
}

const extremes = fc.constantFrom(FIXED_MIN, FIXED_MIN + 1, -1, 0, 1, FIXED_MAX - 1, FIXED_MAX);
const int32 = fc.integer({ min: FIXED_MIN, max: FIXED_MAX });
const raws = fc.oneof(extremes, int32, fc.integer({ min: -8, max: 8 }));
const alphas = fc.oneof(
  fc.constantFrom(0, 1, 32_768, 65_535, 65_536),
  fc.integer({ min: 0, max: 65_536 }),
);
const RUNS = scaled({ tiny: 2000, normal: 100_000, full: 1_000_000 });

describe('lerpFixed', () => {
  it('equals exact integer arithmetic rounded once and saturated', () => {
    fc.assert(
      fc.property(raws, raws, fc.oneof(alphas, int32, extremes), (a, b, t) => {
        const product = (BigInt(b) - BigInt(a)) * BigInt(t);
        expect(lerpFixed(a, b, t)).toBe(clamp(BigInt(a) + roundHalfEven(product, 16n)));
      }),
      { numRuns: RUNS },
    );
  });

  it('is exact at both ends (INT 44)', () => {
    fc.assert(
      fc.property(raws, raws, (a, b) => {
        expect(lerpFixed(a, b, 0)).toBe(a);
        expect(lerpFixed(a, b, FIXED_ONE)).toBe(b);
      }),
      { numRuns: RUNS },
    );
  });

  it('does not overflow between the extremes (INT 44)', () => {
    expect(lerpFixed(FIXED_MIN, 0x7fff0000, 32_768)).toBe(-32_768);
    expect(lerpFixed(FIXED_MIN, FIXED_MAX, 32_768)).toBe(0);
    expect(lerpFixed(FIXED_MAX, FIXED_MIN, 32_768)).toBe(-1);
    expect(lerpFixed(FIXED_MIN, FIXED_MAX, 65_535)).toBe(2_147_418_111);
  });

  it('stays between its ends and never turns back', () => {
    fc.assert(
      fc.property(raws, raws, alphas, alphas, (a, b, s, t) => {
        const [early, late] = [Math.min(s, t), Math.max(s, t)];
        const step = lerpFixed(a, b, late) - lerpFixed(a, b, early);
        expect(a <= b ? step >= 0 : step <= 0).toBe(true);
        expect(lerpFixed(a, b, t)).toBeGreaterThanOrEqual(Math.min(a, b));
        expect(lerpFixed(a, b, t)).toBeLessThanOrEqual(Math.max(a, b));
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it('rounds ties of the product to even', () => {
    expect(lerpFixed(0, 1, 32_768)).toBe(0);
    expect(lerpFixed(0, 3, 32_768)).toBe(2);
    expect(lerpFixed(0, -1, 32_768)).toBe(0);
    expect(lerpFixed(0, -3, 32_768)).toBe(-2);
    expect(lerpFixed(1, 2, 32_768)).toBe(1);
  });

  it('saturates where it extrapolates past the range', () => {
    expect(lerpFixed(0, FIXED_MAX, 2 * FIXED_ONE)).toBe(FIXED_MAX);
    expect(lerpFixed(0, FIXED_MAX, -2 * FIXED_ONE)).toBe(FIXED_MIN);
  });
});

describe('toFixed', () => {
  it('rounds every double to the nearest raw value, ties to even', () => {
    const numbers = fc.oneof(
      fc.double({ min: -33_000, max: 33_000, noNaN: true }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -(2 ** 33), max: 2 ** 33 }).map((halves) => halves / 131_072),
    );
    fc.assert(
      fc.property(numbers, (value) => {
        const { significand, exponent } = decompose(value);
        const shift = exponent + 16;
        const exact =
          shift >= 0 ? significand << BigInt(shift) : roundHalfEven(significand, BigInt(-shift));
        expect(toFixed(value)).toBe(clamp(exact));
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it('gives 0 for NaN and for -0, and saturates', () => {
    expect(toFixed(NaN)).toBe(0);
    expect(toFixed(-0)).toBe(0);
    expect(toFixed(-1e-9)).toBe(0);
    expect(toFixed(32_768)).toBe(FIXED_MAX);
    expect(toFixed(Infinity)).toBe(FIXED_MAX);
    expect(toFixed(-32_768)).toBe(FIXED_MIN);
    expect(toFixed(-Infinity)).toBe(FIXED_MIN);
  });

  it('gives back what fromFixed was given', () => {
    fc.assert(
      fc.property(raws, (raw) => {
        expect(toFixed(fromFixed(raw))).toBe(raw);
      }),
    );
    expect(fromFixed(FIXED_MIN)).toBe(-32_768);
    expect(fromFixed(98_304)).toBe(1.5);
  });
});

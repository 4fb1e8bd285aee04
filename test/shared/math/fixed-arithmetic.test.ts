import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { fixedFaults, resetFixedFaults } from '../../../src/shared/math/fixed-faults.ts';
import {
  absFixed,
  addFixed,
  clampFixed,
  divFixed,
  FIXED_MAX,
  FIXED_MIN,
  FIXED_ONE,
  fixedFromInt,
  fixedToInt,
  lerpFixed,
  maxFixed,
  minFixed,
  mulFixed,
  negFixed,
  sqrtFixed,
  subFixed,
} from '../../../src/shared/math/fixed.ts';
import { scaled } from '../../scaled.ts';
import {
  EXTREMES,
  Mismatches,
  nearestRoot,
  Raws,
  roundQuotient,
  saturate,
} from './fixed-reference.ts';

const CHUNK = 10_000;
const PAIRS = scaled({ tiny: 50_000, normal: 1_000_000, full: 5_000_000 });

type Check = (faults: Mismatches, a: number, b: number, c: number) => void;

/** Checks all pairs of extremes, then random triples; a failure names the seed of its chunk. */
function checkAll(check: Check): void {
  const extremes = new Mismatches(0);
  EXTREMES.forEach((a, i) => {
    EXTREMES.forEach((b, k) => {
      check(extremes, a, b, EXTREMES[(i * 7 + k) % EXTREMES.length] as number);
    });
  });
  expect(extremes.list()).toEqual([]);
  const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 }));
  const checkChunk = (seed: number): void => {
    const raws = new Raws(seed);
    const faults = new Mismatches(seed);
    for (let i = 0; i < CHUNK; i++) check(faults, raws.next(), raws.next(), raws.next());
    expect(faults.list()).toEqual([]);
  };
  fc.assert(fc.property(seeds, checkChunk), { numRuns: PAIRS / CHUNK });
}

const exactQuotient = (a: number, b: number): number => {
  if (b === 0) return a > 0 ? FIXED_MAX : a < 0 ? FIXED_MIN : 0;
  return saturate(roundQuotient(BigInt(a) << 16n, BigInt(b)));
};

beforeEach(resetFixedFaults);

describe('every operation equals exact integers, rounded once and saturated:', () => {
  it('sums and differences', () => {
    checkAll((faults, a, b) => {
      faults.compare(addFixed(a, b), saturate(BigInt(a) + BigInt(b)), a, b);
      faults.compare(subFixed(a, b), saturate(BigInt(a) - BigInt(b)), a, b);
    });
  });

  it('products', () => {
    checkAll((faults, a, b) => {
      const exact = roundQuotient(BigInt(a) * BigInt(b), 65_536n);
      faults.compare(mulFixed(a, b), saturate(exact), a, b);
    });
  });

  it('quotients', () => {
    checkAll((faults, a, b) => faults.compare(divFixed(a, b), exactQuotient(a, b), a, b));
  });

  it('quotients that come close to a tie', () => {
    checkAll((faults, divisor, tie) => {
      // The numerator nearest to (tie + 1/2) * divisor.
      const raw = Number(((2n * BigInt(tie) + 1n) * BigInt(divisor)) >> 17n);
      if (raw < FIXED_MIN || raw >= FIXED_MAX) return;
      faults.compare(divFixed(raw, divisor), exactQuotient(raw, divisor), raw, divisor);
      faults.compare(divFixed(raw + 1, divisor), exactQuotient(raw + 1, divisor), raw + 1, divisor);
    });
  });

  it('square roots', () => {
    checkAll((faults, a) => {
      const exact = a < 0 ? 0 : Number(nearestRoot(BigInt(a) << 16n));
      faults.compare(sqrtFixed(a), exact, a);
    });
  });

  it('square roots beside those that come closest to a tie', () => {
    const faults = new Mismatches(0);
    for (let root = 0; root < 2 ** 23; root += scaled({ tiny: 499, normal: 41, full: 1 })) {
      // The numbers on both sides of (root + 1/2)^2.
      const below = Math.floor((root * (root + 1)) / FIXED_ONE);
      for (const raw of [below, below + 1]) {
        if (raw > FIXED_MAX) continue;
        const square = raw * FIXED_ONE;
        const nearest = Math.floor(Math.sqrt(square));
        const exact = square > nearest * nearest + nearest ? nearest + 1 : nearest;
        faults.compare(sqrtFixed(raw), exact, raw);
      }
    }
    expect(faults.list()).toEqual([]);
  });

  it('negatives, magnitudes, minima, maxima and clamps', () => {
    checkAll((faults, a, b, c) => {
      faults.compare(negFixed(a), saturate(-BigInt(a)), a);
      faults.compare(absFixed(a), saturate(a < 0 ? -BigInt(a) : BigInt(a)), a);
      faults.compare(minFixed(a, b), Math.min(a, b), a, b);
      faults.compare(maxFixed(a, b), Math.max(a, b), a, b);
      const [low, high] = [Math.min(b, c), Math.max(b, c)];
      faults.compare(clampFixed(a, low, high), Math.min(Math.max(a, low), high), a, low, high);
    });
  });

  it('lerps, at any t', () => {
    checkAll((faults, a, b, t) => {
      const step = roundQuotient((BigInt(b) - BigInt(a)) * BigInt(t), 65_536n);
      faults.compare(lerpFixed(a, b, t), saturate(BigInt(a) + step), a, b, t);
    });
  });

  it('conversions from and to whole numbers', () => {
    checkAll((faults, a) => {
      faults.compare(fixedFromInt(a), saturate(BigInt(a) << 16n), a);
      faults.compare(fixedToInt(a), Number(roundQuotient(BigInt(a), 65_536n)), a);
    });
  });
});

describe('rounding', () => {
  it('of negative products and quotients mirrors that of positive ones (FXP 101)', () => {
    expect(divFixed(-FIXED_ONE, 2 * FIXED_ONE)).toBe(-32_768);
    expect(mulFixed(-3, 32_768)).toBe(-2);
    expect(mulFixed(3, 32_768)).toBe(2);
    const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 }));
    const check = (seed: number): void => {
      const raws = new Raws(seed);
      const faults = new Mismatches(seed);
      for (let i = 0; i < CHUNK; i++) {
        const a = raws.next();
        const b = raws.next();
        const product = mulFixed(a, b);
        if (a === FIXED_MIN || product === FIXED_MIN || product === FIXED_MAX) continue;
        faults.compare(mulFixed(0 - a, b), 0 - product, a, b);
      }
      expect(faults.list()).toEqual([]);
    };
    fc.assert(fc.property(seeds, check), { numRuns: PAIRS / CHUNK });
  });

  it('sends ties to the even raw value, and a quotient of -0.6 to -1', () => {
    const five = 5 * FIXED_ONE;
    expect(divFixed(-3, five)).toBe(-1);
    expect(divFixed(3, five)).toBe(1);
    expect(divFixed(-2, five)).toBe(0);
    const two = 2 * FIXED_ONE;
    expect([-5, -3, -1, 1, 3, 5].map((raw) => divFixed(raw, two))).toEqual([-2, -2, 0, 0, 2, 2]);
    expect([-5, -3, -1, 1, 3, 5].map((raw) => mulFixed(raw, 32_768))).toEqual([-2, -2, 0, 0, 2, 2]);
  });

  it('of the extremes to whole numbers leaves the range of neither sign (FXP 103)', () => {
    expect(fixedToInt(FIXED_MIN)).toBe(-32_768);
    expect(fixedToInt(FIXED_MAX)).toBe(32_768);
    expect(fixedToInt(32_768)).toBe(0);
    expect(fixedToInt(-32_768)).toBe(0);
    expect(fixedToInt(98_304)).toBe(2);
    expect(fixedToInt(-98_304)).toBe(-2);
    expect(fixedToInt(32_769)).toBe(1);
    expect(fixedFromInt(32_767)).toBe(32_767 * FIXED_ONE);
    expect(fixedFromInt(32_768)).toBe(FIXED_MAX);
    expect(fixedFromInt(-32_768)).toBe(FIXED_MIN);
    expect(fixedFromInt(-32_769)).toBe(FIXED_MIN);
  });
});

describe('what has no value in the range', () => {
  it('is exact or saturated for a quotient, never 0 in silence (FXP 104)', () => {
    expect(divFixed(FIXED_ONE, -2)).toBe(FIXED_MIN);
    expect(divFixed(FIXED_ONE, 2)).toBe(FIXED_MAX);
    expect(divFixed(1587 * FIXED_ONE, 2000 * FIXED_ONE)).toBe(0xcb23);
    expect(divFixed(FIXED_MIN, -FIXED_ONE)).toBe(FIXED_MAX);
    expect(divFixed(1, 0)).toBe(FIXED_MAX);
    expect(divFixed(-1, 0)).toBe(FIXED_MIN);
    expect(fixedFaults().zeroByZero).toBe(0);
    expect(divFixed(0, 0)).toBe(0);
    expect(fixedFaults().zeroByZero).toBe(1);
  });

  it('saturates for the magnitude and the negative of the smallest number (FXP 106)', () => {
    expect(absFixed(FIXED_MIN)).toBe(FIXED_MAX);
    expect(negFixed(FIXED_MIN)).toBe(FIXED_MAX);
    expect(negFixed(FIXED_MAX)).toBe(FIXED_MIN + 1);
  });

  it('is 0 and counted for the root of a negative number', () => {
    expect(sqrtFixed(0)).toBe(0);
    expect(fixedFaults().negativeRoot).toBe(0);
    expect(sqrtFixed(-1)).toBe(0);
    expect(sqrtFixed(FIXED_MIN)).toBe(0);
    expect(fixedFaults()).toEqual({
      zeroByZero: 0,
      negativeRoot: 2,
      negativeLog: 0,
      negativePower: 0,
    });
  });

  it('is counted until the counts are reset, in copies that stay as they are', () => {
    divFixed(0, 0);
    const before = fixedFaults();
    divFixed(0, 0);
    expect(before.zeroByZero).toBe(1);
    expect(fixedFaults().zeroByZero).toBe(2);
    resetFixedFaults();
    expect(fixedFaults().zeroByZero).toBe(0);
  });

  it('is the upper bound for a clamp between bounds the wrong way round', () => {
    expect(clampFixed(0, 5, -5)).toBe(-5);
    expect(clampFixed(7, 5, -5)).toBe(-5);
  });
});

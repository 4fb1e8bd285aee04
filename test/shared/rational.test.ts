import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EscapementError } from '../../src/shared/error.ts';
import {
  checkQuantum,
  createRational,
  nearestRational,
  type QuantumOptions,
  quantumOf,
} from '../../src/shared/rational.ts';
import { scaled } from '../scaled.ts';

function refusal(act: () => unknown): EscapementError {
  try {
    act();
  } catch (error) {
    if (error instanceof EscapementError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('createRational', () => {
  test('reduces to lowest terms', () => {
    expect(createRational(6, 100)).toEqual({ numerator: 3, denominator: 50 });
    expect(createRational(60, 1)).toEqual({ numerator: 60, denominator: 1 });
  });

  test.each([
    [0, 1],
    [1, 0],
    [-1, 2],
    [1.5, 2],
    [Number.NaN, 1],
    [1, 2 ** 53],
  ])('refuses %d/%d', (numerator, denominator) => {
    const error = refusal(() => createRational(numerator, denominator));
    expect(error.code).toBe('OPTION_INVALID');
    expect(error.detail.given).toBe(`${numerator}/${denominator}`);
  });
});

describe('nearestRational', () => {
  test.each([
    [1 / 3, 1000, 1, 3],
    [Math.PI, 1000, 355, 113],
    [Math.PI, 100, 311, 99],
    [0.37, 1000, 37, 100],
    [0, 1000, 0, 1],
    [0.0004, 1000, 0, 1],
    [0.0006, 1000, 1, 1000],
    [999.9996, 1000, 1000, 1],
    [5e-324, 1000, 0, 1],
    [2 ** 53 - 1, 1, 2 ** 53 - 1, 1],
  ])('%d with denominators up to %d is %d/%d', (value, max, numerator, denominator) => {
    expect(nearestRational(value, max)).toEqual({ numerator, denominator });
  });

  test('no fraction with a denominator in bounds is nearer', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1000, noNaN: true }),
        fc.integer({ min: 1, max: 60 }),
        (value, max) => {
          const { numerator, denominator } = nearestRational(value, max);
          expect(denominator).toBeLessThanOrEqual(max);
          const [valueNumerator, scale] = exact(value);
          // |p/q - value| as a fraction over q x scale.
          const off = (p: bigint, q: bigint): bigint => magnitude(p * scale - valueNumerator * q);
          const found = off(BigInt(numerator), BigInt(denominator));
          for (let q = 1n; q <= BigInt(max); q++) {
            const below = (valueNumerator * q) / scale;
            for (const p of [below, below + 1n]) {
              expect(off(p, q) * BigInt(denominator) >= found * q).toBe(true);
            }
          }
        },
      ),
      { numRuns: scaled({ tiny: 50, normal: 300, full: 5000 }) },
    );
  });

  test('a fraction with a denominator up to 1000 is found again from its double', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 1000 }),
        (numerator, denominator) => {
          const given = createRational(numerator, denominator);
          expect(nearestRational(given.numerator / given.denominator, 1000)).toEqual(given);
        },
      ),
    );
  });
});

describe('quantumOf', () => {
  const seconds = (options: QuantumOptions): string => {
    const { numerator, denominator } = quantumOf(options);
    return `${numerator}/${denominator}`;
  };

  test.each([
    [60, '1/60'],
    [59.94, '50/2997'],
    [60_000 / 1001, '1001/60000'],
    [23.976, '125/2997'],
    [0.1, '10/1'],
    [1000, '1/1000'],
    [1 / 3, '3/1'],
    [120, '1/120'],
  ])('%d Hz is %s s', (tickRateHz, expected) => {
    expect(seconds({ tickRateHz })).toBe(expected);
  });

  test.each([
    [0.01, '1/100'],
    [1 / 60, '1/60'],
    [0.06, '3/50'],
    [1 / 120, '1/120'],
    [0.016667, '16667/1000000'],
    [0.1 + 0.2, '3/10'],
    [0.001, '1/1000'],
    [10, '10/1'],
    [0.01 * (1 + 5e-10), '1/100'],
  ])('a fixedDt of %d is %s s', (fixedDt, expected) => {
    expect(seconds({ fixedDt })).toBe(expected);
  });

  test('an exact quantum is reduced', () => {
    expect(seconds({ quantum: { numerator: 2002, denominator: 120_000 } })).toBe('1001/60000');
  });

  test.each<[string, QuantumOptions]>([
    ['a rate of 1001', { tickRateHz: 1001 }],
    ['a rate of 0.09', { tickRateHz: 0.09 }],
    ['a negative rate', { tickRateHz: -60 }],
    ['a rate that is NaN', { tickRateHz: Number.NaN }],
    ['a dt of 0', { fixedDt: 0 }],
    ['a dt above 10 s', { fixedDt: 10.001 }],
    ['an infinite dt', { fixedDt: Number.POSITIVE_INFINITY }],
    ['a dt near 1/60 but not near enough', { fixedDt: 1 / 60 + 3e-10 }],
    ['a quantum below 1 ms', { quantum: { numerator: 1, denominator: 1001 } }],
    ['a quantum above 10 s', { quantum: { numerator: 1001, denominator: 100 } }],
    ['a quantum with large terms', { quantum: { numerator: 999_999, denominator: 1_000_001 } }],
    ['a quantum that alpha cannot count', { quantum: { numerator: 99_991, denominator: 999_983 } }],
    ['no way', {} as QuantumOptions],
    ['two ways', { tickRateHz: 60, fixedDt: 0.01 } as unknown as QuantumOptions],
    ['a quantum that is null', { quantum: null } as unknown as QuantumOptions],
    ['a rate that is text', { tickRateHz: '60' } as unknown as QuantumOptions],
  ])('%s is refused with what is allowed and what to do', (_name, options) => {
    const { code, detail } = refusal(() => quantumOf(options));
    expect(code).toBe('OPTION_INVALID');
    expect([detail.given, detail.allowed, detail.fix]).toEqual([
      expect.stringMatching(/./),
      expect.stringMatching(/./),
      expect.stringMatching(/./),
    ]);
  });

  test('every decimal of up to six places from 1 ms to 1 s is kept exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 1_000_000 }), (micros) => {
        const expected = createRational(micros, 1_000_000);
        expect(quantumOf({ fixedDt: micros / 1e6 })).toEqual(expected);
        expect(checkQuantum(expected)).toEqual(expected);
      }),
    );
  });
});

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function exact(value: number): [bigint, bigint] {
  let scale = 1n;
  let whole = value;
  for (; !Number.isInteger(whole); whole *= 2) scale *= 2n;
  return [BigInt(whole), scale];
}

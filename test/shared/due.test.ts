import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAnchor } from '../../src/shared/anchor.ts';
import {
  alphaNanos,
  alphaToFixed,
  alphaToFloat,
  anchorInstant,
  dueInstant,
  dueTicks,
  mulDivFloor,
  phaseOf,
  restNanos,
} from '../../src/shared/due.ts';
import { createInstant, type Instant } from '../../src/shared/instant.ts';
import { createRational, type Rational } from '../../src/shared/rational.ts';
import { scaled } from '../scaled.ts';
import { divideFloor, instantOf, nanosOf, roundHalfUp } from './exact.ts';

const runs = { numRuns: scaled({ tiny: 300, normal: 3000, full: 100_000 }) };
const NANOS = 1_000_000_000n;
const READING_MAX = 2n ** 64n - 1n;

/**
 * Rates of the allowed size: numerator to 10^12, denominator to 10^9, value 1/10,000 to 400,000.
 */
const rate: fc.Arbitrary<Rational> = fc
  .record({
    numerator: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 10 ** 12 })),
    denominator: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 10 ** 9 })),
  })
  .filter(({ numerator: n, denominator: d }) => n <= d * 400_000 && n * 10_000 >= d)
  .map(({ numerator, denominator }) => createRational(numerator, denominator));

const reading = fc.bigInt({ min: 0n, max: READING_MAX });

const ms = (value: number): Instant => instantOf(BigInt(Math.round(value * 1e6)));

describe('mulDivFloor', () => {
  test('agrees with big integers over its whole domain, for both signs', () => {
    const factor = fc.integer({ min: 0, max: 2 ** 42 - 1 });
    fc.assert(
      fc.property(
        fc.maxSafeInteger(),
        factor,
        factor.map((m) => m + 1),
        (a, b, m) => {
          const product = BigInt(a) * BigInt(b);
          const quotient = divideFloor(product, BigInt(m));
          fc.pre(quotient <= 2n ** 53n - 1n && quotient >= -(2n ** 53n - 1n));
          const out = mulDivFloor(a, b, m, { quotient: 0, remainder: 0 });
          expect(BigInt(out.quotient)).toBe(quotient);
          expect(BigInt(out.remainder)).toBe(product - quotient * BigInt(m));
        },
      ),
      runs,
    );
  });

  test('is exact at the corners of its domain', () => {
    const top = Number.MAX_SAFE_INTEGER;
    const factor = 2 ** 42 - 1;
    const out = { quotient: 0, remainder: 0 };
    expect(mulDivFloor(top, factor, factor, out)).toEqual({ quotient: top, remainder: 0 });
    expect(mulDivFloor(-top, factor, factor, out)).toEqual({ quotient: -top, remainder: 0 });
    expect(mulDivFloor(top, factor - 1, factor, out)).toEqual({
      quotient: Number((BigInt(top) * BigInt(factor - 1)) / BigInt(factor)),
      remainder: Number((BigInt(top) * BigInt(factor - 1)) % BigInt(factor)),
    });
  });
});

describe('due ticks', () => {
  test('agree with big integers for every 64-bit reading and rate', () => {
    fc.assert(
      fc.property(reading, rate, (ns, { numerator, denominator }) => {
        const due = dueTicks(instantOf(ns), numerator, denominator);
        expect(Number.isSafeInteger(due)).toBe(true);
        expect(BigInt(due)).toBe((ns * BigInt(numerator)) / (BigInt(denominator) * NANOS));
      }),
      runs,
    );
  });

  test('leave a rest that makes the phase exact, before the reference too', () => {
    fc.assert(
      fc.property(reading, fc.boolean(), rate, (ns, before, { numerator, denominator }) => {
        const elapsed = before ? -(ns % 10n ** 15n) : ns;
        const out = phaseOf(
          { whole: 0, remainder: 0, nanos: 0 },
          instantOf(elapsed),
          numerator,
          denominator,
        );
        const rest = BigInt(out.remainder) * NANOS + BigInt(out.nanos);
        const unit = BigInt(denominator) * NANOS;
        expect(BigInt(out.whole) * unit + rest).toBe(elapsed * BigInt(numerator));
        expect(rest >= 0n && rest < unit).toBe(true);
      }),
      runs,
    );
  });

  test('16,666,666 ns at 60 Hz are not due, one nanosecond more is', () => {
    expect(dueTicks(createInstant(0, 16_666_666), 60, 1)).toBe(0);
    expect(dueTicks(createInstant(0, 16_666_667), 60, 1)).toBe(1);
  });

  test('the last reading of a 64-bit counter at the highest rate is a safe integer', () => {
    expect(dueTicks(instantOf(READING_MAX), 400_000, 1)).toBe(7_378_697_629_483_820);
  });
});

describe('due instants', () => {
  test('are the earliest reading at which the tick is due', () => {
    fc.assert(
      fc.property(reading, reading, rate, (ns, from, { numerator, denominator }) => {
        const ticks = dueTicks(instantOf(ns), numerator, denominator);
        fc.pre(ticks > 0);
        const reference = instantOf(from);
        const due = nanosOf(dueInstant(createInstant(), reference, ticks, numerator, denominator));
        const elapsed = due - from;
        expect(elapsed <= ns).toBe(true);
        expect(dueTicks(instantOf(elapsed), numerator, denominator)).toBeGreaterThanOrEqual(ticks);
        expect(dueTicks(instantOf(elapsed - 1n), numerator, denominator)).toBeLessThan(ticks);
      }),
      runs,
    );
  });

  test('anchors are the same instant with its part of a nanosecond, for owed ticks too', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(10 ** 9), max: 10 ** 9 }),
        reading,
        rate,
        (ticks, from, { numerator, denominator }) => {
          const out = createAnchor();
          anchorInstant(out, instantOf(from), ticks, numerator, denominator);
          const scaledNs = BigInt(ticks) * BigInt(denominator) * NANOS;
          const whole = divideFloor(scaledNs, BigInt(numerator));
          expect(nanosOf(out.due)).toBe(from + whole);
          expect(out.dueFraction).toBe(Number(scaledNs - whole * BigInt(numerator)) / numerator);
          expect(out.due.nanos >= 0 && out.due.nanos < 1e9).toBe(true);
        },
      ),
      runs,
    );
  });

  test('CLK 19: tick 5 asked for from base tick 10 is 83.3 ms before it', () => {
    const base = createInstant(100, 0);
    const out = createAnchor();
    anchorInstant(out, base, 5 - 10, 60, 1);
    expect(out.due).toEqual({ seconds: 99, nanos: 916_666_666 });
    expect(out.dueFraction).toBeCloseTo(2 / 3, 15);
  });
});

describe('restNanos', () => {
  test('is the time of the rest at another rate, rounded once, a half upwards', () => {
    fc.assert(
      fc.property(reading, rate, rate, (ns, from, to) => {
        const phase = phaseOf(
          { whole: 0, remainder: 0, nanos: 0 },
          instantOf(ns),
          from.numerator,
          from.denominator,
        );
        const rest = BigInt(phase.remainder) * NANOS + BigInt(phase.nanos);
        const expected = roundHalfUp(
          rest * BigInt(to.denominator),
          BigInt(from.denominator) * BigInt(to.numerator),
        );
        const found = restNanos(phase, from.denominator, to.numerator, to.denominator);
        expect(BigInt(found)).toBe(expected);
      }),
      runs,
    );
  });

  test('rounds an exact half upwards', () => {
    const half = { whole: 0, remainder: 0, nanos: 1 };
    expect(restNanos(half, 1, 2, 1)).toBe(1);
    expect(restNanos(half, 1, 3, 1)).toBe(0);
    expect(restNanos({ whole: 0, remainder: 0, nanos: 3 }, 1, 2, 1)).toBe(2);
  });
});

describe('alpha of whole rates', () => {
  // 100 Hz, last tick 2, so A(2) is 20 ms after the start.
  test.each([
    [20, 0],
    [25, 32_768],
    [27.5, 49_152],
    [29.9, 64_881],
    [20.01, 66],
    [20.000001, 0],
    [30, 65_536],
    [35, 65_536],
    [5020, 65_536],
    [1_000_020, 65_536],
    [19.999995, 0],
    [0, 0],
  ])('at %d ms is raw %d', (at, raw) => {
    expect(alphaToFixed(alphaNanos(ms(at), 2, 100))).toBe(raw);
  });

  test('stays 1 at 9 x 10^18 ns and 0 before the start', () => {
    expect(alphaNanos(instantOf(9n * 10n ** 18n), 2, 100)).toBe(1e9);
    expect(alphaNanos(instantOf(-1n), 2, 100)).toBe(0);
    expect(alphaNanos(instantOf(-(10n ** 18n)), 2, 100)).toBe(0);
  });

  test('is 0 before the first tick', () => {
    expect(alphaNanos(ms(15), 0, 100)).toBe(0);
  });

  test.each([
    [15, 1],
    [25, 2],
    [45, 4],
  ])('is one half at %d ms after tick %d', (at, lastTick) => {
    expect(alphaNanos(ms(at), lastTick, 100)).toBe(500_000_000);
  });

  test('agrees with big integers for every 64-bit reading', () => {
    fc.assert(
      fc.property(
        reading,
        fc.integer({ min: 20, max: 120 }),
        fc.integer({ min: -3, max: 3 }),
        (ns, rateHz, off) => {
          const due = (ns * BigInt(rateHz)) / NANOS;
          const lastTick = Math.max(1, Number(due) + off);
          const numerator = ns * BigInt(rateHz) - BigInt(lastTick) * NANOS;
          const clamped = numerator < 0n ? 0n : numerator > NANOS ? NANOS : numerator;
          expect(BigInt(alphaNanos(instantOf(ns), lastTick, rateHz))).toBe(clamped);
        },
      ),
      runs,
    );
  });

  test('in Q16.16 rounds to the nearest raw unit, of 15,258.79 billionths', () => {
    expect(alphaToFixed(7629)).toBe(0);
    expect(alphaToFixed(7630)).toBe(1);
    expect(alphaToFixed(500_000_000)).toBe(32_768);
    expect(alphaToFixed(999_992_370)).toBe(65_535);
    expect(alphaToFixed(999_992_371)).toBe(65_536);
  });

  test('in binary32 is the rounded numerator divided once', () => {
    expect(alphaToFloat(500_000_000)).toBe(0.5);
    expect(alphaToFloat(1e9)).toBe(1);
    expect(alphaToFloat(0)).toBe(0);
    // 999,999,999 rounds to 10^9 before it is divided: two roundings, as the reference does.
    expect(alphaToFloat(999_999_999)).toBe(1);
    expect(alphaToFloat(123_456_789)).toBe(Math.fround(123_456_792 / 1e9));
  });
});

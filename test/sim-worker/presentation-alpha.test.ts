import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createInstant } from '../../src/shared/instant.ts';
import { quantumOf, type Rational } from '../../src/shared/rational.ts';
import { PresentationAlpha } from '../../src/sim-worker/presentation-alpha.ts';
import { Fraction, instantOf } from '../shared/exact.ts';
import { exactAlpha, fixedOf, nearestF32 } from './presentation-model.ts';

const hz = (tickRateHz: number): Rational => quantumOf({ tickRateHz });

/** A clock that began at a reading and has dropped so many ticks. */
function clockAt(startNs: bigint, quantum: Rational, droppedTicks = 0) {
  const stats = { droppedTicks };
  return { startReference: instantOf(startNs), stats, quantum };
}

const quanta = fc.oneof(
  fc.integer({ min: 20, max: 120 }).map(hz),
  fc.constantFrom(59.94, 29.97, 23.976, 119.88, 60.0006, 20.001, 99.999).map(hz),
  fc.constantFrom(
    { numerator: 1001, denominator: 60_000 },
    { numerator: 9007, denominator: 1_000_000 },
    { numerator: 123_457, denominator: 10_000_000 },
  ),
);
const reading = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe('alpha', () => {
  test('is the exact fraction rounded once, in either backend, for every 64-bit reading', () => {
    fc.assert(
      fc.property(
        quanta,
        reading,
        fc.bigInt({ min: 0n, max: 2n ** 62n }),
        fc.integer({ min: -2, max: 2 }),
        fc.nat(1000),
        (quantum, start, after, off, dropped) => {
          const now = start + after;
          if (now >= 2n ** 63n) return;
          const due =
            (after * BigInt(quantum.denominator)) / (BigInt(quantum.numerator) * 10n ** 9n);
          const lastTick = Math.max(1, Number(due) + off - dropped);
          const clock = clockAt(start, quantum, dropped);
          const alpha = new PresentationAlpha(clock);
          alpha.measure(instantOf(now), lastTick);
          const exact = exactAlpha(now - start, lastTick + dropped, quantum);
          expect([alpha.raw, alpha.f32]).toEqual([fixedOf(exact), nearestF32(exact)]);
        },
      ),
      { numRuns: 5000 },
    );
  });

  test('in binary32 has one rounding where the reference has two', () => {
    const alpha = new PresentationAlpha(clockAt(0n, hz(100)));
    const differing = [];
    for (let ns = 1; ns <= 1000; ns++) {
      alpha.measure(instantOf(10_000_000n + BigInt(ns * 9973)), 1);
      expect(alpha.f32).toBe(nearestF32(new Fraction(BigInt(ns * 9973), 10_000_000n)));
      const numerator = ns * 9973 * 100;
      if (alpha.f32 !== Math.fround(Math.fround(numerator) / 1e9)) differing.push(ns);
    }
    expect(differing.length).toBeGreaterThan(100);
  });

  test('rounds a half of a raw unit upwards', () => {
    // 100 ns of a quantum of 2^17 x 100 ns: half a unit.
    const quantum = { numerator: 131_072, denominator: 10_000_000 };
    const alpha = new PresentationAlpha(clockAt(0n, quantum));
    alpha.measure(instantOf(13_107_200n + 100n), 1);
    expect(alpha.raw).toBe(1);
    alpha.measure(instantOf(13_107_200n + 99n), 1);
    expect(alpha.raw).toBe(0);
  });

  test('goes with the drops and with a start reference that another loop has', () => {
    const clock = clockAt(0n, hz(100));
    const alpha = new PresentationAlpha(clock);
    alpha.measure(instantOf(35_000_000n), 3);
    expect(alpha.raw).toBe(32_768);
    clock.stats.droppedTicks = 10;
    alpha.measure(instantOf(35_000_000n), 3);
    expect(alpha.raw).toBe(0);
    alpha.measure(instantOf(132_500_000n), 3);
    expect(alpha.raw).toBe(16_384);
    clock.startReference = instantOf(100_000_000n);
    alpha.measure(instantOf(232_500_000n), 3);
    expect(alpha.raw).toBe(16_384);
  });

  test('is 0 before the first tick, before the first frame, and for what is no reading', () => {
    const clock = clockAt(0n, hz(100));
    const alpha = new PresentationAlpha(clock);
    alpha.measure(instantOf(5_000_000n), 0);
    expect([alpha.raw, alpha.f32]).toEqual([0, 0]);
    const unborn = new PresentationAlpha({ ...clock, startReference: undefined });
    unborn.measure(instantOf(15_000_000n), 1);
    expect([unborn.raw, unborn.f32]).toEqual([0, 0]);
    alpha.measure(createInstant(Number.NaN, 0), 1);
    expect([alpha.raw, alpha.f32]).toEqual([0, 0]);
    alpha.measure(createInstant(Number.MAX_VALUE, 0), 1);
    expect([alpha.raw, alpha.f32]).toEqual([65_536, 1]);
    alpha.measure(createInstant(-Number.MAX_VALUE, 0), 1);
    expect([alpha.raw, alpha.f32]).toEqual([0, 0]);
  });
});

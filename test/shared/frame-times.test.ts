import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameTimes } from '../../src/shared/frame-times.ts';
import type { Rational } from '../../src/shared/rational.ts';
import { ClockDriver } from '../../src/sim-worker/clock-driver.ts';
import { scaled } from '../scaled.ts';
import { codeOf } from './clock-frames.ts';
import { Fraction } from './exact.ts';

const NTSC: Rational = { numerator: 30_000, denominator: 1001 };
const FILM: Rational = { numerator: 24_000, denominator: 1001 };
const whole = (numerator: number): Rational => ({ numerator, denominator: 1 });

const exactly = ({ numerator, denominator }: Rational): Fraction =>
  new Fraction(BigInt(numerator), BigInt(denominator));

/** The distance between the doubles at a positive value. */
function spacingAt(value: number): Fraction {
  let [spacing, scale] = [2 ** -52, 1];
  for (; value < scale; scale /= 2) spacing /= 2;
  for (; value >= 2 * scale; scale *= 2) spacing *= 2;
  return Fraction.ofDouble(spacing);
}

const term = fc.integer({ min: 1, max: 1_000_000 });
const rate = fc.oneof(
  fc.constantFrom(NTSC, FILM, whole(25), whole(60), whole(144)),
  fc.record({ numerator: term, denominator: term }),
  fc.record({ numerator: fc.constant(1_000_000), denominator: term }),
  fc.record({ numerator: term, denominator: fc.constant(1_000_000) }),
);

describe('the wall times of frames', () => {
  test('add up to k / rate, within half a unit of one frame, for every rate', () => {
    const numRuns = scaled({ tiny: 20, normal: 100, full: 2000 });
    fc.assert(
      fc.property(rate, (framesPerSecond) => {
        const times = new FrameTimes(framesPerSecond);
        const length = new Fraction(1n).over(exactly(framesPerSecond));
        const half = spacingAt(length.toDouble()).times(new Fraction(1n, 2n));
        let sum = new Fraction(0n);
        for (let k = 1; k <= 200; k++) {
          sum = sum.plus(Fraction.ofDouble(times.delta(k)));
          const off = sum.minus(length.times(new Fraction(BigInt(k)))).magnitude();
          expect(half.minus(off).n >= 0n).toBe(true);
        }
      }),
      { numRuns },
    );
  });

  test('are the same for a frame wherever it is asked for, up to 2^32', () => {
    const frame = fc.integer({ min: 1, max: 2 ** 32 });
    fc.assert(
      fc.property(rate, frame, (framesPerSecond, k) => {
        const times = new FrameTimes(framesPerSecond);
        const { numerator, denominator } = times.rate;
        const unit = spacingAt(new Fraction(1n).over(exactly(framesPerSecond)).toDouble());
        const units = new Fraction(BigInt(denominator), BigInt(numerator)).over(unit);
        const upTo = (frames: number): bigint => units.times(new Fraction(BigInt(frames))).round();
        const expected = unit.times(new Fraction(upTo(k) - upTo(k - 1)));
        expect(times.delta(k)).toBe(expected.toDouble());
        const place = new Fraction(BigInt(k) * BigInt(denominator), BigInt(numerator));
        expect(times.timestamp(k)).toBe(place.toDouble());
      }),
      { numRuns: scaled({ tiny: 100, normal: 1000, full: 20_000 }) },
    );
  });

  test.each([
    ['24 by 60', whole(24), 60, [2, 3, 2, 3, 2, 3, 2, 3]],
    ['30 by 60', whole(30), 60, [2, 2, 2, 2, 2, 2, 2, 2]],
    ['25 by 60', whole(25), 60, [2, 2, 3, 2, 3, 2, 2, 3, 2, 3]],
    ['144 by 60', whole(144), 60, [0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1]],
  ])('make a clock run the exact pattern of steps: %s', (_name, fps, tickRateHz, pattern) => {
    const times = new FrameTimes(fps);
    const clock = new ClockDriver({ tickRateHz });
    expect(pattern.map((_, k) => clock.advance(times.delta(k + 1)).steps)).toEqual(pattern);
  });

  const rates = [NTSC, FILM, whole(25), whole(60), whole(144)];
  const cases = rates.flatMap((fps) => [60, 100, 120].map((hz) => [fps, hz] as const));
  test.each(cases)('of %o make a clock of %i Hz count as integers do', (fps, tickRateHz) => {
    const frames = scaled({ tiny: 3000, normal: 50_000, full: 1_000_000 });
    const times = new FrameTimes(fps);
    const clock = new ClockDriver({ tickRateHz });
    const perFrame = BigInt(tickRateHz) * BigInt(fps.denominator);
    const numerator = BigInt(fps.numerator);
    let expected = 0n;
    for (let k = 1n; k <= frames; k++) {
      const before = expected;
      expected = (k * perFrame) / numerator;
      const { steps } = clock.advance(times.delta(Number(k)));
      if (BigInt(steps) !== expected - before) expect([k, steps]).toEqual([k, expected - before]);
    }
    expect([BigInt(clock.tick), clock.dropped]).toEqual([expected, 0]);
  });

  test('are refused for what is no rate and no frame', () => {
    const bad = [0, -1, 29.97, Number.NaN, 1_000_001, Number.POSITIVE_INFINITY];
    for (const fps of bad)
      expect([fps, codeOf(() => new FrameTimes(fps))]).toContain('OPTION_INVALID');
    for (const fps of [null, '30', { numerator: 30 }, { numerator: 0.5, denominator: 1 }]) {
      expect([fps, codeOf(() => new FrameTimes(fps as never))]).toContain('OPTION_INVALID');
    }
    const times = new FrameTimes({ numerator: 60_000, denominator: 2002 });
    expect(times.rate).toEqual(NTSC);
    expect([times.timestamp(0), times.timestamp(30_000)]).toEqual([0, 1001]);
    for (const frame of [0, 0.5, -1, Number.NaN, 2 ** 32 + 1]) {
      expect([frame, codeOf(() => times.delta(frame))]).toContain('VALUE_INVALID');
    }
    expect(codeOf(() => times.timestamp(-1))).toBe('VALUE_INVALID');
  });
});

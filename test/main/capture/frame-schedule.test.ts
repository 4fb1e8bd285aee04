import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameSchedule } from '../../../src/main/capture/frame-schedule.ts';
import { createRational } from '../../../src/shared/rational.ts';

const SIXTIETH = createRational(1, 60);

describe('where the frames of a film stand', () => {
  test('at the rate of the ticks each frame is a tick as it is', () => {
    const schedule = new FrameSchedule(createRational(60, 1), SIXTIETH, 7);
    for (const index of [0, 1, 2, 299]) {
      expect(schedule.place(index)).toEqual({
        tick: 7 + index,
        alpha: { numerator: 0, denominator: 1 },
        stateTick: 7 + index,
        share: 1,
      });
    }
  });

  test('at 24 a second on 60: every other frame lies between two ticks', () => {
    const schedule = new FrameSchedule(createRational(24, 1), SIXTIETH, 0);
    expect([0, 1, 2, 3].map((index) => schedule.place(index))).toMatchObject([
      { tick: 0, stateTick: 0, share: 1 },
      { tick: 2, stateTick: 3, share: 0.5, alpha: { numerator: 1, denominator: 2 } },
      { tick: 5, stateTick: 5, share: 1 },
      { tick: 7, stateTick: 8, share: 0.5 },
    ]);
  });

  test('at 24000/1001, frame 24000 is exactly 1001 s, and frame 1 is 2.5025 quanta', () => {
    const schedule = new FrameSchedule(createRational(24_000, 1001), SIXTIETH, 0);
    expect(schedule.place(24_000)).toMatchObject({ tick: 60_060, stateTick: 60_060, share: 1 });
    expect(schedule.place(1)).toMatchObject({
      tick: 2,
      alpha: { numerator: 201, denominator: 400 },
    });
    expect(schedule.timestamp(24_000)).toBe(1001);
  });

  test('any rate, any quantum, any frame: the exact fraction, and never before the last', () => {
    const term = fc.integer({ min: 1, max: 1_000_000 });
    const fraction = fc.record({ numerator: term, denominator: term });
    const index = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(fraction, fraction, index, (rate, quantum, k) => {
        const schedule = new FrameSchedule(rate, quantum, 0);
        const above = BigInt(k) * BigInt(rate.denominator) * BigInt(quantum.denominator);
        const below = BigInt(rate.numerator) * BigInt(quantum.numerator);
        fc.pre(above / below < 2n ** 53n);
        const { tick, alpha, stateTick, share } = schedule.place(k);
        const shown = BigInt(tick) * BigInt(alpha.denominator) + BigInt(alpha.numerator);
        expect(shown * below).toBe(above * BigInt(alpha.denominator));
        expect([stateTick, share > 0, share <= 1]).toEqual([
          alpha.numerator === 0 ? tick : tick + 1,
          true,
          true,
        ]);
        expect(schedule.place(k + 1).stateTick).toBeGreaterThanOrEqual(stateTick);
      }),
      { seed: 6 },
    );
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 32 + 1])('%d is no frame', (index) => {
    const schedule = new FrameSchedule(createRational(60, 1), SIXTIETH, 0);
    expect(() => schedule.place(index)).toThrow('VALUE_INVALID');
  });
});

test('as many frames as are told need no later tick', () => {
  const fractions: readonly (readonly [fps: number, per: number])[] = [
    [60, 1],
    [24_000, 1001],
    [240, 1],
    [7, 3],
  ];
  for (const [numerator, denominator] of fractions) {
    const rate = { numerator, denominator };
    const schedule = new FrameSchedule(rate, { numerator: 1, denominator: 60 }, 9);
    expect(schedule.framesUntil(8)).toBe(0);
    for (let tick = 9; tick < 200; tick++) {
      const count = schedule.framesUntil(tick);
      const fits = [count - 1, count].map((index) => schedule.place(index).stateTick <= tick);
      expect([numerator, tick, fits]).toEqual([numerator, tick, [true, false]]);
    }
  }
});

import { describe, expect, test } from 'vitest';
import { createAnchor } from '../../src/shared/anchor.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { scaled } from '../scaled.ts';
import { advance, alphaAt, at, clockOf, codeOf, frameAt, step } from './clock-frames.ts';

const MS = 1e6;
const SECOND = 1e9;

describe('given deltas', () => {
  test('0.06 s at a quantum of 0.01 s are six ticks', () => {
    expect(advance(clockOf(1, 100), 0.06)).toBe(6);
  });

  test.each([
    [0.5, 0.1, 5],
    [0.3, 0.1, 3],
    [0.1, 0.01, 10],
    [1, 0.01, 100],
  ])('%d s at a quantum of %d s are %d ticks', (delta, dt, ticks) => {
    const clock = clockOf(dt * 100, 100, { maxTicksPerAdvance: 1000 });
    expect(advance(clock, delta)).toBe(ticks);
    expect(alphaAt(clock, 0)).toBeLessThan(1e-12);
  });

  test.each([
    [1, 60, 1, 60],
    [1, 60, 1, 100],
    [1, 120, 1, 60],
    [1, 24, 1, 60],
    [1, 100, 1, 60],
    [1, 100, 1001, 60_000],
  ])(
    'of %d/%d s lose and gain nothing, advance by advance, at a quantum of %d/%d s',
    (deltaNumerator, deltaDenominator, numerator, denominator) => {
      const clock = clockOf(numerator, denominator);
      const delta = deltaNumerator / deltaDenominator;
      // After i advances floor(i x rise / run) ticks are due: both are small integers.
      const rise = deltaNumerator * denominator;
      const run = deltaDenominator * numerator;
      let whole = 0;
      let rest = 0;
      let wrong = 0;
      const count = scaled({ tiny: 100_000, normal: 1_000_000, full: 10_000_000 });
      for (let i = 1; i <= count; i++) {
        advance(clock, delta);
        for (rest += rise; rest >= run; rest -= run) whole++;
        if (clock.tick !== whole) wrong++;
      }
      expect(wrong).toBe(0);
      expect(clock.ticksDropped).toBe(0);
    },
  );

  test('10^7 advances of 1/60 s are 10^7 ticks at 60 Hz', () => {
    const clock = clockOf(1, 60);
    const count = scaled({ tiny: 100_000, normal: 10_000_000, full: 10_000_000 });
    for (let i = 0; i < count; i++) advance(clock, 1 / 60);
    expect([clock.tick, clock.ticksDropped]).toEqual([count, 0]);
  });

  test.each([-1, -1e-12, Number.NaN, Number.POSITIVE_INFINITY, 1e10])('%d is refused', (delta) => {
    const clock = clockOf(1, 60);
    expect(codeOf(() => clock.planDelta(delta))).toBe('VALUE_INVALID');
    expect(clock.tick).toBe(0);
  });

  test('count for nothing while the clock stands still', () => {
    const clock = clockOf(1, 60, { mode: 'paused' });
    expect(advance(clock, 1)).toBe(0);
    clock.resume(at(0));
    expect(advance(clock, 0.5 / 60)).toBe(0);
    expect(advance(clock, 0.5 / 60)).toBe(1);
  });

  test('keep their phase over a change of speed', () => {
    const clock = clockOf(1, 60);
    advance(clock, 1.25 / 60);
    const alpha = alphaAt(clock, 0);
    for (const speed of [0.37, 4, 1 / 3, 1]) {
      expect(clock.setSpeed(speed, at(0))).toBe(true);
      expect(Math.abs(alphaAt(clock, 0) - alpha)).toBeLessThan(1e-15);
    }
  });

  test('make an anchor that holds alpha instead of a clock', () => {
    const clock = clockOf(1, 64);
    const anchor = createAnchor();
    advance(clock, 1.5 / 64);
    clock.anchor(anchor);
    expect(anchor).toMatchObject({ tick: 1, running: false, alpha: 0.5 });
    expect(anchor.alphaNumerator / anchor.alphaDenominator).toBe(0.5);
    expect(clock.nextDue(createInstant())).toBe(false);
  });

  test('go on from the phase of the last reading, and readings from theirs', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    frameAt(clock, 12 * MS);
    expect(advance(clock, 0.006)).toBe(0);
    expect(alphaAt(clock, 0)).toBeCloseTo(0.8, 12);
    expect(advance(clock, 0.002)).toBe(1);
    expect(advance(clock, 0.005)).toBe(0);
    // A minute later by the clock: the time since the last reading counts for nothing.
    expect(frameAt(clock, 60 * SECOND)).toBe(0);
    expect(alphaAt(clock, 60 * SECOND)).toBe(0.5);
    expect(frameAt(clock, 60 * SECOND + 5 * MS)).toBe(1);
  });
});

describe('realized speed', () => {
  test('is NaN before half a second, then what was simulated of the wall time', () => {
    const clock = clockOf(1, 60);
    for (let i = 0; i < 30; i++) frameAt(clock, Math.ceil((i * 1e9) / 60));
    expect(clock.realizedSpeed()).toBeNaN();
    frameAt(clock, 500 * MS);
    expect(clock.realizedSpeed()).toBeCloseTo(1, 12);
  });

  test('does not count dropped quanta', () => {
    const clock = clockOf(1, 60, { maxTicksPerAdvance: 6 });
    frameAt(clock, 0);
    for (let i = 1; i <= 5; i++) frameAt(clock, i * 200 * MS);
    expect(clock.ticksDropped).toBe(30);
    expect(clock.realizedSpeed()).toBeCloseTo(0.5, 12);
  });

  test('counts given deltas as wall time', () => {
    const clock = clockOf(1, 60, { speed: 2 });
    for (let i = 0; i < 30; i++) advance(clock, 1 / 60);
    expect(clock.realizedSpeed()).toBeCloseTo(2, 9);
  });

  test('is 0 while paused, and leaves the pause out of its windows', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    for (let i = 1; i <= 100; i++) frameAt(clock, i * 10 * MS);
    clock.pause(at(1000));
    expect(clock.realizedSpeed()).toBe(0);
    step(clock, 50);
    clock.resume(at(9000));
    for (let i = 1; i <= 50; i++) frameAt(clock, (9000 + i * 10) * MS);
    expect(clock.realizedSpeed()).toBeCloseTo(1, 12);
  });
});

import { describe, expect, test } from 'vitest';
import { createAnchor } from '../../src/shared/anchor.ts';
import { AssertionError } from '../../src/shared/assert.ts';
import type { ClockOptions } from '../../src/shared/clock-options.ts';
import { EscapementError } from '../../src/shared/error.ts';
import { createInstant, type Instant } from '../../src/shared/instant.ts';
import { WorldClock } from '../../src/shared/world-clock.ts';
import { scaled } from '../scaled.ts';
import { advance, alphaAt, frameAt, step } from './clock-frames.ts';

const MS = 1e6;
const SECOND = 1e9;

const at = (ms: number): Instant => createInstant(Math.floor(ms / 1000), (ms % 1000) * 1e6);

const clockOf = (numerator: number, denominator: number, options: Partial<ClockOptions> = {}) =>
  new WorldClock({ quantum: { numerator, denominator }, ...options });

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof EscapementError) return error.code;
    throw error;
  }
  return 'accepted';
};

describe('options', () => {
  test('defaults are live, real time, a cap of 8 that does not scale', () => {
    const clock = clockOf(1, 60);
    expect([clock.mode, clock.speed, clock.maxTicksPerAdvance]).toEqual(['live', 1, 8]);
    expect([clock.tick, clock.epoch, clock.ticksDropped]).toEqual([0, 1, 0]);
    expect(clock.running).toBe(true);
  });

  test.each<Partial<ClockOptions>>([
    { quantum: { numerator: 1, denominator: 1001 } },
    { quantum: { numerator: 11, denominator: 1 } },
    { speed: -1 },
    { speed: Number.NaN },
    { maxTicksPerAdvance: 0 },
    { maxTicksPerAdvance: 1.5 },
    { mode: 'fast' as 'live' },
  ])('%o is refused', (options) => {
    expect(codeOf(() => clockOf(1, 60, options))).toBe('OPTION_INVALID');
  });

  test('a cap and a mode are checked when they are changed, and the old ones stay', () => {
    const clock = clockOf(1, 60);
    expect(codeOf(() => clock.setCap(0))).toBe('OPTION_INVALID');
    expect(codeOf(() => clock.setMode('fast' as 'live', at(0)))).toBe('OPTION_INVALID');
    expect([clock.maxTicksPerAdvance, clock.mode]).toEqual([8, 'live']);
  });
});

describe('an advance', () => {
  test('begins with a reading that sets the start reference and plans nothing', () => {
    const clock = clockOf(1, 60);
    expect(clock.plan(at(123_456))).toBe(0);
    expect(clock.startReference).toEqual(at(123_456));
  });

  test('has no tolerance for readings: 16,666,666 ns at 60 Hz are not due', () => {
    const clock = clockOf(1, 60);
    frameAt(clock, 0);
    expect(frameAt(clock, 16_666_666)).toBe(0);
    expect(frameAt(clock, 16_666_667)).toBe(1);
  });

  test('that failed is found again by the next plan, and drops nothing', () => {
    const clock = clockOf(1, 100, { maxTicksPerAdvance: 2 });
    frameAt(clock, 0);
    expect(clock.plan(at(50))).toBe(2);
    clock.complete();
    // The second tick failed: neither completed nor settled.
    expect([clock.tick, clock.ticksDropped]).toEqual([1, 0]);
    expect(clock.plan(at(50))).toBe(2);
    clock.complete();
    clock.complete();
    expect(clock.settle()).toBe(2);
    expect([clock.tick, clock.ticksDropped]).toEqual([3, 2]);
  });

  test('numbers its quanta from the tick before it', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    frameAt(clock, 30 * MS);
    expect([clock.firstTick, clock.tick]).toEqual([0, 3]);
    frameAt(clock, 50 * MS);
    expect([clock.firstTick, clock.tick]).toEqual([3, 5]);
  });

  test('completes no more than it planned', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    expect(clock.plan(at(10))).toBe(1);
    clock.complete();
    expect(() => clock.complete()).toThrow(AssertionError);
  });

  test.each([
    [1, 8],
    [1.5, 16],
    [2, 16],
    [2.01, 24],
    [0.25, 8],
  ])('at speed %d has a scaled cap of %d', (speed, cap) => {
    const clock = clockOf(1, 1000, { speed, capScalesWithRate: true });
    expect(advance(clock, 10)).toBe(cap);
  });
});

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
    ['1/60', 1, 60, '1/60', 1, 60],
    ['1/60', 1, 60, '1/100', 1, 100],
    ['1/120', 1, 120, '1/60', 1, 60],
    ['1/24', 1, 24, '1/60', 1, 60],
    ['0.01', 1, 100, '1/60', 1, 60],
    ['0.01', 1, 100, '1001/60000', 1001, 60_000],
  ])(
    'of %s s lose and gain nothing in 10^7 advances at a quantum of %s',
    (..._row: [string, number, number, string, number, number]) => {
      const [, deltaNumerator, deltaDenominator, , numerator, denominator] = _row;
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
    const clock = clockOf(1, 60);
    const anchor = createAnchor();
    advance(clock, 1.5 / 60);
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

describe('counted ticks', () => {
  test('run in every mode, have no cap and leave alpha where it is', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    frameAt(clock, 13 * MS);
    for (const mode of ['live', 'paused', 'stepping'] as const) {
      clock.setMode(mode, at(13));
      expect(step(clock, 100)).toBe(100);
      expect(alphaAt(clock, 13 * MS)).toBe(0.3);
    }
    expect([clock.tick, clock.ticksDropped]).toEqual([301, 0]);
    clock.resume(at(13));
    expect(frameAt(clock, 19 * MS)).toBe(0);
    expect(frameAt(clock, 20 * MS)).toBe(1);
  });

  test.each([-1, 0.5, Number.NaN])('%d is refused', (count) => {
    expect(codeOf(() => clockOf(1, 60).planTicks(count))).toBe('VALUE_INVALID');
  });
});

describe('standing still', () => {
  test('stepping plans nothing by the clock', () => {
    const clock = clockOf(1, 60);
    frameAt(clock, 0);
    clock.setMode('stepping', at(0));
    expect(frameAt(clock, 5 * SECOND)).toBe(0);
    expect(clock.nextDue(createInstant())).toBe(false);
  });

  test('owed quanta stay owed over a pause', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    expect(clock.plan(at(55))).toBe(5);
    clock.complete();
    clock.complete();
    clock.pause(at(55));
    clock.settle();
    expect(alphaAt(clock, 55 * MS)).toBe(1);
    clock.resume(at(1055));
    expect(frameAt(clock, 1055 * MS)).toBe(3);
    expect(alphaAt(clock, 1055 * MS)).toBe(0.5);
  });

  test('an anchor of a paused clock carries alpha as an exact fraction', () => {
    const clock = clockOf(1, 60);
    const anchor = createAnchor();
    frameAt(clock, 0);
    frameAt(clock, 20 * MS);
    clock.pause(at(25));
    clock.anchor(anchor);
    expect(anchor).toMatchObject({ running: false, alpha: 0.5, quantumWallNs: 1e9 / 60 });
    // (25 ms x 60 / s - 1) = 1/2, in units of the rate: 50,000,000 of 100,000,000 / gcd.
    expect(anchor.alphaNumerator * 2).toBe(anchor.alphaDenominator);
    expect(anchor.due).toEqual(createInstant());
  });

  test('alpha is 0 before the first tick, whatever the phase', () => {
    const clock = clockOf(1, 60);
    frameAt(clock, 0);
    expect(alphaAt(clock, 10 * MS)).toBe(0);
    clock.pause(at(10));
    const anchor = createAnchor();
    clock.anchor(anchor);
    expect(anchor.alpha).toBe(0);
  });
});

describe('speed', () => {
  test('reads back as the nearest fraction with a denominator up to 1000', () => {
    const clock = clockOf(1, 60);
    expect(clock.setSpeed(Math.PI, at(0))).toBe(true);
    expect(clock.speed).toBe(355 / 113);
    expect(clock.setSpeed(0.0001, at(0))).toBe(true);
    expect(clock.speed).toBe(0);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1001])('%d leaves the old one', (value) => {
    const clock = clockOf(1, 60, { speed: 2 });
    expect(clock.setSpeed(value, at(0))).toBe(false);
    expect(clock.speed).toBe(2);
  });

  test('a change leaves alpha within a raw Q16.16 unit and changes its slope alone', () => {
    const clock = clockOf(1, 60);
    frameAt(clock, 0);
    let now = 0;
    const speeds = [0.1, 4, 0.37, 1 / 3, 2.75, 0.001, 10, 1];
    for (let i = 1; i < 4000; i++) {
      now += 4_166_667;
      frameAt(clock, now);
      const before = alphaAt(clock, now);
      const speed = speeds[i % speeds.length] as number;
      clock.setSpeed(speed, createInstant(Math.floor(now / 1e9), now % 1e9));
      expect(Math.abs(alphaAt(clock, now) - before)).toBeLessThanOrEqual(1 / 65_536);
    }
  });

  test('0 stops a live clock without a change of mode, and alpha goes on from there', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    frameAt(clock, 13 * MS);
    expect(clock.setSpeed(0, at(13))).toBe(true);
    expect([clock.mode, clock.speed, clock.running]).toEqual(['live', 0, false]);
    expect(frameAt(clock, 5 * SECOND)).toBe(0);
    expect(alphaAt(clock, 5 * SECOND)).toBe(0.3);
    const anchor = createAnchor();
    clock.anchor(anchor);
    expect(anchor).toMatchObject({ running: false, quantumWallNs: Number.POSITIVE_INFINITY });
    clock.resume(at(6000));
    expect(frameAt(clock, 7 * SECOND)).toBe(0);
    clock.setSpeed(1, at(7000));
    expect(frameAt(clock, 7 * SECOND + 7 * MS)).toBe(1);
  });

  test('set while paused holds from the resume on', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    frameAt(clock, 15 * MS);
    clock.pause(at(15));
    clock.setSpeed(2, at(500));
    expect(alphaAt(clock, 500 * MS)).toBe(0.5);
    clock.resume(at(1000));
    expect(alphaAt(clock, 1000 * MS)).toBe(0.5);
    expect(frameAt(clock, 1002.5 * MS)).toBe(1);
  });

  test('changed and changed back within a pause leaves the reference exact', () => {
    const clock = clockOf(1001, 60_000);
    frameAt(clock, 0);
    frameAt(clock, 20 * MS);
    const alpha = alphaAt(clock, 21 * MS);
    clock.pause(at(21));
    clock.setSpeed(1 / 3, at(30));
    clock.setSpeed(1, at(40));
    clock.resume(at(21));
    expect(alphaAt(clock, 40 * MS)).toBe(alpha);
  });

  test('keeps owed quanta over a change', () => {
    const clock = clockOf(1, 100, { maxTicksPerAdvance: 100 });
    frameAt(clock, 0);
    expect(clock.plan(at(55))).toBe(5);
    clock.complete();
    clock.setSpeed(0.1, at(55));
    clock.settle();
    expect(frameAt(clock, 55 * MS)).toBe(4);
    expect(alphaAt(clock, 55 * MS)).toBe(0.5);
    expect(frameAt(clock, 105 * MS)).toBe(1);
  });
});

describe('an anchor', () => {
  test('says when the last tick was due, with its part of a nanosecond', () => {
    const clock = clockOf(1, 60);
    const anchor = createAnchor();
    frameAt(clock, 1000 * MS);
    frameAt(clock, 1000 * MS + 16_666_667);
    clock.anchor(anchor);
    expect(anchor).toMatchObject({ tick: 1, epoch: 1, running: true, quantumWallNs: 1e9 / 60 });
    expect(anchor.due).toEqual(createInstant(1, 16_666_666));
    expect(anchor.dueFraction).toBe(2 / 3);
  });

  test('counts dropped quanta: A(T) = start + (T + dropped) x quantum', () => {
    const clock = clockOf(1, 100, { maxTicksPerAdvance: 2 });
    const anchor = createAnchor();
    frameAt(clock, 0);
    frameAt(clock, 105 * MS);
    clock.anchor(anchor);
    expect([clock.tick, clock.ticksDropped]).toEqual([2, 8]);
    expect([anchor.due, anchor.dueFraction]).toEqual([createInstant(0, 100 * MS), 0]);
    expect(alphaAt(clock, 105 * MS)).toBe(0.5);
  });

  test('does not run before the first plan', () => {
    const anchor = createAnchor();
    const clock = clockOf(1, 60);
    step(clock, 3);
    clock.anchor(anchor);
    expect(anchor).toMatchObject({ tick: 3, running: false, alpha: 0 });
    expect(alphaAt(clock, 5 * SECOND)).toBe(0);
  });
});

describe('the next due reading', () => {
  test('is the first at which a tick is planned', () => {
    const clock = clockOf(1, 60);
    const next = createInstant();
    expect(clock.nextDue(next)).toBe(false);
    frameAt(clock, 0);
    for (let tick = 1; tick <= 600; tick++) {
      expect(clock.nextDue(next)).toBe(true);
      const ns = next.seconds * 1e9 + next.nanos;
      expect(ns).toBe(Math.ceil((tick * 1e9) / 60));
      expect(frameAt(clock, ns - 1)).toBe(0);
      expect(frameAt(clock, ns)).toBe(1);
    }
  });

  test('is the last reading when ticks are owed', () => {
    const clock = clockOf(1, 100);
    const next = createInstant();
    frameAt(clock, 0);
    expect(clock.plan(at(55))).toBe(5);
    expect(clock.nextDue(next)).toBe(true);
    expect(next).toEqual(at(55));
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

describe('reconfigure', () => {
  test('starts a new epoch at tick 0 and this reading, and keeps what is not given', () => {
    const clock = clockOf(1, 60, { speed: 2, maxTicksPerAdvance: 3 });
    frameAt(clock, 0);
    frameAt(clock, 1000 * MS);
    expect([clock.tick, clock.ticksDropped]).toEqual([3, 117]);
    clock.reconfigure({ quantum: { numerator: 1, denominator: 20 } }, at(1000));
    expect([clock.tick, clock.epoch, clock.ticksDropped]).toEqual([0, 2, 0]);
    expect([clock.speed, clock.maxTicksPerAdvance, clock.mode]).toEqual([2, 3, 'live']);
    expect(clock.startReference).toEqual(at(1000));
    expect(clock.realizedSpeed()).toBeNaN();
    expect(frameAt(clock, 1024 * MS)).toBe(0);
    expect(frameAt(clock, 1025 * MS)).toBe(1);
  });

  test('changes nothing when an option is refused', () => {
    const clock = clockOf(1, 60);
    frameAt(clock, 0);
    frameAt(clock, 20 * MS);
    const bad = { quantum: { numerator: 1, denominator: 20 }, speed: -1 };
    expect(codeOf(() => clock.reconfigure(bad, at(20)))).toBe('OPTION_INVALID');
    expect([clock.tick, clock.epoch, clock.quantum.denominator]).toEqual([1, 1, 60]);
  });

  test('leaves a paused clock paused', () => {
    const clock = clockOf(1, 60);
    frameAt(clock, 0);
    frameAt(clock, 30 * MS);
    clock.pause(at(30));
    clock.reconfigure({ quantum: { numerator: 1, denominator: 100 } }, at(40));
    expect(frameAt(clock, SECOND)).toBe(0);
    clock.resume(at(1000));
    expect(frameAt(clock, 1010 * MS)).toBe(1);
  });
});

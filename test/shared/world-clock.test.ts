import { describe, expect, test } from 'vitest';
import { createAnchor } from '../../src/shared/anchor.ts';
import { AssertionError } from '../../src/shared/assert.ts';
import type { ClockOptions } from '../../src/shared/clock-options.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { advance, alphaAt, at, clockOf, codeOf, frameAt, step } from './clock-frames.ts';

const MS = 1e6;
const SECOND = 1e9;

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

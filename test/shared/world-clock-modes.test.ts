import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAnchor } from '../../src/shared/anchor.ts';
import { AssertionError } from '../../src/shared/assert.ts';
import type { ClockMode } from '../../src/shared/clock-options.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { quantumOf } from '../../src/shared/rational.ts';
import { MODE_CODES } from '../../src/shared/record.ts';
import { WorldClock } from '../../src/shared/world-clock.ts';
import { bytesLeft } from '../heap-growth.ts';
import {
  advance,
  alphaAt,
  at,
  clockAtAlpha,
  clockOf,
  codeOf,
  frameAt,
  shownAt,
  step,
} from './clock-frames.ts';

const MS = 1e6;
const SECOND = 1e9;

describe('the modes', () => {
  // What an advance by a delta of 5 quanta, and by a reading 5 quanta later, runs.
  test.each<[ClockMode, number, number]>([
    ['live', 5, 5],
    ['lockstep', 3, 0],
    ['paused', 0, 0],
    ['stepping', 0, 0],
    ['replay', 0, 0],
  ])('%s runs %d quanta of an advance and %d of a reading', (mode, byDelta, byReading) => {
    const clock = clockOf(1, 100, { mode, lockstepSteps: 3 });
    expect(advance(clock, 0.05)).toBe(byDelta);
    const driven = clockOf(1, 100, { mode, lockstepSteps: 3 });
    frameAt(driven, 0);
    expect(frameAt(driven, 50 * MS)).toBe(byReading);
    expect(driven.nextDue(createInstant())).toBe(mode === 'live');
  });

  test.each(MODE_CODES)('in %s counted quanta run, exactly as many, with no cap', (mode) => {
    const clock = clockOf(1, 100, { mode });
    expect(step(clock, 1000)).toBe(1000);
    expect(step(clock)).toBe(1);
    expect([clock.tick, clock.firstTick, clock.ticksDropped]).toEqual([1001, 1000, 0]);
    expect(alphaAt(clock, 0)).toBe(0);
  });

  test('only live banks wall time: in the others none of it is left for later', () => {
    for (const mode of ['lockstep', 'paused', 'stepping', 'replay'] as const) {
      const clock = clockOf(1, 100, { mode });
      for (let i = 0; i < 10; i++) advance(clock, 0.009);
      clock.setMode('live', at(0));
      expect(advance(clock, 0.009)).toBe(0);
      expect(clock.ticksDropped).toBe(0);
    }
  });

  test('codes in a record are stable: new modes come last', () => {
    expect(MODE_CODES).toEqual(['live', 'paused', 'stepping', 'lockstep', 'replay']);
  });

  test('pause and resume enter paused and live from any mode', () => {
    for (const mode of MODE_CODES) {
      const clock = clockOf(1, 100, { mode });
      clock.pause(at(0));
      expect(clock.mode).toBe('paused');
      clock.setMode(mode, at(0));
      clock.resume(at(0));
      expect(clock.mode).toBe('live');
    }
  });
});

describe('the configuration', () => {
  test('has the defaults of a live clock with one step in lockstep', () => {
    const clock = new WorldClock({ quantum: quantumOf({ fixedDt: 1 / 120 }) });
    expect(clock.quantum).toEqual({ numerator: 1, denominator: 120 });
    expect([clock.speed, clock.maxTicksPerAdvance, clock.lockstepSteps]).toEqual([1, 8, 1]);
    // The cap does not scale: a stall of a second at speed 4 runs 8.
    clock.setSpeed(4, at(0));
    expect(advance(clock, 1)).toBe(8);
  });

  test.each([
    [0.5, 1],
    [1, 1],
    [1.5, 2],
    [2, 2],
    [2.01, 3],
  ])('a cap that scales with rate %d is taken x%d', (speed, times) => {
    const clock = clockOf(1, 1000, { speed, capScalesWithRate: true });
    expect(advance(clock, 10)).toBe(8 * times);
    expect(clock.ticksDropped).toBe(Math.round(speed * 10_000) - 8 * times);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
    '%d steps in lockstep are refused everywhere, and the old ones stay',
    (lockstepSteps) => {
      expect(codeOf(() => clockOf(1, 60, { lockstepSteps }))).toBe('OPTION_INVALID');
      const clock = clockOf(1, 60, { lockstepSteps: 4, mode: 'lockstep' });
      expect(codeOf(() => clock.setLockstepSteps(lockstepSteps))).toBe('OPTION_INVALID');
      expect(codeOf(() => clock.reconfigure({ lockstepSteps }, at(0)))).toBe('OPTION_INVALID');
      expect([clock.lockstepSteps, clock.epoch]).toEqual([4, 1]);
      expect(advance(clock, 0)).toBe(4);
    },
  );

  test('reconfigure takes a quantum, a mode and its steps, and keeps those not given', () => {
    const clock = clockOf(1, 60, { lockstepSteps: 4 });
    advance(clock, 0.1);
    clock.reconfigure({ mode: 'lockstep', quantum: quantumOf({ fixedDt: 0.01 }) }, at(0));
    expect([clock.tick, clock.epoch, clock.mode]).toEqual([0, 2, 'lockstep']);
    expect(clock.quantum).toEqual({ numerator: 1, denominator: 100 });
    expect(advance(clock, 1)).toBe(4);
    clock.reconfigure({ lockstepSteps: 2, quantum: quantumOf({ tickRateHz: 20 }) }, at(0));
    expect([advance(clock, 1), clock.mode, clock.worldTime]).toEqual([2, 'lockstep', 0.1]);
  });
});

describe('lockstep', () => {
  test('runs its steps whatever the delta, the cap and the speed say, and drops nothing', () => {
    const clock = clockOf(1, 60, { mode: 'lockstep', lockstepSteps: 20, maxTicksPerAdvance: 2 });
    for (const delta of [0, 1e-9, 1 / 60, 5, 1e9]) expect(advance(clock, delta)).toBe(20);
    clock.setSpeed(0, at(0));
    expect(advance(clock, 1 / 60)).toBe(20);
    clock.setSpeed(8, at(0));
    expect(advance(clock, 1 / 60)).toBe(20);
    expect([clock.tick, clock.firstTick, clock.ticksDropped]).toEqual([140, 120, 0]);
    expect(clock.running).toBe(false);
    expect(codeOf(() => clock.planDelta(-1))).toBe('VALUE_INVALID');
  });

  test('takes new steps from the next advance on', () => {
    const clock = clockOf(1, 60, { mode: 'lockstep' });
    expect(clock.planDelta(0)).toBe(1);
    clock.setLockstepSteps(3);
    clock.complete();
    expect(() => clock.complete()).toThrow(AssertionError);
    expect([clock.settle(), advance(clock, 0), clock.lockstepSteps]).toEqual([0, 3, 3]);
  });

  test('has alpha 0 from its entry on, and leaves an empty bank to live', () => {
    const clock = clockAtAlpha();
    const anchor = createAnchor();
    expect(alphaAt(clock, 13 * MS)).toBe(0.3);
    clock.setMode('lockstep', at(13));
    expect(alphaAt(clock, 19 * MS)).toBe(0);
    advance(clock, 0.007);
    clock.anchor(anchor);
    expect(anchor).toMatchObject({ tick: 2, epoch: 1, running: false, alpha: 0 });
    clock.setMode('live', at(100));
    expect(frameAt(clock, 109 * MS)).toBe(0);
    expect(alphaAt(clock, 109 * MS)).toBe(0.9);
    expect(frameAt(clock, 110 * MS)).toBe(1);
  });

  test('by way of a pause leaves an empty bank too', () => {
    const clock = clockAtAlpha();
    clock.setMode('lockstep', at(13));
    clock.pause(at(14));
    expect(alphaAt(clock, 14 * MS)).toBe(0);
    clock.resume(at(100));
    expect(alphaAt(clock, 105 * MS)).toBe(0.5);
  });

  test('forgets quanta that live owes, without counting them as dropped', () => {
    const clock = clockOf(1, 100, { maxTicksPerAdvance: 4 });
    frameAt(clock, 0);
    expect(clock.plan(at(95))).toBe(4);
    clock.complete();
    clock.setMode('lockstep', at(95));
    expect(clock.settle()).toBe(0);
    clock.setMode('live', at(95));
    expect(frameAt(clock, 104 * MS)).toBe(0);
    expect([clock.tick, clock.ticksDropped]).toEqual([1, 0]);
  });

  test('entered within an advance lets what is planned be completed, and owes nothing', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    expect(clock.plan(at(30))).toBe(3);
    clock.complete();
    clock.setMode('lockstep', at(30));
    clock.complete();
    clock.complete();
    clock.settle();
    clock.setMode('live', at(30));
    expect(alphaAt(clock, 35 * MS)).toBe(0.5);
    expect([clock.tick, frameAt(clock, 40 * MS)]).toEqual([3, 1]);
  });

  test('does not ask again for a tick that failed', () => {
    const clock = clockOf(1, 100, { mode: 'lockstep', lockstepSteps: 3 });
    expect(clock.planDelta(0)).toBe(3);
    clock.complete();
    // The second tick failed: neither completed nor settled.
    expect(advance(clock, 0)).toBe(3);
    expect(clock.tick).toBe(4);
  });

  test('counts given deltas as wall time of the realized speed', () => {
    const clock = clockOf(1, 100, { mode: 'lockstep', lockstepSteps: 2 });
    for (let i = 0; i < 29; i++) advance(clock, 1 / 60);
    expect(clock.realizedSpeed()).toBeNaN();
    advance(clock, 1 / 60);
    expect(clock.realizedSpeed()).toBeCloseTo(1.2, 9);
    clock.setMode('replay', at(0));
    expect(clock.realizedSpeed()).toBe(0);
  });

  test('begins a window of its own, and so does live after it', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    for (let i = 1; i <= 70; i++) frameAt(clock, i * 10 * MS);
    expect(clock.realizedSpeed()).toBeCloseTo(1, 12);
    clock.setMode('lockstep', at(700));
    for (let i = 0; i < 20; i++) advance(clock, 0.02);
    expect(clock.realizedSpeed()).toBeCloseTo(1, 12);
    for (let i = 0; i < 5; i++) advance(clock, 0.02);
    expect(clock.realizedSpeed()).toBeCloseTo(0.5, 9);
    // Wall time by readings does not count: in lockstep a reading is no advance.
    frameAt(clock, 60 * SECOND);
    for (let i = 0; i < 20; i++) advance(clock, 0.02);
    clock.setMode('live', at(61_000));
    for (let i = 1; i <= 50; i++) frameAt(clock, 61 * SECOND + i * 10 * MS);
    expect(clock.realizedSpeed()).toBeCloseTo(1, 12);
  });
});

describe('replay', () => {
  test('plans nothing and keeps alpha until it seeks', () => {
    const clock = clockAtAlpha();
    clock.setMode('replay', at(13));
    expect([advance(clock, 5), frameAt(clock, 5 * SECOND)]).toEqual([0, 0]);
    expect(alphaAt(clock, 5 * SECOND)).toBe(0.3);
    clock.seekTick(77, at(6000));
    expect([clock.tick, clock.mode, alphaAt(clock, 7 * SECOND)]).toEqual([77, 'replay', 0]);
  });

  test.each(['live', 'paused', 'stepping', 'lockstep'] as const)(
    'left for %s has alpha 0',
    (to) => {
      const clock = clockAtAlpha();
      clock.setMode('replay', at(13));
      clock.setMode(to, at(100));
      expect(alphaAt(clock, 100 * MS)).toBe(0);
      clock.setMode('live', at(100));
      expect(alphaAt(clock, 105 * MS)).toBe(0.5);
      expect([frameAt(clock, 109 * MS), frameAt(clock, 110 * MS)]).toEqual([0, 1]);
    },
  );

  test('forgets what live owed, without counting it', () => {
    const clock = clockOf(1, 100);
    frameAt(clock, 0);
    expect(clock.plan(at(55))).toBe(5);
    clock.setMode('replay', at(55));
    expect(clock.settle()).toBe(0);
    clock.setMode('live', at(60));
    expect([frameAt(clock, 69 * MS), frameAt(clock, 70 * MS)]).toEqual([0, 1]);
    expect(clock.ticksDropped).toBe(0);
  });
});

describe('clock faults that broke others', () => {
  test('CLK 13: the cap bounds live only: lockstep and counted quanta go past it', () => {
    const clock = clockOf(1, 60, { maxTicksPerAdvance: 8, speed: 4, lockstepSteps: 240 });
    expect([advance(clock, 1), clock.ticksDropped]).toEqual([8, 232]);
    clock.setMode('lockstep', at(0));
    expect([advance(clock, 1), step(clock, 240), clock.ticksDropped]).toEqual([240, 240, 232]);
    clock.setMode('live', at(0));
    clock.setCap(8, true);
    expect([advance(clock, 1), clock.ticksDropped]).toEqual([32, 232 + 208]);
  });

  test('CLK 14: lockstep runs every tick once and in order, whatever the speed', () => {
    const clock = clockOf(1, 35, { mode: 'lockstep', lockstepSteps: 2 });
    const ran: number[] = [];
    for (let frame = 0; frame < 70; frame++) {
      clock.setSpeed(frame % 2 === 0 ? 1.5 : 0.6, at(0));
      for (let left = clock.planDelta(1 / 35); left > 0; left--) {
        clock.complete();
        ran.push(clock.tick);
      }
      clock.settle();
    }
    expect(ran).toEqual(Array.from({ length: 140 }, (_, i) => i + 1));
  });

  test.each(['paused', 'stepping', 'replay', 'lockstep'] as const)(
    'CLK 16: %s entered within a frame is in force before the next tick',
    (mode) => {
      const clock = clockOf(1, 60);
      frameAt(clock, 0);
      step(clock, 9);
      const now = at(50);
      expect(clock.plan(now)).toBe(3);
      clock.complete();
      clock.setMode(mode, now);
      clock.settle();
      expect(clock.tick).toBe(10);
      for (let i = 1; i <= 5; i++) expect(frameAt(clock, 50 * MS + i * 16_666_667)).toBe(0);
      step(clock);
      step(clock, 2);
      expect(clock.tick).toBe(13);
    },
  );

  test.each(['paused', 'stepping', 'replay'] as const)(
    'CLK 17: in %s the picture stands still bitwise',
    (mode) => {
      const clock = clockOf(1, 60);
      frameAt(clock, 0);
      frameAt(clock, 35 * MS);
      clock.setMode(mode, at(40));
      const shown = shownAt(clock, 40 * MS);
      for (let i = 1; i <= 100; i++) {
        frameAt(clock, (40 + i * 30) * MS);
        expect(shownAt(clock, (40 + i * 30) * MS)).toBe(shown);
      }
    },
  );

  test('CLK 17: lockstep and back at one reading leaves alpha 0, not a hop to later', () => {
    const clock = clockAtAlpha();
    clock.setMode('lockstep', at(13));
    clock.setMode('live', at(13));
    expect(shownAt(clock, 13 * MS)).toBe(0);
    expect(shownAt(clock, 18 * MS)).toBe(0.5);
  });
});

test('modes set back and forth run each quantum once, whatever the order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...MODE_CODES), fc.nat(30), fc.nat(3)), { maxLength: 60 }),
      (changes) => {
        const clock = clockOf(1, 100, { lockstepSteps: 2 });
        let now = 0;
        let ran = 0;
        for (const [mode, waitMs, count] of changes) {
          clock.setMode(mode, at(now));
          now += waitMs;
          for (const each of [frameAt(clock, now * MS), step(clock, count)]) ran += each;
          if (mode === 'lockstep') ran += advance(clock, waitMs);
          expect(clock.tick).toBe(ran);
        }
      },
    ),
  );
});

test('lockstep, replay, seeks and changes of mode leave no garbage', () => {
  const clock = clockOf(1, 100, { lockstepSteps: 3 });
  const now = createInstant();
  const frame = (): void => {
    now.nanos = (now.nanos + 7_000_000) % 1e9;
    if (now.nanos < 7_000_000) now.seconds++;
    clock.setMode('lockstep', now);
    for (let left = clock.planDelta(1 / 60); left > 0; left--) clock.complete();
    clock.settle();
    clock.setMode('replay', now);
    clock.seekTick(clock.tick - 2, now);
    clock.setMode('live', now);
  };
  expect(bytesLeft(10_000, frame)).toBe(0);
});

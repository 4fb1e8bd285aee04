import { describe, expect, test } from 'vitest';
import { createAnchor } from '../../src/shared/anchor.ts';
import { AssertionError } from '../../src/shared/assert.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { MODE_CODES } from '../../src/shared/record.ts';
import {
  advance,
  alphaAt,
  at,
  clockAtAlpha,
  clockOf,
  codeOf,
  frameAt,
  step,
} from './clock-frames.ts';

const MS = 1e6;

describe('a seek', () => {
  test.each(MODE_CODES)('in %s sets the tick, raises the epoch and has alpha 0', (mode) => {
    const clock = clockAtAlpha();
    clock.setMode(mode, at(14));
    for (const tick of [1000, 3, Number.MAX_SAFE_INTEGER, 0, 3]) {
      const { epoch } = clock;
      clock.seekTick(tick, at(15));
      expect([clock.tick, clock.epoch, clock.mode]).toEqual([tick, epoch + 1, mode]);
      expect([clock.firstTick, alphaAt(clock, 15 * MS)]).toEqual([tick, 0]);
    }
    const anchor = createAnchor();
    clock.anchor(anchor);
    expect(anchor).toMatchObject({ tick: 3, epoch: 6, alpha: 0, running: mode === 'live' });
  });

  test('makes the tick due now: live goes on from there', () => {
    const clock = clockAtAlpha();
    clock.seekTick(500, at(19));
    const anchor = createAnchor();
    clock.anchor(anchor);
    expect(anchor).toMatchObject({ tick: 500, due: at(19), dueFraction: 0 });
    const next = createInstant();
    expect(clock.nextDue(next)).toBe(true);
    expect(next).toEqual(at(29));
    expect(alphaAt(clock, 24 * MS)).toBe(0.5);
    expect([frameAt(clock, 28 * MS), frameAt(clock, 29 * MS)]).toEqual([0, 1]);
    expect([clock.firstTick, clock.tick, clock.worldTime]).toEqual([500, 501, 5.01]);
  });

  test('keeps what was dropped, and forgets what is owed without dropping it', () => {
    const clock = clockOf(1, 100, { maxTicksPerAdvance: 4 });
    frameAt(clock, 0);
    frameAt(clock, 105 * MS);
    expect(clock.ticksDropped).toBe(6);
    expect(clock.plan(at(205))).toBe(4);
    clock.complete();
    clock.seekTick(0, at(205));
    expect(() => clock.complete()).toThrow(AssertionError);
    expect(clock.settle()).toBe(0);
    expect(frameAt(clock, 214 * MS)).toBe(0);
    expect([clock.tick, clock.ticksDropped]).toEqual([0, 6]);
  });

  test('by deltas empties the bank', () => {
    const clock = clockOf(1, 100);
    advance(clock, 0.019);
    clock.seekTick(10, at(0));
    expect([alphaAt(clock, 0), advance(clock, 0.009), advance(clock, 0.001)]).toEqual([0, 0, 1]);
    expect(clock.tick).toBe(11);
  });

  test('starts the measured window anew, so that the way to the tick counts for no speed', () => {
    const clock = clockOf(1, 100);
    for (let i = 0; i < 90; i++) advance(clock, 0.01);
    clock.seekTick(1_000_000, at(0));
    for (let i = 0; i < 49; i++) advance(clock, 0.02);
    expect(clock.realizedSpeed()).toBeCloseTo(1, 9);
    clock.seekTick(0, at(0));
    for (let i = 0; i < 50; i++) advance(clock, 0.01);
    expect(clock.realizedSpeed()).toBeCloseTo(1, 9);
  });

  test('at a reading before the last one happens at the last one, which is counted', () => {
    const clock = clockAtAlpha();
    clock.seekTick(8, at(3));
    expect([clock.tick, clock.backwardReadings]).toEqual([8, 1]);
    expect([frameAt(clock, 22 * MS), frameAt(clock, 23 * MS)]).toEqual([0, 1]);
  });

  test('before the first plan leaves the clock to be started by that', () => {
    const clock = clockOf(1, 100);
    clock.seekTick(40, at(5000));
    expect(frameAt(clock, 100 * MS)).toBe(0);
    expect(clock.startReference).toEqual(at(100));
    expect([frameAt(clock, 110 * MS), clock.tick]).toEqual([1, 41]);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])('to %d is refused and changes nothing', (tick) => {
    const clock = clockAtAlpha();
    expect(codeOf(() => clock.seekTick(tick, at(20)))).toBe('VALUE_INVALID');
    expect([clock.tick, clock.epoch, alphaAt(clock, 13 * MS)]).toEqual([1, 1, 0.3]);
  });

  test('CLK 19: world time after a seek back is smaller, not wrapped around', () => {
    const clock = clockOf(1, 60);
    step(clock, 10);
    const before = clock.worldTime;
    clock.seekTick(5, at(0));
    expect(clock.worldTime - before).toBeCloseTo(-0.083333, 6);
  });
});

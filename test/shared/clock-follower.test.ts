import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClockFollower } from '../../src/shared/clock-follower.ts';
import { MODE_CODES } from '../../src/shared/record.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { advance, at, clockOf, codeOf, frameAt, step } from './clock-frames.ts';

const period = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
);
const tick = fc.oneof(fc.nat(100), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));

/** Ticks near a multiple of a period, where a quotient of doubles could round up. */
const nearBoundary = fc
  .tuple(period, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: -2, max: 2 }))
  .map(([k, part, off]) => {
    const whole = Math.floor(part * Math.floor(Number.MAX_SAFE_INTEGER / k));
    const near = Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, whole * k + off));
    return [k, near] as const;
  });

const runs = { numRuns: scaled({ tiny: 300, normal: 3000, full: 100_000 }) };

const anchored = (k: number, atTick = 0, epoch = 1): ClockFollower => {
  const follower = new ClockFollower(k);
  follower.anchorAt(atTick, epoch);
  return follower;
};

/** Takes, and returns the world ticks of the taken steps. */
const takeTicks = (follower: ClockFollower, now: number, epoch = 1): number[] =>
  Array.from({ length: follower.take(now, epoch) }, (_, i) => follower.stepTick(i));

describe('a follower', () => {
  test('takes every boundary since the last take, all of them at once', () => {
    const follower = anchored(6);
    expect([follower.take(5, 1), follower.take(6, 1), follower.take(6, 1)]).toEqual([0, 1, 0]);
    expect(takeTicks(follower, 31)).toEqual([12, 18, 24, 30]);
    expect(takeTicks(follower, 35)).toEqual([]);
    expect(takeTicks(follower, 36)).toEqual([36]);
  });

  test('has boundaries at absolute multiples, wherever it was anchored', () => {
    for (let from = 0; from <= 12; from++) {
      const follower = anchored(6, from);
      expect(takeTicks(follower, 30)).toEqual([6, 12, 18, 24, 30].filter((each) => each > from));
    }
  });

  test('made mid-run owes nothing from before', () => {
    expect(ClockFollower.forStep(0.06, { fixedDt: 0.01 }, 600, 1).take(605, 1)).toBe(0);
    const unanchored = new ClockFollower(6);
    expect([unanchored.epoch, unanchored.isCaughtUp(0, 1)]).toEqual([0, false]);
    expect([unanchored.take(600, 1), unanchored.take(606, 1)]).toEqual([0, 1]);
  });

  test('for a step has the period of that step', () => {
    expect(ClockFollower.forStep(0.06, { fixedDt: 0.01 }, 0, 1).period).toBe(6);
    expect(codeOf(() => ClockFollower.forStep(0.06, { tickRateHz: 120 }, 0, 1))).toBe(
      'VALUE_INVALID',
    );
  });

  test('anchors anew in another epoch and owes nothing for it, whatever the tick', () => {
    const follower = anchored(6, 0);
    follower.take(100, 1);
    expect([follower.take(3, 2), follower.take(5, 2), follower.take(6, 2)]).toEqual([0, 0, 1]);
    expect([follower.take(1_000_003, 3), follower.epoch]).toEqual([0, 3]);
    // The tick may be the same: what was run up to it in the old epoch does not matter.
    expect([follower.take(1_000_003, 4), follower.take(1_000_008, 4)]).toEqual([0, 1]);
  });

  test('CLK 19: refuses a tick before the last one of the epoch, and does not underflow', () => {
    const follower = anchored(1, 10);
    expect(codeOf(() => follower.take(5, 1))).toBe('VALUE_INVALID');
    expect(codeOf(() => follower.take(Number.NaN, 1))).toBe('VALUE_INVALID');
    expect(follower.take(20, 1)).toBe(10);
    expect(codeOf(() => follower.take(19, 1))).toBe('VALUE_INVALID');
    expect(follower.take(21, 1)).toBe(1);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])('refuses to be anchored at tick %d', (bad) => {
    const follower = anchored(2, 7);
    expect(codeOf(() => follower.anchorAt(bad, 2))).toBe('VALUE_INVALID');
    expect(codeOf(() => follower.take(bad, 2))).toBe('VALUE_INVALID');
    expect([follower.epoch, follower.take(8, 1)]).toEqual([1, 1]);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('refuses a period of %d', (k) => {
    expect(codeOf(() => new ClockFollower(k))).toBe('VALUE_INVALID');
  });

  test('names only steps that were taken last', () => {
    const follower = anchored(6);
    expect(codeOf(() => follower.stepTick(0))).toBe('VALUE_INVALID');
    follower.take(12, 1);
    expect([follower.stepTick(0), follower.stepTick(1)]).toEqual([6, 12]);
    for (const i of [-1, 0.5, 2]) expect(codeOf(() => follower.stepTick(i))).toBe('VALUE_INVALID');
    follower.take(13, 1);
    expect(codeOf(() => follower.stepTick(0))).toBe('VALUE_INVALID');
  });
});

describe('exactness', () => {
  const boundaryOf = (k: number, now: number): bigint => BigInt(now) / BigInt(k);

  test('the boundaries taken up to 2^53 are those of big integers', () => {
    fc.assert(
      fc.property(period, tick, tick, (k, a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const follower = anchored(k, from);
        expect(BigInt(follower.publishedBoundary)).toBe(boundaryOf(k, from));
        const taken = follower.take(to, 1);
        expect(BigInt(taken)).toBe(boundaryOf(k, to) - boundaryOf(k, from));
        if (taken === 0) return;
        expect(BigInt(follower.stepTick(0))).toBe((boundaryOf(k, from) + 1n) * BigInt(k));
        expect(BigInt(follower.stepTick(taken - 1))).toBe(boundaryOf(k, to) * BigInt(k));
      }),
      runs,
    );
  });

  test('a tick beside a boundary is on its own side of it', () => {
    fc.assert(
      fc.property(nearBoundary, ([k, near]) => {
        const follower = anchored(k, near);
        expect(BigInt(follower.publishedBoundary)).toBe(boundaryOf(k, near));
        expect(follower.isCaughtUp(near, 1)).toBe(true);
      }),
      runs,
    );
  });

  test('alpha is ((tick mod k) + a) / k, in [0, 1], and 1 at the next boundary', () => {
    fc.assert(
      fc.property(period, tick, fc.double({ min: 0, max: 1, noNaN: true }), (k, now, a) => {
        const alpha = new ClockFollower(k).alpha(now, a);
        const into = Number(BigInt(now) % BigInt(k));
        expect(alpha).toBe((into + a) / k);
        expect(alpha >= 0 && alpha <= 1).toBe(true);
        if (a === 1 && into === k - 1) expect(alpha).toBe(1);
      }),
      runs,
    );
  });
});

describe('alpha', () => {
  test.each([
    [0, 0, 0],
    [3, 0, 0.5],
    [3, 0.6, 0.6],
    [5, 1, 1],
    [6, 0, 0],
    [603, 0.3, 0.55],
  ])('of period 6 at tick %d and %d is %d', (now, clockAlpha, alpha) => {
    expect(new ClockFollower(6).alpha(now, clockAlpha)).toBeCloseTo(alpha, 15);
  });

  test("of period 1 is the clock's own", () => {
    for (const a of [0, 0.1, 1 / 3, 1]) expect(new ClockFollower(1).alpha(12, a)).toBe(a);
  });

  test('of a running clock never falls within a step', () => {
    const clock = clockOf(1, 100);
    const follower = new ClockFollower(6);
    frameAt(clock, 0);
    let [boundary, last] = [0, 0];
    for (let ns = 0; ns < 1e9; ns += 3_700_001) {
      frameAt(clock, ns);
      const alpha = follower.alpha(clock.tick, clock.alphaAt({ seconds: 0, nanos: ns }));
      const now = Math.floor(clock.tick / 6);
      if (now === boundary) expect(alpha).toBeGreaterThanOrEqual(last);
      [boundary, last] = [now, alpha];
    }
    expect(boundary).toBe(16);
  });
});

describe('what was published', () => {
  test('is caught up once the last boundary at or before the target is', () => {
    const follower = anchored(6);
    expect(follower.isCaughtUp(5, 1)).toBe(true);
    expect(follower.isCaughtUp(6, 1)).toBe(false);
    expect(follower.take(20, 1)).toBe(3);
    expect(follower.isCaughtUp(17, 1)).toBe(false);
    follower.markPublished(2);
    expect([follower.publishedBoundary, follower.isCaughtUp(17, 1)]).toEqual([2, true]);
    expect(follower.isCaughtUp(20, 1)).toBe(false);
    follower.markPublished(1);
    expect([follower.isCaughtUp(20, 1), follower.isCaughtUp(23, 1)]).toEqual([true, true]);
    expect(follower.isCaughtUp(24, 1)).toBe(false);
  });

  test('stays open over a later take, and is not more than was taken', () => {
    const follower = anchored(6);
    follower.take(6, 1);
    follower.take(18, 1);
    for (const bad of [4, -1, 0.5]) {
      expect(codeOf(() => follower.markPublished(bad))).toBe('VALUE_INVALID');
    }
    follower.markPublished(3);
    expect(follower.publishedBoundary).toBe(3);
  });

  test('starts at the anchor, at a seek too, and counts in one epoch alone', () => {
    const follower = anchored(6, 100);
    expect([follower.publishedBoundary, follower.isCaughtUp(101, 1)]).toEqual([16, true]);
    follower.take(120, 1);
    // A seek forgets the steps that are still open.
    follower.take(40, 2);
    expect([follower.publishedBoundary, follower.isCaughtUp(41, 2)]).toEqual([6, true]);
    expect(follower.isCaughtUp(0, 1)).toBe(false);
    expect(codeOf(() => follower.markPublished(1))).toBe('VALUE_INVALID');
  });
});

test('the trajectory of a follower is the same under every mode and slicing', () => {
  const act = fc.oneof(
    fc.tuple(fc.constant('frame' as const), fc.nat(120)),
    fc.tuple(fc.constant('delta' as const), fc.nat(120)),
    fc.tuple(fc.constant('steps' as const), fc.nat(9)),
    fc.tuple(fc.constant('mode' as const), fc.constantFrom(...MODE_CODES)),
    fc.tuple(fc.constant('speed' as const), fc.constantFrom(0, 0.5, 1, 1.5, 2)),
    fc.tuple(fc.constant('lockstep' as const), fc.integer({ min: 1, max: 9 })),
    fc.tuple(fc.constant('take' as const), fc.constant(0)),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.array(act, { maxLength: 200, size: 'max' }),
      (k, acts) => {
        const clock = clockOf(1, 100);
        const follower = anchored(k);
        const trajectory: number[] = [];
        let ms = 0;
        frameAt(clock, 0);
        for (const [what, value] of acts) {
          if (what === 'frame') frameAt(clock, (ms += value) * 1e6);
          else if (what === 'delta') advance(clock, value / 1000);
          else if (what === 'steps') step(clock, value);
          else if (what === 'mode') clock.setMode(value, at(ms));
          else if (what === 'speed') clock.setSpeed(value, at(ms));
          else if (what === 'lockstep') clock.setLockstepSteps(value);
          else trajectory.push(...takeTicks(follower, clock.tick));
        }
        trajectory.push(...takeTicks(follower, clock.tick));
        const direct = Array.from({ length: Math.floor(clock.tick / k) }, (_, i) => (i + 1) * k);
        expect(trajectory).toEqual(direct);
      },
    ),
    { numRuns: scaled({ tiny: 100, normal: 1000, full: 20_000 }) },
  );
});

test('of two followers the faster one takes every quantum, the slower one every third', () => {
  const clock = clockOf(1, 60);
  const [each, third] = [anchored(1), anchored(3)];
  const seen: number[][] = [[], []];
  for (let i = 0; i < 100; i++) {
    advance(clock, 0.04);
    seen[0]?.push(...takeTicks(each, clock.tick));
    seen[1]?.push(...takeTicks(third, clock.tick));
  }
  expect(clock.tick).toBe(240);
  expect(seen[0]).toEqual(Array.from({ length: 240 }, (_, i) => i + 1));
  expect(seen[1]).toEqual(Array.from({ length: 80 }, (_, i) => 3 * (i + 1)));
});

test('taking, naming, publishing and blending leave no garbage', () => {
  const follower = anchored(6);
  let now = 0;
  let sum = 0;
  const frame = (): void => {
    now += 7;
    const taken = follower.take(now, 1);
    for (let i = 0; i < taken; i++) sum += follower.stepTick(i) & 1;
    follower.markPublished(taken);
    if (follower.isCaughtUp(now, 1) && follower.alpha(now, 0.5) > 0.5) sum++;
  };
  expect(bytesLeft(10_000, frame)).toBe(0);
  expect(sum).toBeGreaterThan(0);
});

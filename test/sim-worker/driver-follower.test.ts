import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ClockDriver } from '../../src/sim-worker/clock-driver.ts';
import type { FollowerStep } from '../../src/shared/follower-step.ts';
import type { DriverFollower } from '../../src/sim-worker/driver-follower.ts';
import { scaled } from '../scaled.ts';
import { type Dice, underSeed } from './dice.ts';
import { outcome } from './outcome.ts';

const runs = { numRuns: scaled({ tiny: 200, normal: 2000, full: 50_000 }) };

const takeTicks = (follower: DriverFollower): number[] =>
  Array.from({ length: follower.take() }, (_, i) => follower.stepTick(i));

describe('followers of one driver', () => {
  test('the frame loop: at 0.01 s one follows each quantum, one every sixth', () => {
    const driver = new ClockDriver();
    driver.configure({ fixedDt: 0.01, capScalesWithRate: true });
    const nav = driver.follow({ step: 0.06 });
    const physics = driver.follow({ step: 0.01 });
    expect([nav.period, physics.period]).toEqual([6, 1]);
    let [navSteps, physicsSteps] = [0, 0];
    for (let frame = 1; frame <= 600; frame++) {
      const { alpha } = driver.advance(1 / 60);
      physicsSteps += physics.take();
      navSteps += nav.take();
      const quanta = Math.floor((frame * 100) / 60 + 1e-9);
      expect([physicsSteps, navSteps]).toEqual([quanta, Math.floor(quanta / 6)]);
      expect(nav.alpha()).toBe(((quanta % 6) + alpha) / 6);
    }
    expect([driver.tick, navSteps]).toEqual([1000, 166]);
  });

  test('attached mid-run owe nothing, and have the boundaries of all', () => {
    const driver = new ClockDriver({ tickRateHz: 60 });
    driver.advanceTicks(8);
    const follower = driver.follow({ everyTicks: 6 });
    expect([follower.caughtUp, takeTicks(follower)]).toEqual([true, []]);
    driver.advanceTicks(11);
    expect([follower.caughtUp, takeTicks(follower)]).toEqual([false, [12, 18]]);
  });

  test('are caught up once what was taken is published', () => {
    const driver = new ClockDriver({ tickRateHz: 60 });
    const follower = driver.follow({ everyTicks: 2 });
    driver.advanceTicks(7);
    expect([follower.take(), follower.caughtUp]).toEqual([3, false]);
    follower.markPublished(1);
    expect(follower.caughtUp).toBe(false);
    driver.advanceTicks(1);
    follower.markPublished();
    expect([follower.caughtUp, follower.take()]).toEqual([false, 1]);
    follower.markPublished();
    expect(follower.caughtUp).toBe(true);
    follower.markPublished();
    expect(outcome(() => follower.markPublished(1))).toBe('VALUE_INVALID');
  });

  test('owe nothing for a seek, and lose nothing that ran after it', () => {
    const driver = new ClockDriver({ tickRateHz: 60 });
    const follower = driver.follow({ everyTicks: 6 });
    driver.advanceTicks(20);
    driver.seekTick(100);
    expect(follower.caughtUp).toBe(true);
    driver.advanceTicks(9);
    expect([follower.caughtUp, takeTicks(follower)]).toEqual([false, [102, 108]]);
    // Back, to the tick at which it stood.
    driver.seekTick(3);
    driver.advanceTicks(3);
    expect(takeTicks(follower)).toEqual([6]);
    expect(outcome(() => follower.stepTick(1))).toBe('VALUE_INVALID');
  });

  test('of a step in seconds keep the seconds when the quantum changes, else the quanta', () => {
    const driver = new ClockDriver({ fixedDt: 0.01 });
    const [seconds, quanta] = [driver.follow({ step: 0.06 }), driver.follow({ everyTicks: 6 })];
    driver.configure({ fixedDt: 0.02 });
    driver.advanceTicks(12);
    expect([seconds.period, takeTicks(seconds)]).toEqual([3, [3, 6, 9, 12]]);
    expect([quanta.period, takeTicks(quanta)]).toEqual([6, [6, 12]]);
    driver.configure({ tickRateHz: 120 });
    expect(outcome(() => seconds.take())).toBe('VALUE_INVALID');
    driver.configure({ fixedDt: 0.01 });
    driver.advanceTicks(6);
    expect(takeTicks(seconds)).toEqual([6]);
  });

  test('need one way to say their step, and a whole number of quanta', () => {
    const driver = new ClockDriver({ tickRateHz: 120 });
    const follow = (options: unknown): unknown =>
      outcome(() => driver.follow(options as FollowerStep).period);
    expect([follow({ everyTicks: 3 }), follow({ step: 0.05 })]).toEqual([3, 6]);
    expect([follow({}), follow(undefined), follow({ everyTicks: 1, step: 1 })]).toEqual([
      'OPTION_INVALID',
      'OPTION_INVALID',
      'OPTION_INVALID',
    ]);
    expect([
      follow({ step: 0.06 }),
      follow({ everyTicks: 0 }),
      follow({ everyTicks: 1.5 }),
    ]).toEqual(['VALUE_INVALID', 'VALUE_INVALID', 'VALUE_INVALID']);
  });

  test('alpha is the fraction of the own step, in [0, 1]', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.double({ min: 0, max: 0.2, noNaN: true }), { maxLength: 20 }),
        (everyTicks, deltas) => {
          const driver = new ClockDriver({ tickRateHz: 60 });
          const follower = driver.follow({ everyTicks });
          for (const delta of deltas) {
            const { alpha } = driver.advance(delta);
            expect(alpha).toBe(driver.alpha);
            expect(follower.alpha()).toBe(((driver.tick % everyTicks) + alpha) / everyTicks);
            expect(follower.alpha()).toBeLessThanOrEqual(1);
          }
        },
      ),
      runs,
    );
  });
});

/** A state that depends on every step and on their order. */
const stepOf = (state: number, tick: number): number =>
  (Math.imul(state ^ tick, 0x9e3779b1) + (state >>> 15)) >>> 0;

/** Runs to a tick in some way, and returns the follower's state after each of its steps. */
const trajectory = (toTick: number, drive: (driver: ClockDriver) => void): Map<number, number> => {
  const driver = new ClockDriver({ fixedDt: 0.01, maxTicksPerAdvance: 20 });
  const follower = driver.follow({ everyTicks: 6 });
  const states = new Map<number, number>();
  let state = 1;
  while (driver.tick < toTick) {
    drive(driver);
    for (const tick of takeTicks(follower)) {
      state = stepOf(state, tick);
      states.set(tick, state);
    }
  }
  return states;
};

test('CLK 116: pacing decides when quanta run, never which', () => {
  const toTick = scaled({ tiny: 2000, normal: 20_000, full: 200_000 });
  const batch = trajectory(toTick, (driver) => driver.advanceTicks(toTick));
  const paces: ((driver: ClockDriver, dice: Dice) => void)[] = [
    ...[0.5, 1, 2, 30].map((speed) => (driver: ClockDriver) => {
      if (driver.speed !== speed) driver.setSpeed(speed);
      driver.advance(1 / 60);
    }),
    (driver) => {
      driver.setMode('lockstep');
      driver.advance(1 / 60);
    },
    (driver) => driver.stepOnce(),
    // Stalls: quanta are dropped and counted, and so are never seen.
    (driver, dice) => driver.advance(dice.oneIn(10) ? 2 : 1 / 60),
    (driver, dice) => {
      driver.setMode(dice.pick(['live', 'lockstep', 'paused', 'stepping']));
      driver.setSpeed(dice.pick([0, 0.5, 1, 7]));
      if (dice.oneIn(3)) driver.stepOnce();
      else driver.advance(dice.below(100) / 1000);
    },
  ];
  underSeed((dice) => {
    for (const pace of paces) {
      const states = trajectory(toTick, (driver) => pace(driver, dice));
      const shared = [...batch.keys()].filter((tick) => states.has(tick));
      expect(shared).toEqual([...batch.keys()]);
      expect(shared.map((tick) => states.get(tick))).toEqual([...batch.values()]);
    }
  });
});

test('CLK 22: ten seconds are 600 ticks at every rate of frames, and the same states', () => {
  const framesAt = (rate: number): number[] =>
    Array.from({ length: Math.round(10 * rate) }, () => 1 / rate);
  const uneven = Array.from({ length: 606 }, (_, i) => (i % 2 === 0 ? 0.008 : 0.025));
  // 606 frames of 16.5 ms are 9.999 s.
  const patterns = [...[30, 60, 90, 120, 144, 240].map(framesAt), [...uneven, 0.001]];
  const ends = patterns.map((frames) => {
    const driver = new ClockDriver({ tickRateHz: 60 });
    const follower = driver.follow({ everyTicks: 1 });
    let state = 1;
    for (const delta of frames) {
      driver.advance(delta);
      for (const tick of takeTicks(follower)) state = stepOf(state, tick);
    }
    return [driver.tick, driver.dropped, state];
  });
  expect(ends[0]?.[0]).toBe(600);
  expect(ends).toEqual(ends.map(() => ends[0]));
  const histogram = [0, 0, 0];
  const driver = new ClockDriver({ tickRateHz: 60 });
  for (let i = 0; i < 144; i++) {
    const { steps } = driver.advance(1 / 144);
    histogram[steps] = (histogram[steps] as number) + 1;
  }
  expect(histogram).toEqual([84, 60, 0]);
});

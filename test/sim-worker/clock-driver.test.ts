import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClockMode } from '../../src/shared/clock-options.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { WorldClock } from '../../src/shared/world-clock.ts';
import { ClockDriver, type ClockDriverOptions } from '../../src/sim-worker/clock-driver.ts';
import { scaled } from '../scaled.ts';
import { HandClock } from './loop-stage.ts';
import { errorOf, outcome } from './outcome.ts';

const MS = 1e6;

const at60 = (options: ClockDriverOptions = {}): ClockDriver =>
  new ClockDriver({ tickRateHz: 60, ...options });

/** A driver on a clock set by hand, in milliseconds, that notes its ticks. */
const onHandClock = (options: ClockDriverOptions = {}) => {
  const clock = new HandClock();
  const ticks: number[] = [];
  const driver = at60({ clock, onTick: (tick) => ticks.push(tick), ...options });
  const at = (ms: number): number => {
    clock.ns = ms * MS;
    return driver.advance().steps;
  };
  return { clock, driver, ticks, at };
};

describe('decision 3: given deltas lose and gain nothing', () => {
  const count = scaled({ tiny: 50_000, normal: 10_000_000, full: 10_000_000 });

  test.each([
    [1, 60, 100],
    [1, 120, 100],
    [1, 24, 100],
    [1, 100, 60],
    [1, 60, 60],
  ])('advance by advance, of %d/%d s at %d Hz', (rise, run, tickRateHz) => {
    const driver = at60({ tickRateHz });
    const delta = rise / run;
    const perAdvance = rise * tickRateHz;
    let [whole, rest, wrong] = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      const { firstTick, steps, dropped } = driver.advance(delta);
      const before = whole;
      for (rest += perAdvance; rest >= run; rest -= run) whole++;
      if (firstTick !== before || steps !== whole - before || dropped !== 0) wrong++;
    }
    expect([wrong, driver.tick, driver.dropped]).toEqual([0, whole, 0]);
    expect(driver.time).toBe(whole / tickRateHz);
  });

  test('0.06 s at a quantum of 0.01 s are six steps', () => {
    expect(new ClockDriver({ fixedDt: 0.01 }).advance(0.06).steps).toBe(6);
  });
});

describe('a measured advance', () => {
  test('reads the clock once; the first has no time, each later one that since the last', () => {
    const { clock, driver, at } = onHandClock({ tickRateHz: 100 });
    expect([at(500), clock.reads]).toEqual([0, 1]);
    expect([at(513), clock.reads, driver.tick]).toEqual([1, 2, 1]);
    expect(driver.alpha).toBeCloseTo(0.3, 12);
    expect([at(580), clock.reads]).toEqual([7, 3]);
  });

  test('has no tolerance: 16,666,666 ns at 60 Hz are not due', () => {
    const { at } = onHandClock();
    at(0);
    expect([at(16.666666), at(16.666667)]).toEqual([0, 1]);
  });

  test('counts what the core counts at the same readings, and drops what it drops', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5_000_000, max: 400_000_000 }), { maxLength: 50 }),
        fc.constantFrom(0.25, 0.5, 1, 1.5, 4),
        (waits, speed) => {
          const { clock, driver } = onHandClock({ speed });
          const quantum = { numerator: 1, denominator: 60 };
          const core = new WorldClock({ quantum, speed });
          const reading = createInstant();
          let latest = 0;
          for (const wait of [0, ...waits]) {
            clock.ns = Math.max(0, clock.ns + wait);
            const planned = core.plan(clock.read(reading));
            for (let i = 0; i < planned; i++) core.complete();
            const dropped = core.settle();
            const result = driver.advance();
            expect([result.steps, result.dropped]).toEqual([planned, dropped]);
            expect([driver.tick, driver.dropped]).toEqual([core.tick, core.ticksDropped]);
            // Before the latest reading there is no time.
            if (clock.ns >= latest) expect(result.alpha).toBe(core.alphaAt(reading));
            latest = Math.max(latest, clock.ns);
          }
        },
      ),
      { numRuns: scaled({ tiny: 100, normal: 1000, full: 20_000 }) },
    );
  });

  test('runs the steps of lockstep, whatever the clock says', () => {
    const { driver, at } = onHandClock({ mode: 'lockstep', lockstepSteps: 3 });
    expect([at(0), at(0), at(5000), driver.alpha]).toEqual([3, 3, 3, 0]);
    driver.setMode('live');
    expect([at(5000), at(5017)]).toEqual([0, 1]);
  });

  test('has no time after an advance by a given one', () => {
    const { driver, at } = onHandClock();
    at(0);
    expect(driver.advance(1 / 60).steps).toBe(1);
    expect([at(17), at(34)]).toEqual([0, 1]);
  });

  test('CLK 11: paused while hidden, 120 s are no time, and alpha goes on', () => {
    const { clock, driver, at } = onHandClock();
    at(0);
    at(20);
    const { alpha, tick, time } = driver;
    driver.pause();
    expect(driver.alpha).toBe(alpha);
    clock.ns = 120_000 * MS;
    driver.resume();
    expect(driver.alpha).toBe(alpha);
    expect([at(120_000), driver.alpha, driver.tick, driver.time]).toEqual([0, alpha, tick, time]);
    expect([at(120_014), driver.dropped]).toEqual([1, 0]);
  });

  test('CLK 11: left live while hidden, 120 s are 8 steps and 7192 dropped quanta', () => {
    const { driver, at } = onHandClock();
    expect([at(0), at(120_000), driver.dropped]).toEqual([0, 8, 7192]);
  });

  test('CLK 17: a pause taken back before the next advance changes nothing', () => {
    const { driver, at } = onHandClock();
    at(0);
    at(20);
    driver.pause();
    driver.resume();
    expect([at(33), at(34)]).toEqual([0, 1]);
  });
});

describe('the modes', () => {
  test.each<[ClockMode, number, number]>([
    ['live', 6, 0.25],
    ['lockstep', 2, 0],
    ['paused', 0, 0],
    ['stepping', 0, 0],
    ['replay', 0, 0],
  ])('%s: an advance by 6.25 quanta runs %d', (mode, steps, alpha) => {
    const driver = new ClockDriver({ fixedDt: 0.01, mode, lockstepSteps: 2 });
    expect(driver.advance(0.0625)).toEqual({ firstTick: 0, steps, dropped: 0, alpha });
    expect(driver.mode).toBe(mode);
    // In any mode: exactly so many, whatever the cap, and the phase stays.
    expect(driver.advanceTicks(20)).toEqual({ firstTick: steps, steps: 20, dropped: 0, alpha });
    expect(driver.stepOnce()).toEqual({ firstTick: steps + 20, steps: 1, dropped: 0, alpha });
    driver.seekTick(7);
    expect([driver.tick, driver.epoch, driver.alpha, driver.dropped]).toEqual([7, 2, 0, 0]);
  });

  test('standing still banks nothing', () => {
    for (const mode of ['paused', 'stepping', 'replay'] as const) {
      const driver = at60({ mode });
      for (let i = 0; i < 100; i++) driver.advance(0.3);
      driver.setMode('live');
      expect(driver.advance(0.1 / 60).steps).toBe(0);
    }
  });

  test('speed 0 stands still and leaves the mode', () => {
    const driver = at60({ speed: 0 });
    expect([driver.advance(1).steps, driver.mode, driver.running]).toEqual([0, 'live', false]);
    driver.setSpeed(1);
    expect(driver.advance(1 / 60).steps).toBe(1);
  });

  test('CLK 16: a pause inside a tick takes effect before the next; steps go on working', () => {
    const driver: ClockDriver = at60({
      maxTicksPerAdvance: 100,
      onTick: (tick) => {
        if (tick === 10) driver.pause();
      },
    });
    expect(driver.advance(20 / 60).steps).toBe(10);
    for (let i = 0; i < 5; i++) expect(driver.advance(1 / 60).steps).toBe(0);
    expect([driver.tick, driver.mode]).toEqual([10, 'paused']);
    expect([driver.stepOnce().steps, driver.tick]).toEqual([1, 11]);
    expect([driver.advanceTicks(2).steps, driver.tick]).toEqual([2, 13]);
    // What was owed stays owed.
    driver.resume();
    expect(driver.advance(0).steps).toBe(10);
  });

  test('a lockstep that a tick leaves runs no step more; counted quanta run all the same', () => {
    const driver: ClockDriver = at60({
      mode: 'lockstep',
      lockstepSteps: 5,
      onTick: (tick) => {
        if (tick % 2 === 0) driver.pause();
      },
    });
    expect(driver.advance(1).steps).toBe(2);
    expect(driver.advanceTicks(5).steps).toBe(5);
  });
});

describe('the configuration', () => {
  test('has the documented defaults', () => {
    const driver = new ClockDriver();
    expect(driver.quantum).toEqual({ numerator: 1, denominator: 120 });
    expect([driver.fixedDt, driver.speed, driver.lockstepSteps, driver.mode]).toEqual([
      1 / 120,
      1,
      1,
      'live',
    ]);
    driver.setSpeed(4);
    expect(driver.advance(1)).toMatchObject({ steps: 8, dropped: 472 });
  });

  test('CLK 13: the cap bounds quanta after the speed is applied', () => {
    const ran = (options: ClockDriverOptions): unknown => {
      const { steps, dropped } = at60(options).advance(1);
      return [steps, dropped];
    };
    expect(ran({ speed: 4 })).toEqual([8, 232]);
    expect(ran({ speed: 4, capScalesWithRate: true })).toEqual([32, 208]);
    expect(ran({ speed: 0.25 })).toEqual([8, 7]);
  });

  test.each([
    [1.5, 16],
    [2, 16],
    [2.01, 24],
    [1, 8],
    [0.5, 8],
  ])('at speed %d a scaling cap of 8 is %d', (speed, cap) => {
    expect(at60({ speed, capScalesWithRate: true }).advance(10).steps).toBe(cap);
  });

  test('can be changed by setters, from the next advance on', () => {
    const driver = at60();
    driver.setCap(3);
    expect(driver.advance(1).steps).toBe(3);
    driver.setCap(3, true);
    driver.setSpeed(2);
    expect(driver.advance(1).steps).toBe(6);
    driver.setMode('lockstep');
    driver.setLockstepSteps(4);
    expect([driver.advance(1).steps, driver.lockstepSteps]).toEqual([4, 4]);
  });

  test('configure restarts at tick 0 in a new epoch, changes what is given, keeps the rest', () => {
    const driver = at60({ speed: 2, lockstepSteps: 3, mode: 'lockstep' });
    driver.advance(1);
    driver.configure({ fixedDt: 0.01, capScalesWithRate: true });
    expect([driver.tick, driver.epoch, driver.time, driver.dropped]).toEqual([0, 2, 0, 0]);
    expect([driver.fixedDt, driver.speed, driver.lockstepSteps, driver.mode]).toEqual([
      0.01,
      2,
      3,
      'lockstep',
    ]);
    driver.configure({ mode: 'live', tickRateHz: 50, speed: 1.5, maxTicksPerAdvance: 2 });
    expect([driver.epoch, driver.advance(1).steps, driver.fixedDt]).toEqual([3, 4, 0.02]);
    driver.configure({ quantum: { numerator: 1001, denominator: 60_000 } });
    expect(driver.quantum.numerator).toBe(1001);
  });

  test('refuses what is out of range, and stays as it was', () => {
    const driver = at60({ speed: 1.5 });
    driver.advance(0.05);
    const before = [driver.tick, driver.epoch, driver.speed, driver.mode, driver.lockstepSteps];
    for (const speed of [-1, Number.NaN, Infinity, 1001]) {
      expect(outcome(() => driver.setSpeed(speed))).toBe('VALUE_INVALID');
      expect(outcome(() => driver.configure({ speed }))).toBe('OPTION_INVALID');
    }
    expect(outcome(() => driver.configure({ fixedDt: 0.01, tickRateHz: 60 }))).toBe(
      'OPTION_INVALID',
    );
    expect(outcome(() => driver.configure({ fixedDt: -1 }))).toBe('OPTION_INVALID');
    expect(outcome(() => driver.setMode('warp' as ClockMode))).toBe('OPTION_INVALID');
    expect(outcome(() => driver.setLockstepSteps(0))).toBe('OPTION_INVALID');
    expect(outcome(() => driver.setCap(0.5))).toBe('OPTION_INVALID');
    expect(outcome(() => driver.seekTick(-1))).toBe('VALUE_INVALID');
    for (const delta of [-1, Number.NaN, Infinity]) {
      expect(outcome(() => driver.advance(delta))).toBe('VALUE_INVALID');
    }
    expect(outcome(() => driver.advanceTicks(1.5))).toBe('VALUE_INVALID');
    expect([driver.tick, driver.epoch, driver.speed, driver.mode, driver.lockstepSteps]).toEqual(
      before,
    );
    expect(outcome(() => new ClockDriver({ tickRateHz: 60, fixedDt: 0.01 }))).toBe(
      'OPTION_INVALID',
    );
  });

  test('realized speed is none before a window of half a second, then what was simulated', () => {
    const driver = at60({ speed: 2 });
    driver.advance(0.1);
    expect(driver.realizedSpeed).toBe(Number.NaN);
    for (let i = 0; i < 60; i++) driver.advance(1 / 60);
    expect(driver.realizedSpeed).toBeCloseTo(2, 1);
    driver.pause();
    expect(driver.realizedSpeed).toBe(0);
    driver.configure({ mode: 'live' });
    expect(driver.realizedSpeed).toBe(Number.NaN);
    for (let i = 0; i < 5; i++) driver.advance(1);
    expect(driver.realizedSpeed).toBeCloseTo(8 / 60, 12);
  });
});

describe('a tick', () => {
  test('that throws is not completed, the error passes on, and it is run again', () => {
    const ticks: number[] = [];
    const fault = { at: 3 };
    const driver = at60({
      onTick: (tick) => {
        ticks.push(tick);
        if (tick === fault.at) throw new Error(`tick ${tick}`);
      },
    });
    expect(() => driver.advance(5 / 60)).toThrow('tick 3');
    expect([driver.tick, driver.dropped]).toEqual([2, 0]);
    expect(() => driver.advance(0)).toThrow('tick 3');
    fault.at = 0;
    expect(driver.advance(1 / 60)).toMatchObject({ firstTick: 2, steps: 4, dropped: 0 });
    expect(ticks).toEqual([1, 2, 3, 3, 3, 4, 5, 6]);
    fault.at = 7;
    expect(() => driver.stepOnce()).toThrow('tick 7');
    expect([driver.tick, driver.advance(0).steps]).toEqual([6, 0]);
  });

  test('cannot advance, seek or configure the clock, and the advance goes on', () => {
    const codes: unknown[] = [];
    const driver: ClockDriver = at60({
      onTick: () => {
        codes.push(
          outcome(() => driver.advance(1)),
          outcome(() => driver.advanceTicks(1)),
          outcome(() => driver.stepOnce()),
          outcome(() => driver.seekTick(9)),
          outcome(() => driver.configure({})),
        );
      },
    });
    expect(driver.advance(2 / 60).steps).toBe(2);
    expect(codes).toEqual(Array.from({ length: 10 }, () => 'STATE_INVALID'));
    expect(driver.epoch).toBe(1);
  });

  test('may change the speed for the advances to come', () => {
    const driver: ClockDriver = at60({ onTick: () => driver.setSpeed(2) });
    expect([driver.advance(2 / 60).steps, driver.advance(2 / 60).steps]).toEqual([2, 4]);
  });
});

test('the result is one object, overwritten by the next advance', () => {
  const driver = at60();
  const first = driver.advance(1 / 60);
  expect(driver.stepOnce()).toBe(first);
  expect(first.firstTick).toBe(1);
});

test('an error of the speed says what is allowed', () => {
  expect(errorOf(() => at60().setSpeed(-1)).message).toMatch(/Given: -1\. Allowed: 0 to 1000/);
});

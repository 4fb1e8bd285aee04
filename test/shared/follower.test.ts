import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Follower,
  type FollowerOptions,
  openControl,
  openFollower,
  type StartOptions,
} from '../../src/main/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { openStage, type Stage, type StageTypes, VirtualClock } from '../render/stage.ts';
import { scaled } from '../scaled.ts';
import { codeOf } from './clock-frames.ts';

const stages: Stage[] = [];

/** A simulation of this thread that runs only what is asked for. */
async function stageOf(options: StartOptions<StageTypes> = {}): Promise<Stage> {
  const stage = await openStage(() => undefined, { drivenBy: 'host', ...options });
  stages.push(stage);
  return stage;
}

/** One that lives by a clock of this test. */
async function liveStage(options: StartOptions<StageTypes> = {}): Promise<[Stage, VirtualClock]> {
  const clock = new VirtualClock();
  const stage = await openStage(() => undefined, options, clock);
  stages.push(stage);
  return [stage, clock];
}

const follow = (stage: Stage, options: FollowerOptions): Follower =>
  openFollower(stage.sim.share(), options);

const takeTicks = (follower: Follower): number[] =>
  Array.from({ length: follower.take() }, (_, i) => follower.stepTick(i));

afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

describe('a follower across memory', () => {
  test('opened in mid-run owes nothing, then takes each boundary once, late or not', async () => {
    const { sim } = await stageOf();
    await sim.clock.advanceTicks(10);
    const follower = openFollower(sim.share(), { everyTicks: 4 });
    expect([follower.tick, follower.epoch, follower.take()]).toEqual([10, 1, 0]);
    await sim.clock.advanceTicks(1);
    expect(takeTicks(follower)).toEqual([]);
    await sim.clock.advanceTicks(14);
    expect(takeTicks(follower)).toEqual([12, 16, 20, 24]);
    expect(follower.take()).toBe(0);
  });

  test('owes nothing after a seek in either direction and after a configure', async () => {
    const stage = await stageOf();
    const { clock } = stage.sim;
    const follower = follow(stage, { everyTicks: 2 });
    await clock.advanceTicks(5);
    await clock.seekTick(1000);
    expect([follower.take(), follower.tick, follower.epoch]).toEqual([0, 1000, 2]);
    await clock.advanceTicks(3);
    expect(takeTicks(follower)).toEqual([1002]);
    await clock.seekTick(7);
    expect(follower.take()).toBe(0);
    await clock.advanceTicks(1);
    expect(takeTicks(follower)).toEqual([8]);
    await clock.configure({ speed: 2 });
    expect([follower.take(), follower.tick, follower.epoch]).toEqual([0, 0, 4]);
    await clock.advanceTicks(2);
    expect(takeTicks(follower)).toEqual([2]);
  });

  test('given seconds keeps its step when the quantum changes, or closes', async () => {
    const stage = await stageOf({ fixedDt: 0.01 });
    const { clock } = stage.sim;
    const follower = follow(stage, { step: 0.06 });
    const byTicks = follow(stage, { everyTicks: 6 });
    expect(follower.period).toBe(6);
    await clock.configure({ fixedDt: 0.02 });
    expect([follower.take(), follower.period]).toEqual([0, 3]);
    expect([byTicks.take(), byTicks.period]).toEqual([0, 6]);
    await clock.advanceTicks(7);
    expect(takeTicks(follower)).toEqual([3, 6]);
    await clock.configure({ tickRateHz: 120 });
    expect(() => follower.take()).toThrow(/7\.2 quanta.*nearest whole steps: 7 quanta/);
    expect(codeOf(() => follower.take())).toBe('STATE_INVALID');
    expect(await stage.sim.waitCaughtUp({ follower: follower.number })).toMatchObject({
      reason: 'terminated',
    });
    expect(byTicks.take()).toBe(0);
  });

  test('moves over at a restart, owes what ran since, and leaves its old place', async () => {
    const stage = await stageOf({ maxFollowers: 1 });
    const follower = follow(stage, { everyTicks: 1 });
    await stage.sim.clock.advanceTicks(9);
    await stage.sim.restart();
    await stage.sim.clock.advanceTicks(2);
    expect(await follower.waitForStepAsync(0)).toBe('epoch-changed');
    expect([follower.take(), follower.tick]).toEqual([2, 2]);
    await stage.sim.clock.advanceTicks(2);
    expect(takeTicks(follower)).toEqual([3, 4]);
    follower.markPublished();
    expect(await stage.sim.waitCaughtUp()).toMatchObject({ reason: 'caught-up', tick: 4 });
    follower.close();
    follow(stage, { everyTicks: 1 }).close();
  });

  test('is refused when all places are taken, and a closed one gives its place back', async () => {
    const stage = await stageOf({ maxFollowers: 2 });
    const first = follow(stage, { everyTicks: 1 });
    follow(stage, { everyTicks: 2 });
    expect(() => follow(stage, { everyTicks: 3 })).toThrow(/FOLLOWERS_EXHAUSTED.*maxFollowers/);
    first.close();
    first.close();
    expect(codeOf(() => first.take())).toBe('STATE_INVALID');
    const next = follow(stage, { everyTicks: 3 });
    expect(next.number).toBe(first.number);
    const none = await stageOf({ maxFollowers: 0 });
    expect(codeOf(() => follow(none, { everyTicks: 1 }))).toBe('FOLLOWERS_EXHAUSTED');
  });

  test.each<[unknown, string]>([
    [{}, 'OPTION_INVALID'],
    [undefined, 'OPTION_INVALID'],
    [{ everyTicks: 1, step: 1 }, 'OPTION_INVALID'],
    [{ everyTicks: 0 }, 'OPTION_INVALID'],
    [{ everyTicks: 1.5 }, 'OPTION_INVALID'],
    [{ everyTicks: 1e9 }, 'OPTION_INVALID'],
    [{ everyTicks: Number.NaN }, 'OPTION_INVALID'],
    [{ step: 0.02 }, 'VALUE_INVALID'],
    [{ step: -1 }, 'VALUE_INVALID'],
  ])('%o is refused and takes no place', async (options, code) => {
    const stage = await stageOf({ maxFollowers: 1 });
    expect(codeOf(() => follow(stage, options as FollowerOptions))).toBe(code);
    follow(stage, { everyTicks: 1 });
    expect(codeOf(() => openFollower({} as never, { everyTicks: 1 }))).toBe('VALUE_INVALID');
  });

  test('refuses a handle whose memory came as a copy', async () => {
    const stage = await stageOf();
    const copied = { ...stage.sim.share(), id: 'of another thread' };
    expect(codeOf(() => openFollower(copied, { everyTicks: 1 }))).toBe('NOT_SHARED');
    expect(codeOf(() => openControl(copied))).toBe('NOT_SHARED');
  });

  test('counts no step as published that was not taken', async () => {
    const stage = await stageOf();
    const follower = follow(stage, { everyTicks: 1 });
    await stage.sim.clock.advanceTicks(3);
    expect(codeOf(() => follower.markPublished(1))).toBe('VALUE_INVALID');
    follower.take();
    follower.markPublished(2);
    expect(codeOf(() => follower.markPublished(2))).toBe('VALUE_INVALID');
    expect(await stage.sim.waitCaughtUp({ timeoutMs: 0 })).toMatchObject({ reason: 'timed-out' });
    follower.markPublished();
    expect(await stage.sim.waitCaughtUp({ timeoutMs: 0 })).toMatchObject({ reason: 'caught-up' });
  });

  test('takes, marks and says alpha without allocating', async () => {
    const [stage, clock] = await liveStage({ speed: 1 });
    const follower = follow(stage, { everyTicks: 2 });
    clock.toMs(100);
    stage.runDue();
    // A plain variable of a closure would box the sum.
    const sum = new Float64Array(1);
    const left = bytesLeft(2000, () => {
      sum[0] = (sum[0] as number) + follower.take() + follower.alpha() + follower.alphaAt(5, 0.5);
      follower.markPublished();
    });
    expect(sum[0]).toBeGreaterThan(0);
    expect(left).toBe(0);
  });

  test('agrees with a naive follower through any commands, whenever it looks', async () => {
    const command = fc.oneof(
      fc.record({ kind: fc.constant('advance' as const), by: fc.integer({ min: 1, max: 20 }) }),
      fc.record({ kind: fc.constant('seek' as const), by: fc.nat(1000) }),
      fc.record({ kind: fc.constant('configure' as const), by: fc.constant(0) }),
      fc.record({ kind: fc.constant('take' as const), by: fc.constant(0) }),
    );
    const period = fc.integer({ min: 1, max: 9 });
    const numRuns = scaled({ tiny: 30, normal: 200, full: 5000 });
    const stage = await stageOf();
    const { clock } = stage.sim;
    const check = async (
      k: number,
      commands: { kind: 'advance' | 'seek' | 'configure' | 'take'; by: number }[],
    ): Promise<void> => {
      const follower = follow(stage, { everyTicks: k });
      let { tick } = stage.sim;
      /** Ticks that ran since the last look, in this epoch. */
      let run: number[] = [];
      for (const { kind, by } of commands) {
        if (kind === 'advance') {
          await clock.advanceTicks(by);
          run.push(...Array.from({ length: by }, (_, i) => tick + 1 + i));
          tick += by;
        } else if (kind === 'take') {
          expect(takeTicks(follower)).toEqual(run.filter((each) => each % k === 0));
          run = [];
        } else {
          await (kind === 'seek' ? clock.seekTick(by) : clock.configure({}));
          tick = kind === 'seek' ? by : 0;
          run = [];
        }
      }
      follower.close();
    };
    await fc.assert(fc.asyncProperty(period, fc.array(command, { maxLength: 30 }), check), {
      numRuns,
    });
  });
});

describe('a follower’s alpha', () => {
  test('is the record’s while the clock stands, a fraction of its own step', async () => {
    const stage = await stageOf();
    const follower = follow(stage, { everyTicks: 4 });
    await stage.sim.clock.advance(6.5 / 60);
    expect(follower.alpha()).toBeCloseTo(2.5 / 4, 12);
    await stage.sim.clock.seekTick(8);
    expect(follower.alpha()).toBe(0);
  });

  test('follows this thread’s clock while the simulation runs, and stays in its step', async () => {
    const [stage, clock] = await liveStage();
    const follower = follow(stage, { everyTicks: 2 });
    clock.toMs(0);
    stage.runDue();
    clock.toMs(1000 / 60 + 1);
    stage.runDue();
    expect(stage.sim.tick).toBe(1);
    const seen: number[] = [];
    for (let quarter = 0; quarter <= 6; quarter++) {
      clock.toMs(((1 + quarter / 4) * 1000) / 60);
      seen.push(follower.alpha());
    }
    const expected = [0.5, 0.625, 0.75, 0.875, 1, 1, 1];
    seen.forEach((alpha, i) => expect(alpha).toBeCloseTo(expected[i] as number, 5));
    expect(follower.alphaAt(3, 0.25)).toBe(0.625);
  });

  test('counts whole ticks where the two clocks cannot be compared', async () => {
    const [stage, clock] = await liveStage();
    clock.toMs(50.1);
    stage.runDue();
    const elsewhere = { ...stage.sim.share() };
    const own = new VirtualClock();
    own.ns = 12_345;
    // The host's thread knows the offset; given none it is 0, so this one is far beyond the tick.
    const follower = openFollower(elsewhere, { everyTicks: 4, clock: own, clockOffsetNs: 1e12 });
    expect(follower.alpha()).toBe(((stage.sim.tick % 4) + 1) / 4);
  });
});

test('closing a control on the simulation’s thread leaves the host’s alone', async () => {
  const stage = await stageOf();
  const control = openControl(stage.sim.share());
  await control.advanceTicks(2);
  control.close();
  expect((await stage.sim.clock.advanceTicks(1)).firstTick).toBe(2);
  const follower = follow(stage, { everyTicks: 1 });
  follower.close();
  expect((await stage.sim.clock.advanceTicks(1)).firstTick).toBe(3);
});

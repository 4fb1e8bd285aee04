import { afterEach, describe, expect, test } from 'vitest';
import {
  type Follower,
  type FollowerOptions,
  openFollower,
  type StartOptions,
} from '../../src/main/index.ts';
import { openStage, type Stage, type StageTypes, VirtualClock } from '../render/stage.ts';
import { codeOf } from './clock-frames.ts';

const stages: Stage[] = [];

async function stageOf(options: StartOptions<StageTypes> = {}): Promise<[Stage, VirtualClock]> {
  const clock = new VirtualClock();
  const stage = await openStage(() => undefined, { drivenBy: 'host', ...options }, clock);
  stages.push(stage);
  return [stage, clock];
}

const drivesOn = (stage: Stage, options: Partial<FollowerOptions> = {}): Follower =>
  openFollower(stage.sim.share(), { everyTicks: 1, driveClock: true, ...options } as never);

afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close()));
});

describe('a follower that drives', () => {
  test('advances by the deltas it is given, exactly, and follows its own advances', async () => {
    const [stage] = await stageOf();
    const follower = drivesOn(stage);
    let steps = 0;
    for (let frame = 0; frame < 60; frame++) {
      const result = await follower.drive(1 / 60);
      expect(result).toEqual({ driver: 'this', firstTick: frame, steps: 1, dropped: 0, alpha: 0 });
      steps += follower.take();
      follower.markPublished();
    }
    expect([steps, stage.sim.tick]).toEqual([60, 60]);
    expect((await stage.sim.waitCaughtUp({ timeoutMs: 0 })).reason).toBe('caught-up');
  });

  test('measures the time between its drives when given none; the first has none', async () => {
    const [stage, clock] = await stageOf();
    const follower = drivesOn(stage);
    clock.toMs(5000);
    expect((await follower.drive()).steps).toBe(0);
    clock.toMs(5100);
    expect((await follower.drive()).steps).toBe(6);
    expect((await follower.drive()).steps).toBe(0);
    clock.toMs(5150);
    // A given delta takes the place of what went by.
    expect((await follower.drive(1 / 60)).steps).toBe(1);
    clock.toMs(5200);
    expect((await follower.drive()).steps).toBe(3);
  });

  test('drives nothing, and says so, while the simulation’s own thread drives', async () => {
    const [stage, clock] = await stageOf({ drivenBy: 'clock' });
    const follower = drivesOn(stage);
    clock.toMs(1);
    stage.runDue();
    expect(await follower.drive(1)).toMatchObject({ driver: 'simulation', steps: 0, dropped: 0 });
    expect(stage.sim.tick).toBe(0);
    expect(stage.sim.stats().ticksDropped).toBe(0);
  });

  test('drives nothing while another does, and takes over when that one closes', async () => {
    const [stage, clock] = await stageOf();
    const [first, second] = [drivesOn(stage), drivesOn(stage)];
    expect((await first.drive(1 / 60)).driver).toBe('this');
    expect(await second.drive(1 / 60)).toMatchObject({ driver: 'another', firstTick: 1, steps: 0 });
    expect(stage.sim.tick).toBe(1);
    first.close();
    clock.toMs(9000);
    expect(await second.drive()).toMatchObject({ driver: 'this', firstTick: 1, steps: 0 });
    expect((await second.drive(1 / 60)).steps).toBe(1);
  });

  test('loses the role when it is retired, and no other one does', async () => {
    const [stage] = await stageOf();
    const [first, second] = [drivesOn(stage), drivesOn(stage)];
    await first.drive(0);
    expect(stage.sim.retireFollower(first.number)).toBe(true);
    const third = drivesOn(stage);
    expect(third.number).toBe(first.number);
    expect((await third.drive(0)).driver).toBe('this');
    first.close();
    expect((await second.drive(0)).driver).toBe('another');
    await expect(first.drive(0)).rejects.toMatchObject({ code: 'STATE_INVALID' });
  });

  test('goes on driving after a restart', async () => {
    const [stage] = await stageOf();
    const follower = drivesOn(stage);
    await follower.drive(2 / 60);
    await stage.sim.restart();
    expect(await follower.drive(1 / 60)).toMatchObject({ driver: 'this', firstTick: 0, steps: 1 });
    expect(stage.sim.tick).toBe(1);
  });

  test('takes one of the controls, and gives it back', async () => {
    const [stage] = await stageOf({ maxControls: 1, maxFollowers: 2 });
    const follower = drivesOn(stage);
    expect(codeOf(() => drivesOn(stage))).toBe('CONTROLS_EXHAUSTED');
    openFollower(stage.sim.share(), { everyTicks: 1 }).close();
    follower.close();
    expect((await drivesOn(stage).drive(0)).driver).toBe('this');
  });

  test('refuses what is no wall time, and one that was not opened for it', async () => {
    const [stage] = await stageOf();
    const follower = drivesOn(stage);
    for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e10]) {
      await expect(follower.drive(bad)).rejects.toMatchObject({ code: 'VALUE_INVALID' });
    }
    expect(codeOf(() => follower.driveBlocking(0))).toBe('CANNOT_BLOCK');
    const plain = openFollower(stage.sim.share(), { everyTicks: 1 });
    await expect(plain.drive(0)).rejects.toMatchObject({ code: 'STATE_INVALID' });
    expect((await follower.drive(0)).driver).toBe('this');
  });

  test('is told when the run is over', async () => {
    const [stage] = await stageOf();
    const follower = drivesOn(stage);
    await stage.sim.stop();
    await expect(follower.drive(1)).rejects.toMatchObject({ code: 'STOPPED' });
  });

  test('makes a capture whose frames hold the steps of their quanta, whoever is late', async () => {
    const runs = [];
    for (let run = 0; run < 2; run++) {
      const [stage] = await stageOf();
      const drives = drivesOn(stage);
      const slow = openFollower(stage.sim.share(), { everyTicks: 4 });
      const frames: string[] = [];
      let state = 0;
      const work = async (): Promise<void> => {
        for (;;) {
          const why = await slow.waitForStepAsync();
          if (why !== 'due') return;
          // Late by another number of turns in each run.
          for (let i = 0; i < (frames.length * (run + 3)) % 7; i++) await Promise.resolve();
          for (let n = slow.take(), i = 0; i < n; i++) state = state * 31 + slow.stepTick(i);
          state %= 1_000_003;
          slow.markPublished();
        }
      };
      const worker = work();
      for (let frame = 0; frame < 50; frame++) {
        const { firstTick, steps } = await drives.drive(1 / 30);
        drives.take();
        drives.markPublished();
        expect((await stage.sim.waitCaughtUp()).reason).toBe('caught-up');
        frames.push(`${firstTick} ${steps} ${state}`);
      }
      await stage.sim.stop();
      await worker;
      runs.push(frames);
    }
    expect(runs[0]).toEqual(runs[1]);
  });
});

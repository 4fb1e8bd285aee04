import { afterEach, describe, expect, test } from 'vitest';
import {
  type Follower,
  openFollower,
  startSimulation,
  type StartOptions,
} from '../../src/main/index.ts';
import { defineSimulation, type TypesOf } from '../../src/sim-worker/index.ts';
import { inline } from '../../src/sim-worker/inline.ts';
import type { WaitPrimitives } from '../../src/shared/async-wait.ts';
import { claimFollower, FollowerReader } from '../../src/shared/follower-block.ts';
import { waitCaughtUp, waitCaughtUpAsync } from '../../src/shared/follower-wait.ts';
import { addNs, copyInstant, createInstant, elapsedNs } from '../../src/shared/instant.ts';
import { openSignal } from '../../src/shared/region-signal.ts';
import { SharedSignal } from '../../src/shared/signal.ts';
import { FOLLOWER, HEADER } from '../../src/shared/words.ts';
import { bareRegion } from './bare-region.ts';
import { codeOf } from './clock-frames.ts';

const counter = defineSimulation({
  name: 'counter',
  tickRateHz: 60,
  capacity: 1,
  params: { failAt: 0 },
  components: {},
  publish: [],
  setup: () => undefined,
  systems: [
    {
      name: 'count',
      run({ tick, params }) {
        if (tick === params.failAt) throw new Error('failed on purpose');
      },
    },
  ],
});

type Sim = Awaited<ReturnType<typeof start>>;
const sims: { stop(): Promise<void> }[] = [];

/** A simulation of this thread that its commands alone drive, with real time-outs. */
async function start(options: StartOptions<TypesOf<typeof counter>> = {}) {
  const sim = await startSimulation(inline(counter, { pacing: 'manual' }), {
    drivenBy: 'host',
    logLevel: 'off',
    ...options,
  });
  sims.push(sim);
  return sim;
}

const follow = (sim: Sim, everyTicks: number): Follower =>
  openFollower(sim.share(), { everyTicks });

afterEach(async () => {
  await Promise.all(sims.splice(0).map((sim) => sim.stop()));
});

/** Lets what waits take a first look. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

describe('waitCaughtUp', () => {
  test('answers at once when there is no follower', async () => {
    const sim = await start();
    await sim.clock.advanceTicks(5);
    const answer = { reason: 'caught-up', tick: 5, epoch: 1, behind: [] };
    expect(await sim.waitCaughtUp()).toEqual(answer);
    expect(sim.waitCaughtUpBlocking({ timeoutMs: 0 })).toEqual(answer);
  });

  test('waits for the tick of the call, not for one that came later', async () => {
    const sim = await start();
    const follower = follow(sim, 2);
    await sim.clock.advanceTicks(4);
    const wait = sim.waitCaughtUp();
    await sim.clock.advanceTicks(4);
    follower.take();
    follower.markPublished(1);
    await turn();
    follower.markPublished(1);
    expect(await wait).toEqual({ reason: 'caught-up', tick: 4, epoch: 1, behind: [] });
  });

  test('takes a follower of k quanta as caught up once floor(tick / k) steps are', async () => {
    const sim = await start();
    const follower = follow(sim, 6);
    await sim.clock.advanceTicks(5);
    expect((await sim.waitCaughtUp({ timeoutMs: 0 })).reason).toBe('caught-up');
    await sim.clock.advanceTicks(6);
    expect((await sim.waitCaughtUp({ timeoutMs: 0 })).reason).toBe('timed-out');
    follower.take();
    follower.markPublished();
    expect((await sim.waitCaughtUp({ timeoutMs: 0 })).reason).toBe('caught-up');
  });

  test('says who is behind when its time is over, and by how much', async () => {
    const sim = await start();
    const [fast, slow] = [follow(sim, 2), follow(sim, 3)];
    await sim.clock.advanceTicks(12);
    fast.take();
    fast.markPublished();
    slow.take();
    slow.markPublished(1);
    const began = performance.now();
    expect(await sim.waitCaughtUp({ timeoutMs: 20.4 })).toEqual({
      reason: 'timed-out',
      tick: 12,
      epoch: 1,
      behind: [{ number: slow.number, period: 3, steps: 3, terminated: false }],
    });
    expect(performance.now() - began).toBeGreaterThanOrEqual(20.4);
    const one = await sim.waitCaughtUp({ follower: fast.number, timeoutMs: 0 });
    expect(one.reason).toBe('caught-up');
  });

  test('ends with the epoch, and followers that look after it are caught up there', async () => {
    const sim = await start();
    const follower = follow(sim, 1);
    await sim.clock.advanceTicks(3);
    const wait = sim.waitCaughtUp();
    await sim.clock.seekTick(50);
    expect(await wait).toMatchObject({ reason: 'epoch-changed', tick: 3, epoch: 1 });
    expect(await sim.waitCaughtUp({ timeoutMs: 0 })).toEqual({
      reason: 'timed-out',
      tick: 50,
      epoch: 2,
      behind: [{ number: 0, period: 1, steps: Number.POSITIVE_INFINITY, terminated: false }],
    });
    const again = sim.waitCaughtUp();
    expect(follower.take()).toBe(0);
    expect(await again).toMatchObject({ reason: 'caught-up', tick: 50, epoch: 2 });
  });

  test('ends as terminated when one that it waits for closes or is retired', async () => {
    const sim = await start();
    const [first, second] = [follow(sim, 1), follow(sim, 1)];
    await sim.clock.advanceTicks(2);
    const closes = sim.waitCaughtUp({ follower: first.number });
    first.close();
    expect(await closes).toMatchObject({
      reason: 'terminated',
      behind: [{ number: first.number, terminated: true }],
    });
    const retires = sim.waitCaughtUp();
    expect(sim.retireFollower(second.number)).toBe(true);
    expect(await retires).toMatchObject({ reason: 'terminated', behind: [{ steps: 2 }] });
    expect(sim.retireFollower(second.number)).toBe(false);
    expect(codeOf(() => second.take())).toBe('STATE_INVALID');
    second.close();
    expect((await sim.waitCaughtUp({ timeoutMs: 0 })).reason).toBe('caught-up');
    const gone = await sim.waitCaughtUp({ follower: first.number });
    expect(gone.reason).toBe('terminated');
  });

  test('counts what a follower published before it closed', async () => {
    const sim = await start();
    const follower = follow(sim, 1);
    await sim.clock.advanceTicks(2);
    const wait = sim.waitCaughtUp();
    follower.take();
    follower.markPublished();
    follower.close();
    expect((await wait).reason).toBe('caught-up');
  });

  test('is not misled by another follower in the place of one that closed', async () => {
    const sim = await start();
    const follower = follow(sim, 1);
    await sim.clock.advanceTicks(2);
    const wait = sim.waitCaughtUp();
    follower.close();
    expect(follow(sim, 1).number).toBe(follower.number);
    expect((await wait).reason).toBe('terminated');
  });

  test('ends as stopped when the simulation is stopped or restarted, then at once', async () => {
    const sim = await start();
    follow(sim, 1);
    await sim.clock.advanceTicks(2);
    const replaced = sim.waitCaughtUp();
    await sim.restart();
    expect((await replaced).reason).toBe('stopped');
    follow(sim, 1);
    await sim.clock.advanceTicks(2);
    const stopped = sim.waitCaughtUp();
    await sim.stop();
    expect((await stopped).reason).toBe('stopped');
    const late = sim.waitCaughtUpBlocking({ timeoutMs: 0 });
    expect(late).toMatchObject({ reason: 'stopped', tick: 2 });
  });

  test('ends as failed when the simulation fails', async () => {
    const sim = await start({ params: { failAt: 3 } });
    follow(sim, 1);
    await sim.clock.advanceTicks(2);
    const wait = sim.waitCaughtUp();
    await sim.clock.advanceTicks(2).catch(() => undefined);
    expect((await wait).reason).toBe('failed');
    expect((await sim.waitCaughtUp()).reason).toBe('failed');
  });

  test.each([-1, 16, 0.5, Number.NaN])('refuses %s as the number of a follower', async (number) => {
    const sim = await start();
    await expect(sim.waitCaughtUp({ follower: number })).rejects.toMatchObject({
      code: 'VALUE_INVALID',
    });
    expect(codeOf(() => sim.retireFollower(number))).toBe('VALUE_INVALID');
  });

  test('case 59: where the thread may not block it looks, says so, and has a promise', async () => {
    const sim = await start();
    const follower = follow(sim, 1);
    await sim.clock.advanceTicks(1);
    expect(codeOf(() => sim.waitCaughtUpBlocking())).toBe('CANNOT_BLOCK');
    expect(follower.waitForStep(0)).toBe('due');
    expect(follower.take()).toBe(1);
    expect(codeOf(() => follower.waitForStep(10))).toBe('CANNOT_BLOCK');
    expect(sim.waitCaughtUpBlocking({ timeoutMs: 0 }).reason).toBe('timed-out');
    const wait = sim.waitCaughtUp();
    follower.markPublished();
    expect((await wait).reason).toBe('caught-up');
  });
});

test('case 62: 100,000 frames that wait for a tick are one wait, ended with the run', async () => {
  const sim = await start();
  const frames = new Set<Promise<unknown>>();
  for (let frame = 0; frame < 100_000; frame++) frames.add(sim.waitForTickChange(0));
  expect(frames.size).toBe(1);
  await sim.stop();
  expect(await [...frames][0]).toMatchObject({ reason: 'stopped' });
});

describe('a wait for a step', () => {
  test('says due, and why it is over otherwise', async () => {
    const sim = await start({ params: { failAt: 900 } });
    const follower = follow(sim, 3);
    expect(await follower.waitForStepAsync(0)).toBe('timed-out');
    const due = follower.waitForStepAsync();
    await sim.clock.advanceTicks(2);
    await sim.clock.advanceTicks(1);
    expect(await due).toBe('due');
    expect(follower.take()).toBe(1);
    const moved = follower.waitForStepAsync();
    await sim.clock.seekTick(800);
    expect(await moved).toBe('epoch-changed');
    expect(follower.take()).toBe(0);
    const began = performance.now();
    expect(await follower.waitForStepAsync(10.3)).toBe('timed-out');
    expect(performance.now() - began).toBeGreaterThanOrEqual(10.3);
    const failed = follower.waitForStepAsync();
    await sim.clock.advanceTicks(200).catch(() => undefined);
    expect(await failed).toBe('failed');
    await expect(follower.waitForStepAsync(-1)).rejects.toMatchObject({ code: 'VALUE_INVALID' });
    await expect(follower.waitForStepAsync(Number.NaN)).rejects.toMatchObject({
      code: 'VALUE_INVALID',
    });
  });

  test('gives the steps that were due before it says stopped', async () => {
    const sim = await start();
    const follower = follow(sim, 1);
    await sim.clock.advanceTicks(2);
    await sim.stop();
    expect(await follower.waitForStepAsync()).toBe('due');
    expect(follower.take()).toBe(2);
    expect(await follower.waitForStepAsync()).toBe('stopped');
  });

  test.each([['pause'], ['speed 0']])('ends for a %s only if that was asked for', async (how) => {
    const sim = await start();
    const follower = follow(sim, 1);
    const patient = follower.waitForStepAsync();
    const other = follow(sim, 1).waitForStepAsync(10_000, { endWhenPaused: true });
    const tickPatient = sim.waitForTickChange(0);
    const tickOther = sim.waitForTickChange(0, 10_000, { endWhenPaused: true });
    await (how === 'pause' ? sim.clock.pause() : sim.clock.setSpeed(0));
    expect(await other).toBe('paused');
    expect(await tickOther).toEqual({ reason: 'paused', tick: 0, epoch: 1 });
    expect(sim.waitForTickChangeBlocking(0, 0, { endWhenPaused: true }).reason).toBe('paused');
    await sim.clock.stepOnce();
    expect(await patient).toBe('due');
    expect((await tickPatient).reason).toBe('changed');
  });

  test('rejects when its follower is closed under it', async () => {
    const sim = await start();
    const follower = follow(sim, 1);
    const wait = follower.waitForStepAsync();
    follower.close();
    await sim.clock.stepOnce();
    await expect(wait).rejects.toMatchObject({ code: 'STATE_INVALID' });
  });
});

describe('a wait over shared memory', () => {
  const plain: WaitPrimitives = {
    wait: (words, index, expected, ms) => Atomics.wait(words, index, expected, ms),
    notify: (words, index) => Atomics.notify(words, index),
  };

  test('case 77: waits 100.4 ms over a primitive that returns 1 ms early', () => {
    const { region, publish } = bareRegion();
    publish(0, 1);
    claimFollower(region).anchor(1, 0, 1);
    publish(5, 1);
    const now = createInstant(7, 0);
    const clock = { read: (out: typeof now) => copyInstant(out, now) };
    const early: WaitPrimitives = {
      ...plain,
      wait: (words, _, __, ms) => {
        if (words.buffer === region.buffer) addNs(now, Math.round(Math.max(ms - 1, 1e-6) * 1e6));
        return 'timed-out';
      },
    };
    const followed = new SharedSignal(region.i32, HEADER.followed, early);
    expect(waitCaughtUp(region, followed, undefined, 100.4, clock).reason).toBe('timed-out');
    expect(elapsedNs(now, createInstant(7, 0))).toBeGreaterThanOrEqual(100.4e6);
    for (const bad of [Number.NaN, -1]) {
      const wait = (): unknown => waitCaughtUp(region, followed, undefined, bad, clock);
      expect(codeOf(wait)).toBe('VALUE_INVALID');
    }
  });

  test('case 59: the promise never calls the blocking primitive', async () => {
    const { region, publish } = bareRegion();
    publish(1, 1);
    const writer = claimFollower(region);
    writer.anchor(1, 0, 1);
    let blocked = 0;
    const page: WaitPrimitives = {
      notify: (words, index) => Atomics.notify(words, index),
      wait: () => {
        blocked++;
        throw new TypeError('Atomics.wait cannot be called in this context');
      },
    };
    const followed = new SharedSignal(region.i32, HEADER.followed, page);
    const asked = blocked;
    const clock = { read: (out: ReturnType<typeof createInstant>) => out };
    const wait = waitCaughtUpAsync(region, followed, undefined, Infinity, clock);
    await turn();
    writer.publish(1);
    expect((await wait).reason).toBe('caught-up');
    expect(blocked).toBe(asked);
    const block = (): unknown => waitCaughtUp(region, followed, undefined, Infinity, clock);
    writer.publish(0);
    expect(codeOf(block)).toBe('CANNOT_BLOCK');
    expect(blocked).toBe(asked);
    followed.close();
  });

  test('case 65: 1000 wake-ups without news end no wait; the news ends it once', async () => {
    const { region, publish } = bareRegion();
    publish(7, 1);
    const writer = claimFollower(region);
    writer.anchor(1, 0, 1);
    const followed = openSignal(region, HEADER.followed);
    const clock = { read: (out: ReturnType<typeof createInstant>) => out };
    const answers: string[] = [];
    const wait = waitCaughtUpAsync(region, followed, undefined, Infinity, clock);
    const noted = wait.then(({ reason }) => answers.push(reason));
    for (let i = 0; i < 1000; i++) {
      if (i % 2 === 0) followed.raise();
      else Atomics.notify(region.i32, HEADER.followed);
      if (i % 50 === 0) await turn();
    }
    expect(answers).toEqual([]);
    writer.publish(7);
    await noted;
    expect(answers).toEqual(['caught-up']);
    followed.close();
  });

  test('case 73: steps are counted past 2^31 and 2^32 boundaries', () => {
    const { region, publish } = bareRegion();
    const writer = claimFollower(region);
    const reader = new FollowerReader(region, writer.number);
    for (const tick of [2 ** 31 - 1, 2 ** 32 - 1, 2 ** 40, Number.MAX_SAFE_INTEGER - 8]) {
      publish(tick, 1);
      writer.anchor(1, tick, 1);
      expect([reader.stepsLacking(tick, 1), reader.stepsLacking(tick + 8, 1)]).toEqual([0, 8]);
      writer.publish(tick + 8);
      expect(reader.stepsLacking(tick + 8, 1)).toBe(0);
    }
  });

  test('takes nothing that a follower says while it re-anchors', () => {
    const { region } = bareRegion();
    const writer = claimFollower(region);
    const reader = new FollowerReader(region, writer.number);
    writer.anchor(2, 50, 1);
    const block = region.layout.followerBlocks / 4;
    expect(reader.stepsLacking(100, 1)).toBe(0);
    // Half way through `anchor(2, 0, 2)`: the words are not of epoch 1 any more, nor of 2 yet.
    Atomics.store(region.i32, block + FOLLOWER.epoch, 0);
    expect(reader.stepsLacking(100, 1)).toBe(Number.POSITIVE_INFINITY);
    expect(reader.stepsLacking(0, 0)).toBe(Number.POSITIVE_INFINITY);
  });
});

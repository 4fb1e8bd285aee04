import { createLog, type Log, type LogRecord } from '../../src/shared/log.ts';
import { expect, test } from 'vitest';
import { defineSimulation, openHeadless, scalar } from 'escapement/sim';
import { bounce } from '../../scenes/bounce.sim.ts';
import { flock } from '../../scenes/flock.sim.ts';
import { storm } from '../../scenes/storm.sim.ts';
import { VirtualClock } from '../render/stage.ts';
import { scaled } from '../scaled.ts';

const TICKS = scaled({ tiny: 60, normal: 300, full: 3000 });

test('two fast runs with one seed end in one state, one with another seed in another', async () => {
  const run = async (seed: number): Promise<string> => {
    const headless = await openHeadless(storm, { seed, maxTicks: TICKS, pacing: 'fast' });
    const { tick, status, stateHash } = await headless.run();
    expect([tick, status]).toEqual([TICKS, 'done']);
    return stateHash;
  };
  const first = await run(7);
  expect(first).toMatch(/^[0-9a-f]{16}$/);
  expect(await run(7)).toBe(first);
  expect(await run(8)).not.toBe(first);
});

test('fast and in real time, tick by tick, the states are the same', async () => {
  const hashes = async (pacing: 'fast' | 'real-time'): Promise<string[]> => {
    const seen: string[] = [];
    const headless = await openHeadless(flock, {
      params: { population: 200 },
      maxTicks: 12,
      pacing,
      frameBudgetTicks: 1,
      onTick: () => void seen.push(headless.stateHash()),
    });
    await headless.run();
    return seen;
  };
  const fast = await hashes('fast');
  expect(new Set(fast).size).toBe(12);
  expect(await hashes('real-time')).toEqual(fast);
});

test('the frame hook sees the loop’s own reading, and the rate is the definition’s', async () => {
  const seen: [ns: number, tick: number][] = [];
  const headless = await openHeadless(bounce, {
    maxTicks: 3,
    pacing: 'fast',
    onFrame: ({ seconds, nanos }, tick) => void seen.push([seconds * 1e9 + nanos, tick]),
  });
  await headless.run();
  expect(seen).toEqual([
    [0, 0],
    [16_666_667, 1],
    [33_333_334, 2],
    [50_000_000, 3],
  ]);
});

test('the world is cleared once the run is over; a log that was given stays open', async () => {
  const lines: LogRecord[] = [];
  const log: Log = createLog({ nowMs: () => 0, sink: (record) => void lines.push(record) });
  const given: string[] = [];
  const headless = await openHeadless(bounce, {
    maxTicks: 2,
    pacing: 'fast',
    log,
    resources: [
      { dispose: () => void given.push(`first, ${headless.world.count} alive`) },
      { dispose: () => void given.push('second') },
    ],
  });
  expect(headless.world.count).toBe(200);
  const outcome = await headless.run();
  expect(given).toEqual(['first, 0 alive', 'second']);
  // The log is the caller's: it may serve another run.
  expect(log.isEnabled('ecs', 'warn')).toBe(true);
  expect(await headless.run()).toEqual({ ...outcome, status: 'refused' });
});

test('what setup has commanded has applied before the first tick', async () => {
  const commanding = defineSimulation({
    tickRateHz: 60,
    capacity: 4,
    components: { value: scalar() },
    publish: [],
    setup({ commands }) {
      commands.spawn({ value: 1 });
      commands.despawn(commands.spawn({ value: 2 }));
    },
    systems: [],
  });
  const { world } = await openHeadless(commanding);
  expect([world.count, world.columns.value[0], world.commands.count]).toEqual([1, 1, 0]);
});

test('a system that throws ends the run, and everything is still given up', async () => {
  const failing = defineSimulation({
    tickRateHz: 60,
    capacity: 1,
    components: { value: scalar() },
    publish: [],
    systems: [
      {
        name: 'third time unlucky',
        run({ tick }) {
          if (tick === 3) throw new Error('no third tick');
        },
      },
    ],
  });
  let givenUp = 0;
  const headless = await openHeadless(failing, {
    pacing: 'fast',
    resources: [{ dispose: () => void givenUp++ }],
  });
  const { tick, status, error } = await headless.run();
  expect([tick, status, givenUp]).toEqual([2, 'failed', 1]);
  expect(error?.code).toBe('SIMULATION_FAILED');
  expect(error?.message).toContain('system "third time unlucky" threw in tick 3');
});

test('parameters and seed are checked as those of any run', async () => {
  await expect(openHeadless(flock, { params: { birds: 3 } as never })).rejects.toMatchObject({
    code: 'NAME_UNKNOWN',
  });
  await expect(openHeadless(flock, { seed: -1 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});

test('any quantum that a simulation can have runs headless, and its ticks are timed', async () => {
  const slow = await openHeadless(bounce, { tickRateHz: 1, maxTicks: 5, pacing: 'fast' });
  expect(await slow.run()).toMatchObject({ tick: 5, status: 'done' });
  expect(slow.profile().ticks.meanMs).toBeGreaterThan(0);
});

test('what is to be kept is copied at the end, and the hash stays that of the end', async () => {
  let kept = 0;
  const headless = await openHeadless(bounce, {
    maxTicks: 2,
    pacing: 'fast',
    onEnd: (world) => {
      kept = world.count;
    },
  });
  const { stateHash } = await headless.run();
  expect([kept, headless.world.count]).toEqual([200, 0]);
  expect(headless.stateHash()).toBe(stateHash);
});

test('in real time on a virtual clock a run follows it', async () => {
  const clock = new VirtualClock();
  const headless = await openHeadless(bounce, { clock, maxTicks: 0 });
  const running = headless.run();
  await Promise.resolve();
  headless.stop();
  expect(await running).toMatchObject({ tick: 0, status: 'stopped' });
});

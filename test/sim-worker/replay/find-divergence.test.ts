import { describe, expect, test } from 'vitest';
import { compareReplays } from '../../../src/sim-worker/compare-replays.ts';
import { writersOf } from '../../../src/sim-worker/component-writers.ts';
import { findDivergence } from '../../../src/sim-worker/find-divergence.ts';
import { narrowDivergence } from '../../../src/sim-worker/narrow-divergence.ts';
import { type LocalReplay, openReplay, type Replay } from '../../../src/sim-worker/index.ts';
import { cutBehind, defineDrift, recordDrift } from './drift.ts';

/** Makes a recording without a hash behind its first tick. */
async function cutOff(bumpAt: number): Promise<Replay> {
  const periods = { hashEveryTicks: 1000, keyframeEveryTicks: 10 };
  return cutBehind(await recordDrift({ ...periods, ticks: 100, bumpAt }), 60);
}

/** The one value that the other build adds one unit to, at tick 300. */
const BUMPED = { kind: 'value', name: 'hits', slot: 3, field: 0, fieldName: '', a: 3, b: 4 };

async function against(bumpAt: number, replay: Replay): Promise<LocalReplay> {
  return (await openReplay(defineDrift(bumpAt), replay)) as unknown as LocalReplay;
}

describe('a build that adds one unit to one value at tick 300 of 600', () => {
  test('is found at tick 300 where each tick has a hash, with field and values', async () => {
    const replay = await recordDrift({ hashEveryTicks: 1, keyframeEveryTicks: 100 });
    const verified = (await against(300, replay)).verify();
    expect([verified.ok, verified.lastTick, verified.compared]).toEqual([false, 300, 301]);
    const found = findDivergence(await against(300, replay));
    expect(found).toMatchObject({ lastGood: 299, firstBad: 300, compared: 301 });
    expect(found?.state).toMatchObject({ tick: 300, diff: { total: 1, differences: [BUMPED] } });
    expect(writersOf(defineDrift(), 'hits')).toEqual(['count']);
  });

  test('is narrowed down by keyframes where hashes are further apart', async () => {
    const replay = await recordDrift({ hashEveryTicks: 200, keyframeEveryTicks: 30 });
    const found = findDivergence(await against(300, replay));
    expect(found?.divergence?.tick).toBe(400);
    expect(found).toMatchObject({ lastGood: 270, firstBad: 300 });
    expect(found?.state).toMatchObject({ tick: 300, diff: { total: 1, differences: [BUMPED] } });
  });

  test('is told by the next keyframe, however late, and as a range of ticks', async () => {
    const found = findDivergence(await against(290, await recordDrift()));
    expect(found).toMatchObject({ lastGood: 240, firstBad: 300, state: { tick: 600 } });
    expect(found?.state?.diff.differences).toMatchObject([BUMPED]);
  });

  test('is told without a field where no keyframe follows', async () => {
    const replay = await recordDrift({ ticks: 500 });
    const found = findDivergence(await against(300, replay));
    expect(found).toMatchObject({ lastGood: 240, firstBad: 300, state: undefined });
  });

  test('is told by a keyframe behind the last hash of a file that was cut off', async () => {
    const replay = await cutOff(0);
    expect([replay.lastTick, replay.hashCount]).toEqual([60, 1]);
    const found = findDivergence(await against(35, replay));
    expect(found).toMatchObject({ divergence: undefined, lastGood: 30, firstBad: 40 });
    expect(found?.state).toMatchObject({ tick: 40, diff: { total: 1, differences: [BUMPED] } });
    expect(findDivergence(await against(0, replay))).toBe(undefined);
  });

  test('is told without a field where it fails before the next keyframe', async () => {
    const replay = await recordDrift({ hashEveryTicks: 1, keyframeEveryTicks: 100 });
    const run = await openReplay(defineDrift(290, 295), replay);
    const found = findDivergence(run as unknown as LocalReplay);
    expect(found).toMatchObject({ lastGood: 289, firstBad: 290, state: undefined });
    expect(found?.failure?.code).toBe('SIMULATION_FAILED');
  });

  test('is not there for the build that recorded it', async () => {
    const replay = await recordDrift();
    expect(findDivergence(await against(0, replay))).toBe(undefined);
  });
});

test('a setup that differs is found at tick 0', async () => {
  const replay = await recordDrift({ ticks: 20 });
  const { systems, ...rest } = defineDrift();
  const other = { ...rest, systems, setup: () => undefined };
  const run = (await openReplay(other, replay)) as unknown as LocalReplay;
  const found = findDivergence(run);
  expect(found).toMatchObject({ lastGood: -1, firstBad: 0, state: { tick: 0 } });
  expect(found?.state?.diff.groups[0]).toEqual({ kind: 'lives', name: '', count: 13 });
});

describe('two recordings', () => {
  test('of one run are equal, whatever their periods', async () => {
    const a = await recordDrift({ hashEveryTicks: 20, keyframeEveryTicks: 100 });
    const b = await recordDrift({ hashEveryTicks: 30, keyframeEveryTicks: 150 });
    expect(compareReplays(a, b)).toEqual({
      headers: [],
      input: undefined,
      hashesCompared: 11,
      keyframesCompared: 3,
      hash: undefined,
      lastGood: 600,
      firstBad: undefined,
      state: undefined,
      isComparable: true,
    });
  });

  test('of two builds differ from a hash on, in what the keyframe shows', async () => {
    const [a, b] = [await recordDrift(), await recordDrift({ bumpAt: 290 })];
    const found = compareReplays(a, b);
    expect(found).toMatchObject({ headers: [], lastGood: 240, firstBad: 300 });
    expect(found.state).toMatchObject({ tick: 600, diff: { differences: [BUMPED] } });
    // This build makes A again and not B, so that more cannot be known.
    const narrowed = await narrowDivergence(defineDrift(), [a, b], {
      lastGood: 240,
      firstBad: 300,
    });
    expect(narrowed).toMatchObject({ lastGood: 240, firstBad: 300, reproduces: [true, false] });
    expect(narrowed.state).toMatchObject({ tick: 600, diff: { differences: [BUMPED] } });
  });

  test('are narrowed down to the very tick by a build that makes both again', async () => {
    const [a, b] = [await recordDrift(), await recordDrift({ gustAt: 290 })];
    const found = compareReplays(a, b);
    expect(found.headers).toEqual(['params.gustAt: in A 0, in B 290']);
    expect(found).toMatchObject({ lastGood: 240, firstBad: 300, state: { tick: 600 } });
    const narrowed = await narrowDivergence(defineDrift(), [a, b], {
      lastGood: 240,
      firstBad: 300,
    });
    expect(narrowed).toMatchObject({ lastGood: 289, firstBad: 290, reproduces: [true, true] });
    expect(narrowed.state?.diff.groups).toEqual([
      { kind: 'value', name: 'position', count: 13 },
      { kind: 'value', name: 'velocity', count: 13 },
    ]);
    expect(narrowed.state?.diff.differences[0]).toMatchObject({ fieldName: 'y', slot: 0 });
  });

  test('of two seeds say so, and differ from their first state on', async () => {
    const [a, b] = [await recordDrift({ ticks: 60 }), await recordDrift({ ticks: 60, seed: 4 })];
    const found = compareReplays(a, b);
    expect(found.headers).toEqual(['seed: in A [0,3], in B [0,4]']);
    expect(found).toMatchObject({ lastGood: -1, firstBad: 0, state: { tick: 0 } });
    const kinds = new Set(found.state?.diff.groups.map(({ kind }) => kind));
    expect([...kinds]).toEqual(['generator']);
  });
});

test('a build is not taken to make again what no hash is of', async () => {
  const a = await cutOff(0);
  const b = await cutOff(35);
  const { lastGood, firstBad } = compareReplays(a, b);
  expect([lastGood, firstBad]).toEqual([30, 40]);
  const known = { lastGood, firstBad: firstBad as number };
  const found = await narrowDivergence(defineDrift(), [a, b], known);
  expect(found).toMatchObject({ lastGood: 30, firstBad: 40, reproduces: [true, false] });
  expect(found.state?.diff.differences).toEqual([expect.objectContaining(BUMPED)]);
});

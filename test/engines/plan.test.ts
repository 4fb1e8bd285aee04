import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { goldenKey } from './harness/compare.ts';
import {
  findWay,
  goldenJobs,
  hashTicks,
  type Hashes,
  type Job,
  planJobs,
  type RunJob,
  SCENE_NAMES,
  WAYS,
} from './harness/plan.ts';

function runsOf(jobs: readonly Job[]): RunJob[] {
  return jobs.filter((job) => job.kind === 'run');
}

test('the ticks that are hashed of a short run are the first of those of a long one', () => {
  const long = hashTicks(10_000);
  expect(long.at(-1)).toBe(10_000);
  expect(long).toEqual([...new Set(long)].toSorted((a, b) => a - b));
  for (const ticks of [0, 1, 60, 100, 1000]) {
    const short = hashTicks(ticks);
    expect(short.at(-1)).toBe(ticks);
    expect(short).toEqual(long.slice(0, short.length));
  }
});

test('a full run has every scene in every way', () => {
  const runs = runsOf(planJobs('full', 10));
  expect(runs).toHaveLength(SCENE_NAMES.length * WAYS.length);
  expect(new Set(runs.map(({ scene, way }) => `${scene} ${way}`)).size).toBe(runs.length);
});

test.each(['tiny', 'normal'] as const)('a %s run has every way, and the reference', (size) => {
  const runs = runsOf(planJobs(size, 10));
  expect(new Set(runs.map(({ way }) => way))).toEqual(new Set(WAYS.map(({ name }) => name)));
  for (const scene of SCENE_NAMES) {
    const ways = runs.filter((run) => run.scene === scene).map(({ way }) => way);
    expect(ways).toContain('one thread, batch');
    expect(ways).toContain('worker, batch');
  }
});

test('there is a golden list, with every tick, for whatever is run', () => {
  const text = readFileSync(new URL('golden.json', import.meta.url), 'utf8');
  const golden = JSON.parse(text) as Record<string, Hashes>;
  expect(Object.keys(golden)).toEqual(goldenJobs(10_000).map(goldenKey));
  for (const job of planJobs('full', 10_000)) {
    const key = goldenKey(job);
    if (key === undefined || job.kind !== 'run') continue;
    expect(Object.keys(golden[key] as Hashes).map(Number)).toEqual(hashTicks(10_000));
  }
});

test('a way that is none is refused', () => {
  expect(() => findWay('on foot')).toThrow("there is no way 'on foot'");
});

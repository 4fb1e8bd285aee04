import { afterEach, describe, expect, test } from 'vitest';
import { openView } from '../../src/render/index.ts';
import { FrameTimes } from '../../src/shared/frame-times.ts';
import type { RegionHandle } from '../../src/shared/handle.ts';
import { computeLayout } from '../../src/shared/layout.ts';
import type { Rational } from '../../src/shared/rational.ts';
import { createRegion } from '../../src/shared/region.ts';
import { flock } from '../../scenes/flock.sim.ts';
import { scaled } from '../scaled.ts';
import { hashChannels, runScene, type SceneRun } from '../scenes/scene-run.ts';
import { Dice } from '../sim-worker/dice.ts';
import type { TypesOf } from '../../src/sim-worker/index.ts';
import { VirtualClock } from './stage.ts';

/** Faults of captures, by their number in the catalogue of cases (CAP n). */

type FlockTypes = TypesOf<typeof flock>;

const population = scaled({ tiny: 30, normal: 100, full: 1000 });

const runs: SceneRun<FlockTypes>[] = [];
afterEach(async () => {
  for (const run of runs.splice(0)) await run.close();
});

/** Starts a flock that runs only what a capture asks for. */
async function start(): Promise<SceneRun<FlockTypes>> {
  const run = await runScene(flock, { drivenBy: 'host', params: { population }, seed: 3 });
  runs.push(run);
  return run;
}

interface Shot {
  readonly steps: number;
  readonly tick: number;
  readonly alpha: number;
  readonly hash: string;
}

/** Advances by a frame's wall time, comes back when the clock reads `ms`, and takes the frame. */
async function shoot(run: SceneRun<FlockTypes>, delta: number, ms = 0): Promise<Shot> {
  const { steps, dropped } = await run.sim.clock.advance(delta);
  run.frameAt(ms * 1e6);
  const frame = run.view.frame();
  const { tick, alpha, status, count } = frame;
  frame.release();
  expect([status, count, dropped]).toEqual(['ok', population, 0]);
  return { steps, tick, alpha, hash: hashChannels(run, ['position', 'heading']) };
}

/** Takes frames from the start on, each late by a random time if there is a seed. */
async function capture(frames: number, rate: number | Rational, seed?: number): Promise<Shot[]> {
  const times = new FrameTimes(rate);
  const dice = new Dice(seed ?? 0);
  const run = await start();
  const shots: Shot[] = [];
  let ms = 0;
  for (let k = 1; k <= frames; k++) {
    if (seed !== undefined) ms += dice.below(501);
    shots.push(await shoot(run, times.delta(k), ms));
  }
  return shots;
}

describe('CAP 146: a capture does not film in real time', () => {
  const frames = scaled({ tiny: 60, normal: 300, full: 300 });

  test('whatever the delays: the same frames, each one new, two steps each', async () => {
    const plain = await capture(frames, 30);
    for (const seed of [1, 2]) {
      expect([seed, await capture(frames, 30, seed)]).toEqual([seed, plain]);
    }
    expect(new Set(plain.map(({ hash }) => hash)).size).toBe(frames);
    expect(plain.map(({ steps }) => steps)).toEqual(plain.map(() => 2));
    // The deltas are doubles: their sum is off by less than a unit in the last place of one.
    for (const [k, { tick, alpha }] of plain.entries()) {
      expect([tick, alpha]).toEqual([2 * (k + 1), expect.closeTo(0, 12)]);
    }
    const end = new FrameTimes(30).timestamp(frames);
    expect([end, runs[0]?.sim.clock.status().time]).toEqual([frames / 30, frames / 30]);
  });

  test('at 24 a second: 2 and 3 steps in turn, half a quantum between them', async () => {
    const shots = await capture(48, 24);
    expect(shots.map(({ steps }) => steps)).toEqual(shots.map((_, k) => 2 + (k % 2)));
    for (const [k, { tick, alpha }] of shots.entries()) {
      expect(tick).toBe(Math.floor((k + 1) * 2.5));
      expect(Math.abs(alpha - (k % 2 === 0 ? 0.5 : 0))).toBeLessThan(1e-9);
    }
  });

  test('at 30000/1001 a second: a third step once in 500 frames', async () => {
    const shots = await capture(501, { numerator: 30_000, denominator: 1001 });
    const doubles = shots.flatMap(({ steps }, k) => (steps === 2 ? [] : [[k + 1, steps]]));
    expect(doubles).toEqual([[500, 3]]);
  });
});

describe('CAP 148: nothing keeps the real clock', () => {
  const { Date: realDate, performance: realPerformance } = globalThis;
  const realHrtime = process.hrtime;
  let armed = false;
  let reads = 0;
  const guarded =
    <A extends unknown[], R>(real: (...given: A) => R) =>
    (...given: A): R => {
      reads++;
      if (armed) throw new Error('a capture read the real clock');
      return real(...given);
    };

  function trap(): void {
    realDate.now = guarded(realNow);
    realPerformance.now = guarded(realPerformanceNow);
    process.hrtime = Object.assign(
      guarded((time?: [number, number]) => realHrtime(time)),
      { bigint: guarded(() => realHrtime.bigint()) },
    );
  }
  const realNow = realDate.now;
  const realPerformanceNow = realPerformance.now.bind(realPerformance);
  afterEach(() => {
    armed = false;
    realDate.now = realNow;
    realPerformance.now = realPerformanceNow;
    process.hrtime = realHrtime;
  });

  test('a capture goes through though each reading of the platform’s clocks throws', async () => {
    const plain = await capture(20, 30);
    const times = new FrameTimes(30);
    trap();
    const run = await start();
    armed = true;
    const shots: Shot[] = [];
    for (let k = 1; k <= 20; k++) shots.push(await shoot(run, times.delta(k)));
    expect(() => performance.now()).toThrow('real clock');
    expect(() => process.hrtime()).toThrow('real clock');
    armed = false;
    expect(shots).toEqual(plain);
    expect(reads).toBeGreaterThan(0);
  });
});

describe('CAP 149: the first frames', () => {
  test('a frame taken at once shows the state of tick 0, all of it', async () => {
    const { sim, view } = await start();
    const frame = view.frame();
    expect([frame.status, frame.tick, frame.alpha, frame.count]).toEqual(['ok', 0, 0, population]);
    const xy = [...frame.blend('position')];
    expect(xy).toHaveLength(2 * population);
    expect(xy.every(Number.isFinite)).toBe(true);
    expect(new Set(xy).size).toBeGreaterThan(population);
    frame.release();
    expect(sim.tick).toBe(0);
  });

  test('before anything was published a view says so, and shows no zeros', async () => {
    const { sim } = await start();
    const handle = sim.share() as RegionHandle<FlockTypes>;
    const { memory } = createRegion(computeLayout(handle.schema, handle.options), true);
    const unknown = { ...handle, memory, id: 'not yet published' };
    const view = openView(unknown, { clock: new VirtualClock() });
    const frame = view.frame();
    expect([frame.status, frame.count]).toEqual(['not-ready', 0]);
    expect(frame.blend('position')).toHaveLength(0);
    const out = [7, 7];
    expect(frame.sample(1 as never, 'position', out)).toBe('not-published');
    expect(out).toEqual([7, 7]);
    frame.release();
    view.close();
  });
});

describe('CAP 151: frames taken out of order or in parallel', () => {
  test('each fourth frame of four simulations is what one simulation shows in a row', async () => {
    const frames = scaled({ tiny: 24, normal: 120, full: 120 });
    const inARow = (await capture(frames, 30)).map(({ hash }) => hash);
    const parallel: string[] = [];
    const times = new FrameTimes(30);
    const four = await Promise.all([start(), start(), start(), start()]);
    for (let k = 1; k <= frames; k++) {
      for (const [i, run] of four.entries()) {
        const { hash } = await shoot(run, times.delta(k));
        if ((k - 1) % 4 === i) parallel.push(hash);
      }
    }
    expect(parallel).toEqual(inARow);
  });
});

import { afterEach, describe, expect, test } from 'vitest';
import { type CapturedShot, captureFrames, type CaptureOptions } from '../../../src/main/index.ts';
import { hashPixels } from '../../../src/main/capture/pixel-hash.ts';
import { createManifest, formatManifest } from '../../../src/main/capture/manifest.ts';
import type { Frame } from '../../../src/render/index.ts';
import type { TypesOf } from '../../../src/sim-worker/index.ts';
import { VERSION } from '../../../src/shared/version.ts';
import { bounce, bounceAt } from '../../../scenes/bounce.sim.ts';
import { flock } from '../../../scenes/flock.sim.ts';
import { scaled } from '../../scaled.ts';
import { runScene, type SceneRun } from '../../scenes/scene-run.ts';
import { Dice } from '../../sim-worker/dice.ts';
import { readText } from '../../tidy/tree.ts';

/** Captures of a simulation on this thread. Faults go by their number in the catalogue of cases. */

type FlockTypes = TypesOf<typeof flock>;
type FlockFrame = Frame<FlockTypes>;

const population = scaled({ tiny: 30, normal: 100, full: 1000 });

const runs: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const run of runs.splice(0)) await run.close();
});

async function start(): Promise<SceneRun<FlockTypes>> {
  const run = await runScene(flock, { drivenBy: 'host', params: { population }, seed: 3 });
  runs.push(run);
  return run;
}

/** A picture that follows from the frame: the numbers themselves, byte by byte. */
function drawNumbers(frame: FlockFrame): Uint8Array {
  const parts = [frame.blend('position'), frame.blend('heading')].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength).slice(),
  );
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

type Film = Pick<CaptureOptions<FlockFrame>, 'fps' | 'seconds' | 'frames' | 'fromTick'>;

async function film(
  options: Film,
  draw: CaptureOptions<FlockFrame>['draw'] = drawNumbers,
): Promise<CapturedShot[]> {
  const { sim, view } = await start();
  const shots: CapturedShot[] = [];
  for await (const shot of captureFrames(sim, { ...options, view, draw })) shots.push(shot);
  return shots;
}

async function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'nothing',
    (cause: unknown) => (cause as { code?: unknown }).code,
  );
}

describe('CAP 146: a capture does not film in real time', () => {
  const frames = scaled({ tiny: 30, normal: 300, full: 300 });

  test('however late drawing is: the same frames, each one new, stamped k/30', async () => {
    const plain = await film({ fps: 30, seconds: frames / 30 });
    const dice = new Dice(5);
    const late = await film({ fps: 30, frames }, async (frame) => {
      await new Promise((resolve) => setTimeout(resolve, dice.below(3)));
      return drawNumbers(frame);
    });
    expect(late).toEqual(plain);
    expect(plain.map(({ index, time, tick, stateTick }) => [index, time, tick, stateTick])).toEqual(
      Array.from({ length: frames }, (_, k) => [k, k / 30, 2 * k, 2 * k]),
    );
    expect(new Set(plain.map(({ pixelHash }) => pixelHash)).size).toBe(frames);
    expect(new Set(plain.map(({ stateHash }) => stateHash)).size).toBe(frames);
  });

  test('each frame shows exactly its time, between ticks too', async () => {
    const run = await runScene(bounce, { drivenBy: 'host', params: { population: 5 } });
    runs.push(run);
    const fps = { numerator: 24_000, denominator: 1001 };
    let checked = 0;
    const options: CaptureOptions<Frame<TypesOf<typeof bounce>>> = {
      fps,
      frames: 24,
      view: run.view,
      draw(frame, { index, time }) {
        expect(time).toBe((index * 1001) / 24_000);
        expect(frame.time).toBeCloseTo(time, 12);
        const xy = frame.blend('position');
        const [x] = bounceAt(time, 0);
        // Blended in a straight line: exact but for the rounding of an f32, away from the walls.
        expect(Math.abs((xy[0] as number) - x)).toBeLessThan(1e-6);
        checked++;
      },
    };
    const hashes = new Set<string>();
    for await (const { pixelHash } of captureFrames(run.sim, options)) hashes.add(pixelHash);
    expect([checked, [...hashes]]).toEqual([24, ['']]);
  });
});

describe('CAP 148: nothing keeps the real clock', () => {
  const { Date: realDate, performance: realPerformance } = globalThis;
  const realHrtime = process.hrtime;
  const dateNow = realDate.now;
  const performanceNow = realPerformance.now.bind(realPerformance);
  afterEach(() => {
    realDate.now = dateNow;
    realPerformance.now = performanceNow;
    process.hrtime = realHrtime;
  });

  test('a capture goes through though each reading of the platform’s clocks throws', async () => {
    const plain = await film({ fps: 24, frames: 20 });
    const { sim, view } = await start();
    const refuse = (): never => {
      throw new Error('a capture read the real clock');
    };
    realDate.now = refuse;
    realPerformance.now = refuse;
    process.hrtime = Object.assign(refuse, { bigint: refuse });
    const shots: CapturedShot[] = [];
    const options = { fps: 24, frames: 20, view, draw: drawNumbers };
    for await (const shot of captureFrames(sim, options)) shots.push(shot);
    expect(() => performance.now()).toThrow('real clock');
    expect(shots).toEqual(plain);
  });
});

test('CAP 149: frame 0 of a capture that begins at once is tick 0, all of it', async () => {
  const seen: unknown[] = [];
  await film({ fps: 60, frames: 2 }, (frame) => {
    const xy = [...frame.blend('position')];
    seen.push([frame.tick, frame.time, frame.count, xy.every(Number.isFinite), new Set(xy).size]);
  });
  expect(seen[0]).toEqual([0, 0, population, true, expect.any(Number)]);
  expect((seen[0] as number[])[4]).toBeGreaterThan(population);
  expect(seen[1]).toEqual([1, 1 / 60, population, true, expect.any(Number)]);
});

describe('CAP 151: frames taken out of order or in parallel', () => {
  test('frames 0, 90, 30 and 60, each by a run of its own, are those of one run', async () => {
    const inARow = await film({ fps: 24, frames: 91 });
    for (const index of [0, 90, 30, 60]) {
      expect(await film({ fps: 24, frames: [index] })).toEqual([inARow[index]]);
    }
  });

  test('four runs that each take every fourth frame make the film of one', async () => {
    const frames = scaled({ tiny: 24, normal: 120, full: 120 });
    const inARow = await film({ fps: 50, frames });
    const quarters = await Promise.all(
      [0, 1, 2, 3].map((first) => {
        const mine = Array.from({ length: frames / 4 }, (_, k) => 4 * k + first);
        return film({ fps: 50, frames: mine });
      }),
    );
    expect(quarters.flat().sort((a, b) => a.index - b.index)).toEqual(inARow);
    expect(new Set(inARow.map(({ pixelHash }) => pixelHash)).size).toBe(frames);
  });
});

describe('what a capture refuses', () => {
  test('rates, lengths and lists that are none', async () => {
    const bad: Film[] = [
      { fps: '29.97', frames: 1 },
      { fps: 30 },
      { fps: 30, frames: 1, seconds: 1 },
      { fps: 30, frames: 0 },
      { fps: 30, frames: [3, 3] },
      { fps: 30, frames: [2, 1] },
      { fps: 30, frames: [-1] },
      { fps: 30, frames: 1, fromTick: 0.5 },
    ];
    for (const options of bad) {
      expect([options, await refusal(film(options))]).toEqual([options, 'OPTION_INVALID']);
    }
  });

  test('a simulation that runs by itself; paused, it may', async () => {
    const run = await runScene(flock, { params: { population } });
    runs.push(run);
    const take = async (): Promise<number> => {
      let taken = 0;
      const options = { fps: 60, frames: 3, view: run.view, draw: drawNumbers };
      for await (const shot of captureFrames(run.sim, options)) taken += shot.tick;
      return taken;
    };
    expect(await refusal(take())).toBe('STATE_INVALID');
    await run.sim.clock.pause();
    expect(await take()).toBe(0 + 1 + 2);
  });

  test('one that is past the frame, or that somebody else advances meanwhile', async () => {
    const { sim, view } = await start();
    await sim.clock.advanceTicks(5);
    const take = async (draw: () => Promise<void>, fromTick?: number): Promise<void> => {
      const from = fromTick === undefined ? {} : { fromTick };
      const options = { fps: 60, frames: 3, view, draw, ...from };
      for await (const shot of captureFrames(sim, options)) expect(shot.tick).toBeGreaterThan(4);
    };
    expect(await refusal(take(async () => {}, 0))).toBe('STATE_INVALID');
    expect(await refusal(take(async () => void (await sim.clock.advanceTicks(9))))).toBe(
      'STATE_INVALID',
    );
  });

  test('a drawing that throws gives its frame back', async () => {
    const { sim, view } = await start();
    const take = async (): Promise<void> => {
      const draw = (): never => {
        throw new RangeError('no ink');
      };
      for await (const shot of captureFrames(sim, { fps: 60, frames: 3, view, draw })) void shot;
    };
    await expect(take()).rejects.toThrow('no ink');
    view.frame().release();
  });
});

test('a manifest holds fractions and hashes, a frame a line, and no wall time', async () => {
  const shots = await film({ fps: '24000/1001', frames: 3, fromTick: 6 });
  const of = { simulation: 'flock', quantum: { numerator: 1, denominator: 60 }, seed: 3 };
  const fps = { numerator: 24_000, denominator: 1001 };
  const manifest = createManifest(
    { ...of, fps, fromTick: 6, params: { population }, width: 4, height: 2 },
    shots,
  );
  expect(JSON.parse(formatManifest(manifest))).toEqual(manifest);
  expect(formatManifest(manifest).split('\n')).toHaveLength(19);
  expect(manifest).toMatchObject({
    format: 'escapement-capture',
    formatVersion: 1,
    library: VERSION,
    quantum: '1/60',
    fps: '24000/1001',
    frames: [
      { index: 0, time: '0', tick: 6, alpha: '0', stateTick: 6 },
      { index: 1, time: '1001/24000', tick: 8, alpha: '201/400', stateTick: 9 },
      { index: 2, time: '1001/12000', tick: 11, alpha: '1/200', stateTick: 12 },
    ],
  });
  for (const { stateHash, pixelHash } of manifest.frames) {
    expect([stateHash, pixelHash]).toEqual([
      expect.stringMatching(/^[0-9a-f]{16}$/),
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ]);
  }
});

test('the hash of pixels is the first half of SHA-256, from shared memory too', async () => {
  const abc = new TextEncoder().encode('abc');
  const shared = new Uint8Array(new SharedArrayBuffer(3));
  shared.set(abc);
  expect(await hashPixels(abc)).toBe('ba7816bf8f01cfea414140de5dae2223');
  expect(await hashPixels(shared)).toBe('ba7816bf8f01cfea414140de5dae2223');
});

test('the version in the code is that of the package', () => {
  expect(VERSION).toBe((JSON.parse(readText('package.json')) as { version: string }).version);
});

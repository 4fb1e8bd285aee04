import { afterEach, describe, expect, test } from 'vitest';
import { type CapturedShot, captureFrames, type CaptureOptions } from '../../../src/main/index.ts';
import type { Frame } from '../../../src/render/index.ts';
import {
  defineSimulation,
  position2d,
  type SimulationDefinition,
  type SimulationTypes,
  type TypesOf,
} from '../../../src/sim-worker/index.ts';
import { cubes } from '../../../scenes/cubes.sim.ts';
import { flock } from '../../../scenes/flock.sim.ts';
import { scaled } from '../../scaled.ts';
import { runScene, type SceneRun } from '../../scenes/scene-run.ts';

/** Captures of a recorded run. Faults go by their number in the catalogue of cases. */

const runs: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const run of runs.splice(0)) await run.close();
});

type Options<T extends SimulationTypes> = Parameters<typeof runScene<T>>[1];

async function start<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  options: Options<T>,
): Promise<SceneRun<T>> {
  const run = await runScene(definition, { drivenBy: 'host', ...options });
  runs.push(run);
  return run;
}

type Film = Pick<CaptureOptions, 'fps' | 'frames' | 'fromTick' | 'hashState'>;

/** Takes a film whose pictures are the numbers of some channels, byte by byte. */
async function film<T extends SimulationTypes>(
  { sim, view }: SceneRun<T>,
  channels: readonly (T['published'] & string)[],
  options: Film,
  onFrame: (index: number) => void = () => undefined,
): Promise<CapturedShot[]> {
  const shots: CapturedShot[] = [];
  const draw = (frame: Frame<T>, { index }: { readonly index: number }): Uint8Array => {
    onFrame(index);
    const parts = channels.map((channel) => {
      const { buffer, byteOffset, byteLength } = frame.blend(channel) as Float32Array;
      return new Uint8Array(buffer, byteOffset, byteLength).slice();
    });
    return Uint8Array.from(parts.flatMap((part) => [...part]));
  };
  for await (const shot of captureFrames(sim, { ...options, view, draw })) shots.push(shot);
  return shots;
}

const population = scaled({ tiny: 30, normal: 100, full: 1000 });
const FPS = '24000/1001';
const CHANNELS = ['position', 'heading'] as const;

interface Filmed {
  readonly bytes: Uint8Array;
  readonly shots: readonly CapturedShot[];
}

/** Films a flock that is led about, and records it meanwhile, `late` ticks after its start. */
async function filmFlock(frames: number, late = 0): Promise<Filmed> {
  const run = await start(flock, { params: { population }, seed: 3 });
  const { sim } = run;
  if (late > 0) await sim.clock.advanceTicks(late);
  const recording = await sim.record({ hashEveryTicks: 7, keyframeEveryTicks: 40 });
  const shots = await film(run, CHANNELS, { fps: FPS, frames, fromTick: late }, (index) => {
    sim.inputs.pointer({ x: (index % 5) / 5, y: 0.3, down: index % 9 === 2, active: true });
  });
  const { bytes } = await recording.stop();
  return { bytes: bytes as Uint8Array, shots };
}

function replayFlock({ bytes }: Filmed): Promise<SceneRun<TypesOf<typeof flock>>> {
  return start(flock, { replay: bytes });
}

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing',
    (cause: unknown) => String(cause),
  );
}

describe('a capture of a replay', () => {
  test('has the frames of the recorded run, with its inputs', async () => {
    const filmed = await filmFlock(91);
    const options = { fps: FPS, frames: 91 };
    expect(await film(await replayFlock(filmed), CHANNELS, options)).toEqual(filmed.shots);
    const plain = await start(flock, { params: { population }, seed: 3 });
    const [last] = await film(plain, CHANNELS, { fps: FPS, frames: [90] });
    expect(last?.stateHash).not.toBe(filmed.shots[90]?.stateHash);
  });

  test('CAP 151: frames 0, 90, 30 and 60 by seek are those that were taken in a row', async () => {
    const filmed = await filmFlock(91);
    const run = await replayFlock(filmed);
    const frames = [0, 90, 30, 60];
    const wanted = frames.map((index) => filmed.shots[index]);
    expect(await film(run, CHANNELS, { fps: FPS, frames, fromTick: 0 })).toEqual(wanted);
    for (const index of [60, 90, 0, 89, 1, 30]) {
      const options = { fps: FPS, frames: [index], fromTick: 0 };
      expect(await film(run, CHANNELS, options)).toEqual([filmed.shots[index]]);
    }
  });

  test('begins again after the clock was taken elsewhere', async () => {
    const filmed = await filmFlock(40);
    const run = await replayFlock(filmed);
    const options = { fps: FPS, frames: [20, 21], fromTick: 0 };
    for (const tick of [filmed.shots[20]?.stateTick as number, 90, 0]) {
      await run.sim.clock.seekTick(tick);
      expect(await film(run, CHANNELS, options)).toEqual(filmed.shots.slice(20, 22));
    }
  });

  test('begins with the first tick of a recording that began in mid-run', async () => {
    const filmed = await filmFlock(20, 33);
    const run = await replayFlock(filmed);
    expect(await film(run, CHANNELS, { fps: FPS, frames: 20 })).toEqual(filmed.shots);
    const later = await film(run, CHANNELS, { fps: 60, frames: [1], fromTick: 32 });
    expect(later[0]?.stateTick).toBe(33);
    const early = film(run, CHANNELS, { fps: FPS, frames: 1, fromTick: 32 });
    expect(await refusal(early)).toContain('frame 0, which needs tick 32. Allowed: ticks 33 to 81');
  });

  test('is refused past the end, and says how long the recording is', async () => {
    const filmed = await filmFlock(21);
    expect(filmed.shots[20]?.stateTick).toBe(51);
    const run = await replayFlock(filmed);
    for (const frames of [22, [4, 21], [21, 4]]) {
      const refused = await refusal(film(run, CHANNELS, { fps: FPS, frames, fromTick: 0 }));
      expect(refused).toContain('frame 21, which needs tick 53');
      expect(refused).toContain('ticks 0 to 51, which are 0.85 s: 21 frames of 24000/1001 a sec');
      expect(run.sim.tick).toBe(0);
    }
  });

  test('goes forward only once the replay was left', async () => {
    const run = await replayFlock(await filmFlock(21));
    await run.sim.clock.seekTick(40);
    await run.sim.replay?.leave();
    const live = await film(run, CHANNELS, { fps: 60, frames: 20 });
    expect(live.map(({ stateTick }) => stateTick)).toEqual(Array.from(live, (_, k) => 40 + k));
    const back = await refusal(film(run, CHANNELS, { fps: 60, frames: 1, fromTick: 40 }));
    expect(back).toContain('not where the capture left it');
  });
});

test('a state that is not the recorded one ends a capture, and names its tick', async () => {
  const counter = (factor: number) =>
    defineSimulation({
      name: 'counter',
      tickRateHz: 60,
      capacity: 4,
      components: { position: position2d() },
      publish: ['position'],
      globals: { count: 'u32' },
      setup: () => undefined,
      systems: [
        {
          name: 'count',
          run({ globals, tick }) {
            globals.count = tick === 30 ? factor * tick : tick;
          },
        },
      ],
    });
  const recorded = await start(counter(1), { record: { hashEveryTicks: 10 } });
  await recorded.sim.clock.advanceTicks(60);
  const { bytes } = (await recorded.sim.recording?.stop()) ?? {};
  const options = { fps: 60, hashState: false, fromTick: 0 };
  const same = await start(counter(1), { replay: bytes as Uint8Array });
  expect(await film(same, [], { ...options, frames: 61 })).toHaveLength(61);
  const other = await start(counter(2), { replay: bytes as Uint8Array });
  expect(await film(other, [], { ...options, frames: 30 })).toHaveLength(30);
  const refused = await refusal(film(other, [], { ...options, frames: [10, 40] }));
  expect(refused).toMatch(/the state [0-9a-f]{16} after tick 30/);
});

test('CAP 151: a physics engine is sought by keyframe, and its frames are the same', async () => {
  const run = await start(cubes, { params: { population: 8 }, record: { keyframeEveryTicks: 20 } });
  const frames = 31;
  const inARow = await film(run, ['position'], { fps: FPS, frames });
  const { bytes } = (await run.sim.recording?.stop()) ?? {};
  // The engine is the module's own: one run at a time.
  await runs.pop()?.close();
  const replayed = await start(cubes, { replay: bytes as Uint8Array });
  const order = [30, 8, 9, 22, 0];
  const sought = await film(replayed, ['position'], { fps: FPS, frames: order, fromTick: 0 });
  expect(sought).toEqual(order.map((index) => inARow[index]));
  expect(new Set(inARow.map(({ stateHash }) => stateHash)).size).toBe(frames);
});

import { type RunningSimulation, readReplay, startSimulation } from 'escapement';
import {
  inline,
  openHeadless,
  openReplay,
  type SimulationDefinition,
  type SimulationTypes,
} from 'escapement/sim';
import { describe, expect, it } from 'vitest';
import { bounce } from '../../scenes/bounce.sim.ts';
import { crowd } from '../../scenes/crowd.sim.ts';
import { cubes } from '../../scenes/cubes.sim.ts';
import { flock } from '../../scenes/flock.sim.ts';
import { skeletons } from '../../scenes/skeletons.sim.ts';
import { storm } from '../../scenes/storm.sim.ts';
import { createLog } from '../../src/shared/log.ts';
import { scaled } from '../scaled.ts';
import { Dice } from '../sim-worker/dice.ts';

const TICKS = scaled({ tiny: 120, normal: 180, full: 1200 });
const SEEKS = scaled({ tiny: 12, normal: 20, full: 100 });
const population = scaled({ tiny: 100, normal: 200, full: 1000 });

interface AnySimulation extends Omit<RunningSimulation, 'queries'> {
  readonly queries: Record<string, (...args: unknown[]) => Promise<unknown>>;
}

interface Scene {
  readonly name: string;
  readonly definition: SimulationDefinition<SimulationTypes>;
  readonly params: Record<string, number>;
  /** Hands over what the run needs from outside; called before it begins and before recording. */
  prepare?(sim: AnySimulation, turn: number): Promise<void>;
  /** Sends inputs of some kind. */
  poke?(sim: AnySimulation, dice: Dice): void;
}

function between(dice: Dice, low: number, high: number): number {
  return low + (high - low) * (dice.below(1000) / 1000);
}

/** Walkers who come and go, for the scene that plays recorded people. */
function walkers(people: number): [positions: Float32Array, frames: number, people: number] {
  const frames = 90;
  const positions = new Float32Array(frames * people * 3).fill(Number.NaN);
  for (let person = 0; person < people; person++) {
    for (let frame = person; frame < Math.min(frames, person + 40); frame++) {
      positions.set([frame / 20, person / 10, 0], (frame * people + person) * 3);
    }
  }
  return [positions, frames, people];
}

const SCENES: readonly Scene[] = [
  { name: 'bounce', definition: bounce as never, params: { population } },
  {
    name: 'crowd',
    definition: crowd as never,
    params: { every: 1 },
    prepare: async (sim, turn) => void (await sim.queries['load']?.(...walkers(30 + turn))),
  },
  {
    name: 'cubes',
    definition: cubes as never,
    params: { population: population / 5 },
    poke: ({ inputs }, dice) => {
      const [x, z] = [between(dice, -2, 2), between(dice, -2, 2)];
      if (dice.oneIn(2)) inputs['drop']?.({ x, z });
      else inputs['blow']?.({ x, y: 0.5, z });
    },
  },
  {
    name: 'flock',
    definition: flock as never,
    params: { population },
    poke: ({ inputs }, dice) => {
      const [x, y] = [between(dice, -1, 1), between(dice, -1, 1)];
      inputs['pointer']?.({ x, y, down: dice.oneIn(2), active: !dice.oneIn(4) });
    },
  },
  {
    name: 'skeletons',
    definition: skeletons as never,
    params: { population },
    poke: ({ inputs }, dice) => {
      inputs['call']?.({ x: between(dice, -5, 5), z: between(dice, -5, 5) });
    },
  },
  { name: 'storm', definition: storm as never, params: { population } },
];

/** Records a run, with inputs now and then, from some tick on; every state is hashed. */
async function record(scene: Scene, firstTick: number): Promise<Uint8Array> {
  const { definition, params } = scene;
  const options = { params, seed: 7, drivenBy: 'host', logLevel: 'off' } as const;
  const sim = (await startSimulation(inline(definition), options)) as unknown as AnySimulation;
  const dice = new Dice(11);
  const run = async (ticks: number): Promise<void> => {
    for (let tick = 0; tick < ticks; tick++) {
      if (dice.oneIn(6)) scene.poke?.(sim, dice);
      await sim.clock.stepOnce();
    }
  };
  await scene.prepare?.(sim, 0);
  await run(firstTick);
  await scene.prepare?.(sim, firstTick);
  const recording = await sim.record({ hashEveryTicks: 1, keyframeEveryTicks: 37 });
  await run(TICKS);
  const { bytes, lastTick } = await recording.stop();
  await sim.stop();
  expect(lastTick).toBe(firstTick + TICKS);
  return bytes as Uint8Array;
}

/** Leaves whatever a run of other values leaves in the scene's module. */
async function runOtherwise({ definition, params: own }: Scene): Promise<void> {
  const params = 'population' in own ? { population: 55 } : {};
  const other = await openHeadless(definition, {
    params,
    seed: 1234,
    maxTicks: 20,
    pacing: 'fast',
    log: createLog({ nowMs: () => 0, sink: () => undefined, level: 'off' }),
  });
  expect((await other.run()).status).toBe('done');
}

describe.each(SCENES)('a recording of $name', (scene) => {
  it.each([0, 50])('that begins after tick %s gives every state again', async (firstTick) => {
    const replay = readReplay(await record(scene, firstTick));
    await runOtherwise(scene);
    const run = await openReplay(scene.definition, replay);
    const { ok, compared, divergence } = run.verify();
    expect([ok, compared, divergence]).toEqual([true, TICKS + 1, undefined]);
    const dice = new Dice(firstTick);
    const hash = new Uint32Array(2);
    for (let n = 0; n < SEEKS; n++) {
      const tick = firstTick + dice.below(TICKS + 1);
      run.seek(tick);
      expect(replay.findHash(tick, hash)).toBe(true);
      const recorded = Array.from(hash, (word) => word.toString(16).padStart(8, '0')).join('');
      expect([run.tick, run.stateHash()]).toEqual([tick, recorded]);
    }
    // On from a keyframe to the end: what lies beside the hash would show by then.
    run.seek(firstTick + 40);
    expect(run.verify()).toMatchObject({ ok: true, lastTick: firstTick + TICKS });
    run.close();
  });
});

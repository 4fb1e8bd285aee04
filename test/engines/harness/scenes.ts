import type { RunningSimulation } from 'escapement';
import type { SimulationDefinition, SimulationTypes } from 'escapement/sim';
import { bounce } from '#build/scenes/bounce.sim.js';
import { cubes } from '#build/scenes/cubes.sim.js';
import { fixedOrbits } from '#build/scenes/fixed.sim.js';
import { flock } from '#build/scenes/flock.sim.js';
import { storm } from '#build/scenes/storm.sim.js';
import type { SceneName } from './plan.ts';

/** Sends an input by its name; false when there was no room. */
export type Send = (name: string, values: Readonly<Record<string, number | boolean>>) => boolean;

/** A scene as it is run here. */
export interface Scene {
  readonly definition: SimulationDefinition<SimulationTypes>;
  /** Its compiled module, as seen from the harness. */
  readonly module: string;
  readonly params: Readonly<Record<string, number>>;
  /** Sends what the run is given after the n-th stretch of ticks. */
  readonly input: (n: number, send: Send) => void;
}

const none = (): void => undefined;

function scene(
  definition: unknown,
  name: string,
  params: Readonly<Record<string, number>>,
  input: Scene['input'] = none,
): Scene {
  return {
    definition: definition as SimulationDefinition<SimulationTypes>,
    module: `../../../scenes/${name}.sim.js`,
    params,
    input,
  };
}

/** The scenes by name, at sizes that leave an engine time for every way. */
export const SCENES: Readonly<Record<SceneName, Scene>> = {
  bounce: scene(bounce, 'bounce', { population: 200 }),
  storm: scene(storm, 'storm', { population: 600, churn: 30, jumps: 15 }),
  flock: scene(flock, 'flock', { population: 400 }, (n, send) => {
    const x = (((7 * n) % 13) - 6) / 5;
    const y = (((5 * n) % 11) - 5) / 6;
    send('pointer', { x, y, down: n % 4 === 1, active: n % 3 !== 0 });
  }),
  fixed: scene(fixedOrbits, 'fixed', { population: 100 }, (n, send) => {
    const x = (((7 * n) % 41) - 20) * 65_536;
    const y = (((5 * n) % 37) - 18) * 65_536;
    send('pointer', { x, y, down: n % 3 === 1 });
    for (let k = 0; k < n % 4; k++) {
      send('launch', { distance: (5 + ((3 * n + k) % 20)) * 65_536, angle: 31_337 * n + 8191 * k });
    }
  }),
  cubes: scene(cubes, 'cubes', { population: 60 }, (n, send) => {
    if (n % 8 === 3) send('drop', { x: ((n % 7) - 3) / 2, z: ((n % 5) - 2) / 2 });
    if (n % 3 === 1) send('blow', { x: ((n % 5) - 2) / 2, y: 0.25, z: ((n % 7) - 3) / 3 });
  }),
};

/** Returns what sends inputs to a run; a full ring is an error here. */
export function senderOf(sim: RunningSimulation): Send {
  return (name, values) => {
    const sent = sim.inputs[name]?.(values as never);
    if (sent !== true) throw new Error(`the input '${name}' was not taken`);
    return sent;
  };
}

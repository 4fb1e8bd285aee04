import type { RunningSimulation, TypesOf } from 'escapement';
import type { Cubes } from '../../scenes/cubes.sim.ts';
import { launch } from '../launch.ts';
import { openStage } from '../stage.ts';
import { type Scene, withPopulation } from './scene.ts';

const POPULATION_MAX = 1000;
/** Those that are there at first, and those dropped later. */
const CUBES_MAX = 4096;

export const CUBES: Scene = {
  title: 'Cubes',
  simulation: 'cubes',
  hint: 'Press, and the cubes under the pointer are blown away.',
  touchHint: 'Touch, and the cubes there are blown away.',
  tickRateHz: 60,
  population: 300,
  populationMax: POPULATION_MAX,
  async start({ tier, painters }, choice) {
    const options = withPopulation(choice);
    // What draws in space is large, and other scenes do without it.
    const [simulation, { CubesSubject }] = await Promise.all([
      launch<Cubes>(tier, options, {
        createWorker: () =>
          new Worker(new URL('../../scenes/cubes.sim.ts', import.meta.url), { type: 'module' }),
        loadDefinition: async () => (await import('../../scenes/cubes.sim.ts')).cubes,
      }) as Promise<RunningSimulation<TypesOf<Cubes>>>,
      import('../space/cubes-subject.ts'),
    ]);
    const blow = { x: 0, y: 0, z: 0 };
    let wasDown = false;
    return openStage({
      simulation,
      runOptions: withPopulation,
      createSubject: (view) => new CubesSubject(painters.spaceCanvas, view, CUBES_MAX),
      point: (x, z, _isPresent, isDown) => {
        if (isDown && !wasDown) {
          blow.x = x;
          blow.z = z;
          simulation.inputs.blow(blow);
        }
        wasDown = isDown;
      },
    });
  },
};

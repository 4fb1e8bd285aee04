import type { RunningSimulation, TypesOf } from 'escapement';
import type { Skeletons } from '../../scenes/skeletons.sim.ts';
import { launch } from '../launch.ts';
import { openStage } from '../stage.ts';
import { type Scene, withPopulation } from './scene.ts';

const POPULATION_MAX = 4000;

/** Half the side of the square that so many figures walk on, as the scene has it. */
function planeHalf(population: number): number {
  return Math.max(4, 0.7 * Math.sqrt(population));
}

export const FIGURES: Scene = {
  title: 'Figures',
  simulation: 'skeletons',
  hint: 'Press, and the figures near by walk there.',
  touchHint: 'Touch, and the figures near by walk there.',
  tickRateHz: 30,
  population: 200,
  populationMax: POPULATION_MAX,
  async start({ tier, painters }, choice) {
    // What draws in space is large, and other scenes do without it.
    const [simulation, { FiguresSubject }] = await Promise.all([
      launch<Skeletons>(tier, withPopulation(choice), {
        createWorker: () =>
          new Worker(new URL('../../scenes/skeletons.sim.ts', import.meta.url), { type: 'module' }),
        loadDefinition: async () => (await import('../../scenes/skeletons.sim.ts')).skeletons,
      }) as Promise<RunningSimulation<TypesOf<Skeletons>>>,
      import('../space/figures-subject.ts'),
    ]);
    const call = { x: 0, z: 0 };
    let wasDown = false;
    let { population } = choice;
    return openStage({
      simulation,
      runOptions: (next) => {
        population = next.population;
        return withPopulation(next);
      },
      createSubject: (view) =>
        new FiguresSubject(painters.spaceCanvas, view, POPULATION_MAX, planeHalf(population)),
      point: (x, z, _isPresent, isDown) => {
        if (isDown && !wasDown) {
          call.x = x;
          call.z = z;
          simulation.inputs.call(call);
        }
        wasDown = isDown;
      },
    });
  },
};

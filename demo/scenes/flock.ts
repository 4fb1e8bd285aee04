import type { RunningSimulation, TypesOf } from 'escapement';
import type { Flock } from '../../scenes/flock.sim.ts';
import { launch } from '../launch.ts';
import { type PlaneParts, PlaneSubject } from '../plane-subject.ts';
import { openStage } from '../stage.ts';
import { type Scene, withPopulation, WORLD } from './scene.ts';

export const FLOCK: Scene = {
  title: 'Flock',
  simulation: 'flock',
  hint: 'Move the pointer and the flock follows. Press, and it flees.',
  touchHint: 'Touch, and the flock flees.',
  tickRateHz: 60,
  population: 10_000,
  populationMax: 100_000,
  async start({ tier, painters }, choice) {
    const options = withPopulation(choice);
    const simulation: RunningSimulation<TypesOf<Flock>> = await launch<Flock>(tier, options, {
      createWorker: () =>
        new Worker(new URL('../../scenes/flock.sim.ts', import.meta.url), { type: 'module' }),
      loadDefinition: async () => (await import('../../scenes/flock.sim.ts')).flock,
    });
    // One object for every message: the pointer moves as often as frames are drawn.
    const pointer = { x: 0, y: 0, down: false, active: false };
    const parts = {
      bounds: WORLD,
      fit: 'cover',
      gpu: { position: 'position', heading: 'heading' },
      createRead: () => (read, into) => {
        into.positions = read('position');
        into.headings = read('heading');
      },
    } satisfies PlaneParts<TypesOf<Flock>>;
    return openStage({
      simulation,
      runOptions: withPopulation,
      createSubject: (view) => new PlaneSubject(parts, painters.darts, view),
      point: (x, y, isPresent, isDown) => {
        pointer.x = x;
        pointer.y = y;
        pointer.active = isPresent;
        pointer.down = isDown;
        simulation.inputs.pointer(pointer);
      },
    });
  },
};

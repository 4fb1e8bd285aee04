import type { TypesOf } from 'escapement';
import type { Bounce } from '../../scenes/bounce.sim.ts';
import { launch } from '../launch.ts';
import { type PlaneParts, PlaneSubject } from '../plane-subject.ts';
import { openStage } from '../stage.ts';
import { type Scene, withPopulation, WORLD } from './scene.ts';

const PARTS: PlaneParts<TypesOf<Bounce>> = {
  bounds: WORLD,
  fit: 'contain',
  gpu: { position: 'position' },
  createRead: () => (read, into) => {
    into.positions = read('position');
    into.isRound = true;
  },
};

export const BOUNCE: Scene = {
  title: 'Bounce',
  simulation: 'bounce',
  tickRateHz: 60,
  population: 200,
  populationMax: 10_000,
  async start({ tier, painters }, choice) {
    const simulation = await launch<Bounce>(tier, withPopulation(choice), {
      createWorker: () =>
        new Worker(new URL('../../scenes/bounce.sim.ts', import.meta.url), { type: 'module' }),
      loadDefinition: async () => (await import('../../scenes/bounce.sim.ts')).bounce,
    });
    return openStage({
      simulation,
      runOptions: withPopulation,
      createSubject: (view) => new PlaneSubject(PARTS, painters.darts, view),
    });
  },
};

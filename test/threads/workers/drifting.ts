import { defineSimulation, position2d, step, vec2 } from 'escapement/sim';

/**
 * A small world that wanders. Told so, its last system adds one unit to one value in one tick, as a
 * bug of one build would.
 */
export function defineDrifting(bumpAt: number) {
  return defineSimulation({
    name: 'drifting',
    version: '1',
    tickRateHz: 100,
    capacity: 64,
    params: { population: 20, failAt: 0 },
    components: { position: position2d(), velocity: vec2(), hits: step('i32') },
    globals: { total: 'f64' },
    publish: ['position'],
    setup({ world, params, random }) {
      for (let i = 0; i < params.population; i++) {
        world.spawn({ position: [i, 0], velocity: [random.nextFloat01(), 1], hits: i });
      }
    },
    systems: [
      {
        name: 'steer',
        writes: ['velocity'],
        run({ world, columns: { velocity }, random }) {
          for (const i of world.live()) {
            velocity[2 * i] = (velocity[2 * i] as number) + random.nextFloat01() - 0.5;
          }
        },
      },
      {
        name: 'move',
        reads: ['velocity'],
        writes: ['position'],
        run({ world, columns: { position, velocity }, dt }) {
          for (const i of world.live()) {
            for (let k = 2 * i; k < 2 * i + 2; k++) {
              position[k] = (position[k] as number) + (velocity[k] as number) * dt;
            }
          }
        },
      },
      {
        name: 'count',
        writes: ['hits'],
        run({ columns: { hits }, globals, tick, params }) {
          globals.total += 0.5;
          if (tick === bumpAt) hits[3] = (hits[3] as number) + 1;
          if (tick === params.failAt) throw new Error('failed on purpose');
        },
      },
    ],
  });
}

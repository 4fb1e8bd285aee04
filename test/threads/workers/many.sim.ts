import { defineSimulation, position2d, runSimulation } from 'escapement/sim';

/** Ten thousand moving bodies. */
export const many = defineSimulation({
  name: 'many',
  tickRateHz: 60,
  capacity: 10_000,
  components: { position: position2d() },
  publish: ['position'],
  setup({ world }) {
    for (let i = 0; i < 10_000; i++) world.spawn({ position: [i, 0] });
  },
  systems: [
    {
      name: 'move',
      writes: ['position'],
      run({ columns, tick }) {
        for (let i = 0; i < 10_000; i++) columns.position[2 * i + 1] = tick;
      },
    },
  ],
});

export type Many = typeof many;

runSimulation(many);

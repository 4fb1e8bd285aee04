import { defineSimulation, position2d, runSimulation } from 'escapement/sim';

const eaten: number[][] = [];

/** Eats memory from tick 3 on, until there is none. */
export const hungry = defineSimulation({
  name: 'hungry',
  tickRateHz: 60,
  capacity: 1,
  components: { position: position2d() },
  publish: ['position'],
  systems: [
    {
      name: 'eat',
      run({ tick }) {
        if (tick < 3) return;
        for (let i = 0; i < 100; i++) eaten.push(Array.from({ length: 10_000 }, (_, n) => n + 0.5));
      },
    },
  ],
});

export type Hungry = typeof hungry;

runSimulation(hungry);

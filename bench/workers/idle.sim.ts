import { defineSimulation, position2d, runSimulation } from 'escapement/sim';

/** A small world that does next to nothing, so that only the runtime is measured. */
export const idle = defineSimulation({
  name: 'idle',
  tickRateHz: 60,
  capacity: 100,
  components: { position: position2d() },
  publish: ['position'],
  setup({ world }) {
    for (let i = 0; i < 100; i++) world.spawn({ position: [i, 0] });
  },
  systems: [
    {
      name: 'move',
      writes: ['position'],
      run({ columns: { position } }) {
        for (let i = 0; i < position.length; i++) position[i] = (position[i] as number) + 1;
      },
    },
  ],
});
export type Idle = typeof idle;

runSimulation(idle);

import { defineSimulation, position2d, runSimulation } from 'escapement/sim';

/** World units a second that the body moves. */
export const SPEED = 60;

/** One body at constant speed, in a tick that costs half a quantum. */
export const steady = defineSimulation({
  name: 'steady',
  tickRateHz: 60,
  capacity: 1,
  params: { busyMs: 8.3 },
  components: { position: position2d() },
  publish: ['position'],
  setup({ world }) {
    world.spawn({ position: 0 });
  },
  systems: [
    {
      name: 'move',
      writes: ['position'],
      run({ columns, time, params }) {
        const end = performance.now() + params.busyMs;
        // From the tick, not added up: whatever is uneven comes from the presentation.
        columns.position[0] = time * SPEED;
        while (performance.now() < end);
      },
    },
  ],
});

export type Steady = typeof steady;

runSimulation(steady);

import { defineSimulation, position2d, runSimulation } from 'escapement/sim';

// What a module must not do, and what is to be survived: the host's first messages come before
// anybody listens.
await new Promise((resolve) => setTimeout(resolve, 300));

/** A simulation whose module waits before it listens. */
export const late = defineSimulation({
  name: 'late',
  tickRateHz: 60,
  capacity: 1,
  components: { position: position2d() },
  publish: ['position'],
  systems: [],
});

export type Late = typeof late;

runSimulation(late);

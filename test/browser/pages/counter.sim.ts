/** A body that moves a unit a tick; in a worker, and on the page itself. */
import { defineSimulation, position2d, runSimulation } from 'escapement/sim';

// Asked for by the address of the script: an engine that lacks it, as some did until lately.
if (globalThis.location.search === '?no-wait-async') {
  delete (Atomics as { waitAsync?: unknown }).waitAsync;
}

export const counter = defineSimulation({
  name: 'counter',
  tickRateHz: 60,
  capacity: 1,
  components: { position: position2d() },
  publish: ['position'],
  queries: () => ({
    isolated: () => crossOriginIsolated,
    hasWaitAsync: () => 'waitAsync' in Atomics,
  }),
  setup({ world }) {
    world.spawn({ position: 0 });
  },
  systems: [
    {
      name: 'count',
      writes: ['position'],
      run({ columns, tick }) {
        columns.position[0] = tick;
      },
    },
  ],
});

export type Counter = typeof counter;

runSimulation(counter);

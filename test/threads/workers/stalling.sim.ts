import { defineSimulation, position2d, runSimulation } from 'escapement/sim';

/** A body that moves by what each tick takes for its length, on a thread that can be held up. */
export const stalling = defineSimulation({
  name: 'stalling',
  tickRateHz: 20,
  capacity: 1,
  components: { position: position2d() },
  globals: { ticks: 'u32', shortest: 'f64', longest: 'f64', mixed: 'u32' },
  publish: ['position'],
  queries: ({ globals }) => ({
    /** Holds the simulation's thread up, between two ticks. */
    block(ms: number): void {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    },
    /** The number of ticks that ran, and the shortest and longest time that one was given. */
    lengths: (): readonly number[] => [globals.ticks, globals.shortest, globals.longest],
  }),
  setup({ world, globals }) {
    world.spawn({ position: 0 });
    globals.shortest = 1e9;
  },
  systems: [
    {
      name: 'move',
      writes: ['position'],
      run({ columns, tick, dt, globals }) {
        globals.ticks++;
        globals.shortest = Math.min(globals.shortest, dt);
        globals.longest = Math.max(globals.longest, dt);
        // Depends on every tick before this one, and on their order.
        globals.mixed = (Math.imul(globals.mixed, 31) + tick) >>> 0;
        columns.position[0] = tick;
      },
    },
  ],
});

export type Stalling = typeof stalling;

runSimulation(stalling);

import { Worker } from 'node:worker_threads';
import { startSimulation } from 'escapement';
import type { Probe } from './probe.sim.ts';

/*
 * A process that runs ten ticks of a simulation and has nothing else to do. Its argument says what
 * then: `unref` leaves the simulation running, `close` stops it, `forget` does neither.
 */
const how = process.argv[2];
const sim = await startSimulation<Probe>(
  () => new Worker(new URL('./probe.sim.js', import.meta.url)),
  {
    logLevel: 'off',
    unref: how === 'unref',
  },
);
for (let tick = 0; tick < 10; ) tick = (await sim.waitForTickChange(tick)).tick;
process.stdout.write(`ran ${sim.tick >= 10 ? 'ten' : 'too few'} ticks\n`);
if (how === 'close') await sim.stop();

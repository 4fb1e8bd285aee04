import { Worker } from 'node:worker_threads';
import { startSimulation } from 'escapement';
import { openView } from 'escapement/render';
import { allocatedBytes, median, timeNs } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';
import type { Idle } from './workers/idle.sim.ts';

/**
 * What `view.frame()` and `release()` cost on the host's thread, of a simulation that runs in a
 * worker over shared memory.
 */
const BOUND_NS = 500;

const sim = await startSimulation<Idle>(
  () => new Worker(new URL('./workers/idle.sim.js', import.meta.url)),
);
const view = openView(sim.share());
const take = (): void => {
  view.frame().release();
};
const bytes = allocatedBytes(take, sized(20_000, 300_000, 300_000));
const calls = sized(10_000, 200_000, 200_000);
const ns = median(Array.from({ length: sized(3, 21, 51) }, () => timeNs(calls, take)));
report('frame', {
  ns: round(ns),
  allocatedBytes: bytes,
  bound: BOUND_NS,
  ok: ns < BOUND_NS && bytes === 0,
});
view.close();
await sim.stop();

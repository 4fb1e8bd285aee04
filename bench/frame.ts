import { Worker } from 'node:worker_threads';
import { type RunningSimulation, startSimulation, type TypesOf } from 'escapement';
import { openView } from 'escapement/render';
import { inline } from 'escapement/sim';
import { allocatedBytes, median, timeNs } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';
import { type Idle, idle } from './workers/idle.sim.ts';

/**
 * What `view.frame()` and `release()` cost on the host's thread. First of a simulation that runs
 * in a worker over shared memory, then of one on the calling thread, which stands still meanwhile.
 */
const BOUND_NS = 500;
const calls = sized(10_000, 200_000, 200_000);

type Running = RunningSimulation<TypesOf<Idle>>;

async function measure(sim: Running): Promise<void> {
  const view = openView(sim.share());
  const take = (): void => {
    view.frame().release();
  };
  const bytes = allocatedBytes(take, sized(20_000, 300_000, 300_000));
  const ns = median(Array.from({ length: sized(3, 21, 51) }, () => timeNs(calls, take)));
  report('frame', {
    tier: sim.capabilities.tier,
    ns: round(ns),
    allocatedBytes: bytes,
    bound: BOUND_NS,
    ok: ns < BOUND_NS && bytes === 0,
  });
  view.close();
  await sim.stop();
}

const file = new URL('./workers/idle.sim.js', import.meta.url);
await measure(await startSimulation<Idle>(() => new Worker(file)));
await measure(await startSimulation(inline(idle)));

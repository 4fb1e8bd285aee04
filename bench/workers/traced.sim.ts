import { workerData } from 'node:worker_threads';
import { defineSimulation, runSimulation, scalar } from 'escapement/sim';
import { noteNow, TRACE_RATE_HZ } from '../lib/trace.ts';

const trace = (workerData as { readonly trace: Int32Array }).trace;

/** A simulation whose only system notes when it runs. */
const traced = defineSimulation({
  name: 'traced',
  tickRateHz: TRACE_RATE_HZ,
  capacity: 1,
  components: { value: scalar() },
  publish: ['value'],
  systems: [
    {
      name: 'note',
      run() {
        noteNow(trace);
      },
    },
  ],
});
export type Traced = typeof traced;

runSimulation(traced);

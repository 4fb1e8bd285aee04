import { workerData } from 'node:worker_threads';
import { noteNow, TRACE_RATE_HZ, TRACE_START, TRACE_STOP } from '../lib/trace.ts';

/** The least a loop can do: `Atomics.wait` until each deadline, then note the instant. */
const trace = (workerData as { readonly trace: Int32Array }).trace;
const word = new Int32Array(new SharedArrayBuffer(4));
const [seconds, nanos] = process.hrtime();
trace[TRACE_START] = seconds;
trace[TRACE_START + 1] = nanos;
for (let tick = 1; Atomics.load(trace, TRACE_STOP) === 0; tick++) {
  for (;;) {
    const [s, n] = process.hrtime();
    const waitNs = (tick * 1e9) / TRACE_RATE_HZ - ((s - seconds) * 1e9 + (n - nanos));
    if (waitNs <= 0) break;
    Atomics.wait(word, 0, 0, waitNs / 1e6);
  }
  if (!noteNow(trace)) break;
}

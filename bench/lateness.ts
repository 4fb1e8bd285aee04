import { Worker } from 'node:worker_threads';
import { startSimulation } from 'escapement';
import { RECORD_DOUBLE } from '#dist/shared/record.js';
import { openRegion } from '#dist/shared/region.js';
import { computeLayout } from '#dist/shared/layout.js';
import { PublicationReader } from '#dist/shared/publication-reader.js';
import type { RegionHandle } from '#dist/shared/handle.js';
import { PairedBlocks } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';
import {
  createTrace,
  lackingNow,
  latenessUs,
  TRACE_RATE_HZ,
  TRACE_START,
  TRACE_STOP,
} from './lib/trace.ts';
import type { Traced } from './workers/traced.sim.ts';

/**
 * How late ticks start at 120 Hz, set against a bare `Atomics.wait` loop on the same deadlines, in
 * alternating blocks. Both note the instant in the same way, inside the tick.
 */
const BOUND_P50 = 1.2;
const BOUND_P99 = 1.5;
const seconds = sized(2, 20, 60);
const blockSeconds = sized(0.5, 2, 3);
const blocks = Math.max(1, Math.round(seconds / blockSeconds / 2));
const samples = Math.ceil(blockSeconds * TRACE_RATE_HZ) + 64;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The first ticks of a thread are its warm-up; they are left out on both sides. */
const SETTLE = Math.round(0.1 * TRACE_RATE_HZ);

/**
 * Counts ticks that were dropped or did not run, by the samples and not by the driver's own word.
 * The least of some looks, so that a tick on its way does not count.
 */
async function countMissed(trace: Int32Array): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 20; look++) {
    least = Math.min(least, lackingNow(trace));
    await pause(3);
  }
  return least;
}

async function runBare(): Promise<number[]> {
  const trace = createTrace(samples);
  const worker = new Worker(new URL('./workers/bare-loop.js', import.meta.url), {
    workerData: { trace },
  });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  await pause(blockSeconds * 1000 + 100);
  Atomics.store(trace, TRACE_STOP, 1);
  await ended;
  return latenessUs(trace).slice(SETTLE);
}

async function runOurs(): Promise<{ late: number[]; missed: number }> {
  const trace = createTrace(samples);
  const sim = await startSimulation<Traced>(
    () =>
      new Worker(new URL('./workers/traced.sim.js', import.meta.url), { workerData: { trace } }),
  );
  await pause(blockSeconds * 1000);
  const handle = sim.share() as unknown as RegionHandle;
  const region = openRegion(handle.memory, computeLayout(handle.schema, handle.options));
  const reader = new PublicationReader(region, 1);
  reader.pin();
  trace[TRACE_START] = region.f64[reader.recordDouble + RECORD_DOUBLE.startSeconds] as number;
  trace[TRACE_START + 1] = region.f64[reader.recordDouble + RECORD_DOUBLE.startNanos] as number;
  reader.release();
  const missed = await countMissed(trace);
  await sim.stop();
  return { late: latenessUs(trace).slice(SETTLE), missed };
}

const ours: number[][] = [];
const bare: number[][] = [];
let missed = 0;
for (let block = 0; block < blocks; block++) {
  const run = await runOurs();
  ours.push(run.late);
  missed += run.missed;
  bare.push(await runBare());
}
const pair = new PairedBlocks(ours, bare);
const ratioP50 = pair.ratio(50);
const ratioP99 = pair.ratio(99);
report('lateness', {
  rateHz: TRACE_RATE_HZ,
  seconds,
  blocks,
  p50Us: round(pair.ours(50)),
  p99Us: round(pair.ours(99)),
  bareP50Us: round(pair.others(50)),
  bareP99Us: round(pair.others(99)),
  ratioP50: round(ratioP50),
  ratioP99: round(ratioP99),
  missed,
  bound: `${BOUND_P50}, ${BOUND_P99}, 0`,
  ok: ratioP50 <= BOUND_P50 && ratioP99 <= BOUND_P99 && missed === 0,
});

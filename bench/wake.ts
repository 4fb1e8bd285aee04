import { Worker } from 'node:worker_threads';
import { createAnchor } from '#dist/shared/anchor.js';
import { hostController } from '#dist/shared/layout.js';
import { BLOCKING_SLICE_MS, SharedSignal } from '#dist/shared/signal.js';
import { DriverStats } from '#dist/sim-worker/driver-stats.js';
import { median, percentile } from './lib/measure.ts';
import { CONTROL_WORDS, PING, type PingTask, PONG } from './lib/ping.ts';
import { createPositions } from './lib/positions.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * The round trip that wakes a blocked follower by publishing a tick and hears of it, set against a
 * bare `Atomics.wait` and `notify` ping-pong between the same two threads, in alternating blocks.
 */
const BOUND = 1.2;
const blocks = sized(4, 40, 80);
const trips = sized(100, 1000, 2000);
const { schema, region, publisher } = createPositions(1, 2);
const { layout } = region;
const control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
const task: PingTask = {
  control,
  schema,
  options: {
    readers: layout.readers,
    controllers: 1,
    followers: 0,
    commandWords: hostController(layout).commands.capacityWords,
    inputWords: layout.inputs.capacityWords,
    eventWords: layout.events.capacityWords,
    logWords: layout.logs.capacityWords,
  },
  memory: region.memory,
  blocks,
  trips,
};
const anchor = createAnchor();
const stats = new DriverStats();
const publish = (): void => {
  publisher.scan();
  publisher.capture(++anchor.tick);
  publisher.publish(anchor, stats);
};
const answer = new SharedSignal(control, PONG);
const worker = new Worker(new URL('./workers/ping-follower.js', import.meta.url), {
  workerData: task,
});
const ended = new Promise((resolve, reject) => {
  worker.once('exit', resolve);
  worker.once('error', reject);
});
await new Promise((resolve) => worker.once('online', resolve));

/** This thread blocks and would not hear of the follower's end: it gives up by itself. */
const ANSWER_MS_MAX = 10_000;

function giveUp(): never {
  throw new Error('the follower does not answer');
}

function ours(): void {
  const seen = answer.load();
  publish();
  let slices = 0;
  while (answer.load() === seen) {
    const end = answer.wait(seen, BLOCKING_SLICE_MS);
    if (end === 'timed-out' && ++slices > ANSWER_MS_MAX / BLOCKING_SLICE_MS) giveUp();
  }
}

function bare(): void {
  const seen = Atomics.load(control, PONG);
  Atomics.add(control, PING, 1);
  Atomics.notify(control, PING);
  while (Atomics.load(control, PONG) === seen) {
    if (Atomics.wait(control, PONG, seen, ANSWER_MS_MAX) === 'timed-out') giveUp();
  }
}

function block(trip: () => void): number[] {
  const micros: number[] = [];
  for (let i = 0; i < trips; i++) {
    const begin = process.hrtime.bigint();
    trip();
    micros.push(Number(process.hrtime.bigint() - begin) / 1000);
  }
  return micros;
}

const oursBlocks: number[][] = [];
const bareBlocks: number[][] = [];
for (let i = 0; i < blocks; i += 2) {
  oursBlocks.push(block(ours));
  bareBlocks.push(block(bare));
}
await ended;
const of = (each: number[][], percent: number): number[] =>
  each.slice(1).map((micros) => percentile(micros, percent));
const ratioP50 = median(of(oursBlocks, 50).map((us, i) => us / (of(bareBlocks, 50)[i] as number)));
report('wake', {
  trips: (blocks / 2) * trips,
  p50Us: round(median(of(oursBlocks, 50))),
  p99Us: round(median(of(oursBlocks, 99))),
  bareP50Us: round(median(of(bareBlocks, 50))),
  bareP99Us: round(median(of(bareBlocks, 99))),
  ratioP50: round(ratioP50),
  bound: BOUND,
  ok: ratioP50 <= BOUND,
});

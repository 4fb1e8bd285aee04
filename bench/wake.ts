import { Worker } from 'node:worker_threads';
import { createAnchor } from '#dist/shared/anchor.js';
import { HANDLE_VERSION, type RegionHandle } from '#dist/shared/handle.js';
import { HEADER, REGION_STATE } from '#dist/shared/words.js';
import { DriverStats } from '#dist/sim-worker/driver-stats.js';
import { PairedBlocks } from './lib/measure.ts';
import { awaitPongs, CONTROL_WORDS, PING, type PingTask, PONG, type Waiting } from './lib/ping.ts';
import { createPositions } from './lib/positions.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * The round trip that wakes waiting followers by publishing a tick and hears of all of them, set
 * against bare `Atomics.wait` (or `waitAsync`) and `notify` between the same threads, in
 * alternating blocks. More followers than cores wait for a core each, in both.
 */
const BOUND = 1.2;
/** A promise of a wait has a promise and a timer of its own beside the engine's. */
const BOUND_ASYNC = 1.5;
const blocks = sized(4, 24, 48);

async function measure(followers: number, waiting: Waiting): Promise<void> {
  const trips = sized(30, 1000, 2000);
  const { schema, region, publisher, options } = createPositions(1, 2, followers);
  const control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
  Atomics.store(region.i32, HEADER.state, REGION_STATE.running);
  const { memory } = region;
  const kind = 'escapement/simulation';
  const handle: RegionHandle = {
    kind,
    version: HANDLE_VERSION,
    id: `wake ${waiting} ${followers}`,
    run: 1,
    schema,
    options,
    memory,
  };
  const task: PingTask = { control, handle, waiting, blocks, trips };
  const anchor = createAnchor();
  const stats = new DriverStats();
  const ours = (): void => {
    publisher.scan();
    publisher.capture(++anchor.tick);
    publisher.publish(anchor, stats);
  };
  const bare = (): void => {
    Atomics.add(control, PING, 1);
    Atomics.notify(control, PING);
  };
  // Followers anchor at a tick that is there.
  ours();
  const ended = Array.from({ length: followers }, () => startFollower(task));
  await Promise.all(ended.map(({ online }) => online));
  awaitPongs(control, 0, followers);
  const block = (wake: () => void): number[] => {
    const micros: number[] = [];
    for (let i = 0; i < trips; i++) {
      const seen = Atomics.load(control, PONG);
      const begin = process.hrtime.bigint();
      wake();
      awaitPongs(control, seen, followers);
      micros.push(Number(process.hrtime.bigint() - begin) / 1000);
    }
    return micros;
  };
  const oursBlocks: number[][] = [];
  const bareBlocks: number[][] = [];
  for (let i = 0; i < blocks; i += 2) {
    oursBlocks.push(block(ours));
    bareBlocks.push(block(bare));
  }
  await Promise.all(ended.map(({ exit }) => exit));
  print(followers, waiting, (blocks / 2) * trips, oursBlocks, bareBlocks);
}

function startFollower(task: PingTask): { online: Promise<unknown>; exit: Promise<unknown> } {
  const worker = new Worker(new URL('./workers/ping-follower.js', import.meta.url), {
    workerData: task,
  });
  const exit = new Promise((resolve, reject) => {
    worker.once('exit', resolve);
    worker.once('error', reject);
  });
  return { online: new Promise((resolve) => worker.once('online', resolve)), exit };
}

function print(
  followers: number,
  waiting: Waiting,
  trips: number,
  ours: number[][],
  bare: number[][],
): void {
  // The first block warms.
  const pair = new PairedBlocks(ours.slice(1), bare.slice(1));
  const ratioP50 = pair.ratio(50);
  const bound = waiting === 'async' ? BOUND_ASYNC : BOUND;
  report('wake', {
    followers,
    waiting,
    trips,
    p50Us: round(pair.ours(50)),
    p99Us: round(pair.ours(99)),
    bareP50Us: round(pair.others(50)),
    bareP99Us: round(pair.others(99)),
    ratioP50: round(ratioP50),
    bound,
    ok: ratioP50 <= bound,
  });
}

for (const waiting of ['blocking', 'async'] as const) {
  for (const followers of [1, 4, 8]) await measure(followers, waiting);
}

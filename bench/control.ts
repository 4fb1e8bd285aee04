import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ClockControl, startSimulation } from 'escapement';
import { readClockStatus } from '#dist/shared/clock-status.js';
import type { RegionHandle } from '#dist/shared/handle.js';
import { computeLayout } from '#dist/shared/layout.js';
import { openRegion, type Region } from '#dist/shared/region.js';
import { HEADER } from '#dist/shared/words.js';
import { PairedBlocks } from './lib/measure.ts';
import { awaitPongs, CONTROL_WORDS, PING, PONG } from './lib/ping.ts';
import { report, round, sized } from './lib/report.ts';
import type { Idle } from './workers/idle.sim.ts';

/**
 * The time from a call on the host to its effect in a parked driver, as any thread sees it in
 * shared memory, set against a bare `notify` that another parked thread answers, in alternating
 * blocks.
 */
const BOUND = 1.5;
const blocks = sized(4, 40, 80);
const calls = sized(50, 400, 800);
const EFFECT_MS_MAX = 10_000;

/** Blocks until what was published makes `holds` true. */
function awaitEffect(region: Region, holds: () => boolean): void {
  for (;;) {
    const seen = Atomics.load(region.i32, HEADER.sequence);
    if (holds()) return;
    if (Atomics.wait(region.i32, HEADER.sequence, seen, EFFECT_MS_MAX) === 'timed-out') {
      throw new Error('the driver does not answer');
    }
  }
}

async function blockOf(
  region: Region,
  call: (i: number) => Promise<unknown>,
  holds: (i: number) => boolean,
): Promise<number[]> {
  const micros: number[] = [];
  for (let i = 0; i < calls; i++) {
    const begin = process.hrtime.bigint();
    const done = call(i);
    awaitEffect(region, () => holds(i));
    micros.push(Number(process.hrtime.bigint() - begin) / 1000);
    await done;
  }
  return micros;
}

function bareBlock(control: Int32Array): number[] {
  const micros: number[] = [];
  for (let i = 0; i < calls; i++) {
    const seen = Atomics.load(control, PONG);
    const begin = process.hrtime.bigint();
    Atomics.add(control, PING, 1);
    Atomics.notify(control, PING);
    awaitPongs(control, seen, 1);
    micros.push(Number(process.hrtime.bigint() - begin) / 1000);
  }
  return micros;
}

interface Action {
  readonly name: string;
  readonly call: (clock: ClockControl, i: number) => Promise<unknown>;
  readonly holds: (region: Region, i: number, firstTick: number) => boolean;
}

const ACTIONS: readonly Action[] = [
  {
    name: 'step',
    call: (clock) => clock.stepOnce(),
    holds: (region, i, firstTick) => readClockStatus(region).tick === firstTick + i + 1,
  },
  {
    name: 'pause',
    call: (clock, i) => (i % 2 === 0 ? clock.pause() : clock.resume()),
    holds: (region, i) => readClockStatus(region).mode === (i % 2 === 0 ? 'paused' : 'live'),
  },
];

const control = new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4));
const echo = new Worker(new URL('./workers/echo.js', import.meta.url), { workerData: { control } });
await once(echo, 'online');
const sim = await startSimulation<Idle>(
  () => new Worker(new URL('./workers/idle.sim.js', import.meta.url)),
  { drivenBy: 'host' },
);
const handle = sim.share() as unknown as RegionHandle;
const region = openRegion(handle.memory, computeLayout(handle.schema, handle.options));
for (const { name, call, holds } of ACTIONS) {
  const ours: number[][] = [];
  const bare: number[][] = [];
  for (let block = 0; block < blocks; block++) {
    const firstTick = sim.tick;
    ours.push(
      await blockOf(
        region,
        (i) => call(sim.clock, i),
        (i) => holds(region, i, firstTick),
      ),
    );
    bare.push(bareBlock(control));
  }
  // The first block warms.
  const pair = new PairedBlocks(ours.slice(1), bare.slice(1));
  const ratioP50 = pair.ratio(50);
  report('control', {
    action: name,
    calls: blocks * calls,
    p50Us: round(pair.ours(50)),
    p99Us: round(pair.ours(99)),
    bareP50Us: round(pair.others(50)),
    bareP99Us: round(pair.others(99)),
    ratioP50: round(ratioP50),
    bound: BOUND,
    ok: ratioP50 <= BOUND,
  });
}
await sim.stop();
await echo.terminate();

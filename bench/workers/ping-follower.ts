import { workerData } from 'node:worker_threads';
import { computeLayout } from '#dist/shared/layout.js';
import { openRegion } from '#dist/shared/region.js';
import { openSignal } from '#dist/shared/region-signal.js';
import { createSystemClock } from '#dist/shared/system-clock.js';
import { waitForTickChange, waitForTickChangeAsync } from '#dist/shared/tick-wait.js';
import { HEADER } from '#dist/shared/words.js';
import { PING, type PingTask, PONG } from '../lib/ping.ts';

/** Answers each wake-up: in even blocks as the product's follower, in odd ones barely. */
const { control, schema, options, memory, waiting, blocks, trips } = workerData as PingTask;
const region = openRegion(memory, computeLayout(schema, options));
const sequence = openSignal(region, HEADER.sequence);
const clock = createSystemClock(globalThis as Parameters<typeof createSystemClock>[0]);
const PATIENCE_MS = 60_000;
let tick = 0;
let pings = 0;

function pong(): void {
  Atomics.add(control, PONG, 1);
  Atomics.notify(control, PONG);
}

function blockOfOurs(): void {
  for (let trip = 0; trip < trips; trip++) {
    tick = waitForTickChange(region, sequence, tick, PATIENCE_MS, clock).tick;
    pong();
  }
}

async function blockOfOursAsync(): Promise<void> {
  for (let trip = 0; trip < trips; trip++) {
    tick = (await waitForTickChangeAsync(region, sequence, tick, PATIENCE_MS, clock)).tick;
    pong();
  }
}

function bareBlock(): void {
  for (let trip = 0; trip < trips; trip++) {
    while (Atomics.load(control, PING) === pings) Atomics.wait(control, PING, pings, PATIENCE_MS);
    pings++;
    pong();
  }
}

async function bareBlockAsync(): Promise<void> {
  for (let trip = 0; trip < trips; trip++) {
    while (Atomics.load(control, PING) === pings) {
      await Atomics.waitAsync(control, PING, pings, PATIENCE_MS).value;
    }
    pings++;
    pong();
  }
}

// A promise on shared memory does not keep a thread alive.
const alive = setInterval(() => undefined, 1000);
pong();
for (let block = 0; block < blocks; block++) {
  if (waiting === 'blocking') {
    if (block % 2 === 0) blockOfOurs();
    else bareBlock();
  } else if (block % 2 === 0) await blockOfOursAsync();
  else await bareBlockAsync();
}
clearInterval(alive);

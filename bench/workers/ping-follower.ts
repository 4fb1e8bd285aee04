import { workerData } from 'node:worker_threads';
import { computeLayout } from '#dist/shared/layout.js';
import { openRegion } from '#dist/shared/region.js';
import { openSignal } from '#dist/shared/region-signal.js';
import { SharedSignal } from '#dist/shared/signal.js';
import { createSystemClock } from '#dist/shared/system-clock.js';
import { waitForTickChange } from '#dist/shared/tick-wait.js';
import { HEADER } from '#dist/shared/words.js';
import { PING, type PingTask, PONG } from '../lib/ping.ts';

/** Answers each wake-up: in even blocks as the product's follower, in odd ones barely. */
const { control, schema, options, memory, blocks, trips } = workerData as PingTask;
const region = openRegion(memory, computeLayout(schema, options));
const sequence = openSignal(region, HEADER.sequence);
const answer = new SharedSignal(control, PONG);
const clock = createSystemClock(globalThis as Parameters<typeof createSystemClock>[0]);
let tick = 0;
let pings = 0;
for (let block = 0; block < blocks; block++) {
  for (let trip = 0; trip < trips; trip++) {
    if (block % 2 === 0) {
      tick = waitForTickChange(region, sequence, tick, 60_000, clock).tick;
      answer.raise();
    } else {
      while (Atomics.load(control, PING) === pings) Atomics.wait(control, PING, pings, 60_000);
      pings++;
      Atomics.add(control, PONG, 1);
      Atomics.notify(control, PONG);
    }
  }
}

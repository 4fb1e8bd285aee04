import { workerData } from 'node:worker_threads';
import { openFollower } from 'escapement';
import { PING, type PingTask, PONG } from '../lib/ping.ts';

/** Answers each wake-up: in even blocks as the product's follower, in odd ones barely. */
const { control, handle, waiting, blocks, trips } = workerData as PingTask;
const follower = openFollower(handle, { everyTicks: 1 });
const PATIENCE_MS = 60_000;
let pings = 0;

function pong(): void {
  Atomics.add(control, PONG, 1);
  Atomics.notify(control, PONG);
}

function blockOfOurs(): void {
  for (let trip = 0; trip < trips; trip++) {
    follower.waitForStep();
    follower.take();
    pong();
  }
}

async function blockOfOursAsync(): Promise<void> {
  for (let trip = 0; trip < trips; trip++) {
    await follower.waitForStepAsync();
    follower.take();
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
follower.close();
clearInterval(alive);

import { workerData } from 'node:worker_threads';
import { PING, PONG } from '../lib/ping.ts';

/** Answers each ping as soon as it wakes, until it is terminated. */
const { control } = workerData as { readonly control: Int32Array };
for (let pings = 0; ; pings++) {
  while (Atomics.load(control, PING) === pings) Atomics.wait(control, PING, pings);
  Atomics.add(control, PONG, 1);
  Atomics.notify(control, PONG);
}

import { workerData } from 'node:worker_threads';
import { SharedSignal } from '#dist/shared/signal.js';
import { createSystemClock } from '#dist/shared/system-clock.js';
import { waitUntil, waitUntilAsync } from '#dist/shared/wait.js';
import {
  FOLLOWER,
  FOLLOWER_WORDS,
  type FollowerTask,
  patientAtomics,
  WORD,
} from './follower-task.ts';

const task = workerData as FollowerTask;
const { words } = task;
if (task.wait === 'polling') delete (Atomics as { waitAsync?: unknown }).waitAsync;

const STOP = -1;
const own = WORD.followers + task.index * FOLLOWER_WORDS;
const clock = createSystemClock(globalThis);
const signal = new SharedSignal(words, WORD.signal, task.patient ? patientAtomics : Atomics);
const arrival = new SharedSignal(words, WORD.arrival);
let last = Atomics.load(words, WORD.tick);

function news(): number | undefined {
  if (Atomics.load(words, WORD.stop) !== 0) return STOP;
  const tick = Atomics.load(words, WORD.tick);
  return tick === last ? undefined : tick;
}

/** A wait without its loop: any wake-up counts. */
function waitOnce(): number {
  Atomics.wait(words, WORD.signal, Atomics.load(words, WORD.signal));
  return Atomics.load(words, WORD.stop) === 0 ? Atomics.load(words, WORD.tick) : STOP;
}

async function waitForNews(): Promise<number> {
  if (task.wait === 'once') return waitOnce();
  const value =
    task.wait === 'blocking'
      ? waitUntil(signal, news, Infinity, clock)
      : await waitUntilAsync(signal, news, Infinity, clock);
  if (typeof value !== 'number') throw new Error(`nobody ended this wait, but it ${value}`);
  return value;
}

Atomics.store(words, own + FOLLOWER.ready, 1);
arrival.raise();
for (let tick = await waitForNews(); tick !== STOP; tick = await waitForNews()) {
  last = tick;
  if (words[WORD.payload] !== Math.imul(tick, tick)) Atomics.add(words, own + FOLLOWER.stale, 1);
  Atomics.add(words, own + FOLLOWER.arrivals, 1);
  Atomics.store(words, own + FOLLOWER.tick, tick);
  arrival.raise();
}

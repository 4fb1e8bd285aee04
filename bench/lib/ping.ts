import type { SimulationHandle } from 'escapement';

/** Words of the control memory; each alone on its line. */
export const PING = 0;
export const PONG = 16;
export const CONTROL_WORDS = 32;

/** How a follower waits. */
export type Waiting = 'blocking' | 'async';

/** What a follower's thread needs. */
export interface PingTask {
  readonly control: Int32Array;
  readonly handle: SimulationHandle;
  readonly waiting: Waiting;
  readonly blocks: number;
  readonly trips: number;
}

/** A thread that blocks does not hear of its followers' end: it gives up by itself. */
const ANSWER_MS_MAX = 10_000;

/** Blocks until `PONG` was raised `count` times since it was `seen`. */
export function awaitPongs(control: Int32Array, seen: number, count: number): void {
  for (;;) {
    const now = Atomics.load(control, PONG);
    if (((now - seen) | 0) >= count) return;
    if (Atomics.wait(control, PONG, now, ANSWER_MS_MAX) === 'timed-out') {
      throw new Error('a follower does not answer');
    }
  }
}

import type { SimulationHandle, WaitOptions } from 'escapement';

/** Words that a follower under test shares with the test, by its index. */
export const FOLLOWING = {
  /** Its number in the region plus one, once it is open. */
  ready: 0,
  steps: 1,
  /** Boundaries that were left out. */
  lost: 2,
  /** Boundaries that came a second time, or out of order. */
  doubled: 3,
  /** How often it was put into another epoch or run. */
  moves: 4,
  /** How often its interval fired. */
  turns: 5,
  /** What it made of the ticks of all its steps, in their order. */
  state: 6,
} as const;

/** Words of one follower. */
export const FOLLOWING_WORDS = 16;

/** What a follower under test is given. */
export interface FollowingTask {
  readonly handle: SimulationHandle;
  readonly everyTicks: number;
  readonly wait: 'blocking' | 'async';
  /** It is late by a random time up to this, in milliseconds, after each take. */
  readonly delayMsMax: number;
  readonly seed: number;
  readonly words: Int32Array;
  readonly index: number;
  /**
   * `follow` until the run has ended; `wait` once and report why the wait ended; or open a
   * follower and a control and `return` or `exit` without closing them.
   */
  readonly job: 'follow' | 'wait' | 'return' | 'exit';
  /** Calls `process.exit(3)` at the first step from this tick on. */
  readonly exitAt?: number;
  readonly timeoutMs?: number;
  readonly options?: WaitOptions;
}

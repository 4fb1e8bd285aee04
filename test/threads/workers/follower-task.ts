import type { WaitPrimitives } from '#dist/shared/async-wait.js';

/** Words the followers of a test share with it, each alone on a line. */
export const WORD = {
  /** The signal that followers sleep on. */
  signal: 0,
  /** What the signal announces. */
  tick: 16,
  /** A plain word that goes with each tick: its square. */
  payload: 32,
  /** Not 0: followers end. */
  stop: 48,
  /** The signal that followers raise when they have arrived at a tick. */
  arrival: 64,
  /** From here on, four words a follower; see {@link FOLLOWER}. */
  followers: 80,
} as const;

/** A follower's own words. */
export const FOLLOWER = {
  /** 1 once it follows. */
  ready: 0,
  /** The tick it arrived at last. */
  tick: 1,
  /** How often its wait returned. */
  arrivals: 2,
  /** How often the payload was not that of the tick. */
  stale: 3,
} as const;

/** Words a follower has. */
export const FOLLOWER_WORDS = 4;

/** What a follower is given. */
export interface FollowerTask {
  readonly words: Int32Array;
  readonly index: number;
  /**
   * `blocking` and `async` wait as the library does. `polling` is `async` in an engine without
   * `Atomics.waitAsync`. `once` is the guard removed: it takes every wake-up for a change.
   */
  readonly wait: 'blocking' | 'async' | 'polling' | 'once';
  /** Blocks without slices, so that nothing but a notify wakes it. */
  readonly patient: boolean;
}

/** Atomics that block for as long as a test may last, whatever they are asked. */
export const patientAtomics: WaitPrimitives = {
  wait: (words, index, expected, ms) => Atomics.wait(words, index, expected, ms === 0 ? 0 : 60_000),
  notify: (words, index) => Atomics.notify(words, index),
};

import { type SleepEnd, Sleepers } from './sleepers.ts';

/*
 * Threads    any; an object belongs to the thread that made it.
 * Memory     loads one word of shared memory.
 * Ordering   a sleeper is registered before the word is compared: by the engine in `waitAsync`, by
 *            an outstanding wait of an older value (any notify ends it), or by the next poll.
 * Progress   never blocks; allocates per sleep, not per caller.
 * Invariant  at most one `waitAsync` or one poll timer is outstanding, and all sleepers of the
 *            object wait on the same value of the word.
 */

/** What waiting needs of `Atomics`. An engine may lack `waitAsync`. */
export interface WaitPrimitives {
  wait(
    words: Int32Array,
    index: number,
    expected: number,
    timeoutMs: number,
  ): 'ok' | 'not-equal' | 'timed-out';
  notify(words: Int32Array, index: number): number;
  waitAsync?(
    words: Int32Array,
    index: number,
    expected: number,
    timeoutMs: number,
  ): { async: false; value: unknown } | { async: true; value: Promise<unknown> };
}

/** Bounds of the time between two polls where `waitAsync` is missing; it doubles in between. */
export const POLL_MS_MIN = 4;
/** The longest time between two polls, a frame at 60 Hz: what a wake-up may be late. */
const POLL_MS_MAX = 16;

/**
 * Sleeps on a shared word without blocking. Hides that `Atomics.waitAsync` is missing in some
 * engines (Firefox before 145), that waits never notified pile up, and that a pending one does not
 * keep a Node process alive.
 */
export class AsyncWait {
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #primitives: WaitPrimitives;
  readonly #sleepers: Sleepers = new Sleepers(() => this.#stopPolling());
  readonly #afterNative = (): void => {
    this.#nativePending = false;
    this.#look();
  };
  readonly #afterPoll = (): void => {
    this.#pollTimer = undefined;
    this.#pollMs = Math.min(2 * this.#pollMs, POLL_MS_MAX);
    this.#look();
  };
  /** The value that everybody here waits on; valid while somebody sleeps. */
  #expected = 0;
  #nativePending = false;
  #pollTimer: unknown;
  #pollMs = POLL_MS_MIN;
  #closed = false;

  constructor(words: Int32Array, index: number, primitives: WaitPrimitives) {
    this.#words = words;
    this.#index = index;
    this.#primitives = primitives;
  }

  /**
   * Returns a promise that resolves once the word is no longer `expected`, after `timeoutMs` or
   * one slice, whichever is shorter (and perhaps earlier, see {@link Sleepers}), or when closed.
   */
  sleep(expected: number, timeoutMs: number): Promise<SleepEnd> {
    if (this.#closed) return Promise.resolve('closed');
    const value = Atomics.load(this.#words, this.#index);
    if (value !== this.#expected) this.#sleepers.wakeAll('changed');
    if (value !== expected) return Promise.resolve('changed');
    this.#expected = expected;
    const sleep = this.#sleepers.sleep(timeoutMs);
    this.#watch();
    return sleep;
  }

  /** Ends every sleep, now and later, with 'closed', and leaves no timer and no pending wait. */
  close(): void {
    this.#closed = true;
    this.#sleepers.wakeAll('closed');
    // The engine keeps a pending wait until it is notified. Others on the word re-check and sleep
    // on.
    if (this.#nativePending) this.#primitives.notify(this.#words, this.#index);
  }

  #look(): void {
    if (this.#sleepers.empty) return;
    if (Atomics.load(this.#words, this.#index) === this.#expected) this.#watch();
    else this.#sleepers.wakeAll('changed');
  }

  #watch(): void {
    if (this.#primitives.waitAsync === undefined) {
      this.#pollTimer ??= setTimeout(this.#afterPoll, this.#pollMs);
      return;
    }
    if (this.#nativePending) return;
    // The sleepers have timers of their own, and WebKit is slower with every wait that has one.
    const wait = this.#primitives.waitAsync(
      this.#words,
      this.#index,
      this.#expected,
      Number.POSITIVE_INFINITY,
    );
    if (wait.async) {
      this.#nativePending = true;
      void wait.value.then(this.#afterNative);
    } else {
      this.#sleepers.wakeAll('changed');
    }
  }

  #stopPolling(): void {
    clearTimeout(this.#pollTimer);
    this.#pollTimer = undefined;
    this.#pollMs = POLL_MS_MIN;
  }
}

/** Why a sleep on a signal ended. */
export type SleepEnd = 'changed' | 'timed-out' | 'closed';

/** The longest asynchronous sleep: what a lost wake-up can cost, in milliseconds. */
const ASYNC_SLICE_MS = 1000;

interface Sleep {
  readonly promise: Promise<SleepEnd>;
  readonly resolve: (end: SleepEnd) => void;
  readonly timer: unknown;
}

/**
 * The asynchronous sleepers on one word in one thread. Sleeps that began with the same timeout
 * share one promise and one timer, so any number of callers costs at most 1000 of each. The timers
 * are what keeps a process alive while somebody sleeps; when nobody does, none is left.
 */
export class Sleepers {
  readonly #sleeps: Map<number, Sleep> = new Map();
  readonly #emptied: () => void;

  /** Makes an empty set; `emptied` is called whenever its last sleeper has been let go. */
  constructor(emptied: () => void = () => {}) {
    this.#emptied = emptied;
  }

  /** Whether nobody sleeps. */
  get empty(): boolean {
    return this.#sleeps.size === 0;
  }

  /**
   * Returns a promise of the end of a sleep: that of {@link wakeAll}, or 'timed-out' after about
   * `timeoutMs` or one slice, whichever is shorter. It may be earlier than that, as the promise may
   * be an older sleeper's: who needs a whole timeout loops with a clock.
   */
  sleep(timeoutMs: number): Promise<SleepEnd> {
    // Whole milliseconds, rounded up: some timers cut fractions off and would fire too early.
    const ms = Math.min(Math.ceil(timeoutMs), ASYNC_SLICE_MS);
    const shared = this.#sleeps.get(ms);
    if (shared !== undefined) return shared.promise;
    let resolve: (end: SleepEnd) => void = () => {};
    const promise = new Promise<SleepEnd>((settle) => {
      resolve = settle;
    });
    const timer = setTimeout(() => {
      this.#sleeps.delete(ms);
      resolve('timed-out');
      if (this.empty) this.#emptied();
    }, ms);
    this.#sleeps.set(ms, { promise, resolve, timer });
    return promise;
  }

  /** Ends all sleeps. Allocates nothing when nobody sleeps. */
  wakeAll(end: SleepEnd): void {
    if (this.empty) return;
    for (const { timer, resolve } of this.#sleeps.values()) {
      clearTimeout(timer);
      resolve(end);
    }
    this.#sleeps.clear();
    this.#emptied();
  }
}

import { retireFollower } from '../shared/follower-block.ts';
import { type CaughtUp, waitCaughtUp, waitCaughtUpAsync } from '../shared/follower-wait.ts';
import type { WaitOptions } from '../shared/follower.ts';
import type { MonotonicClock } from '../shared/instant.ts';
import { type TickChange, waitForTickChange, waitForTickChangeAsync } from '../shared/tick-wait.ts';
import type { HostRun } from './host-run.ts';

/** What `waitCaughtUp` waits for, and how long. */
export interface CatchUpOptions {
  /** Milliseconds; `Infinity` has no end, 0 looks once. Default 5000. */
  readonly timeoutMs?: number;
  /** The `number` of one follower. Default: all that are open. */
  readonly follower?: number;
}

/** How long a wait for followers is by default, in milliseconds. */
const CATCH_UP_TIMEOUT_MS = 5000;

/** A wait for a tick that somebody else may join. */
interface TickWait {
  readonly run: HostRun;
  readonly tick: number;
  readonly done: Promise<TickChange>;
}

/** The waits of a host, on whichever run is in force when they begin. */
export class HostWaits {
  readonly #run: () => HostRun;
  readonly #clock: MonotonicClock;
  #tickWait: TickWait | undefined;

  constructor(run: () => HostRun, clock: MonotonicClock) {
    this.#run = run;
    this.#clock = clock;
  }

  tickChange(tick: number, timeoutMs: number, options: WaitOptions): Promise<TickChange> {
    const run = this.#run();
    const { region, sequence } = run;
    const { endWhenPaused = false } = options;
    // Whoever asks every frame for the same tick gets the same promise: nothing piles up. With a
    // time-out each is a wait of its own, and ends by it.
    const joins = timeoutMs === Number.POSITIVE_INFINITY && !endWhenPaused;
    const same = this.#tickWait;
    if (joins && same?.run === run && same.tick === tick) return same.done;
    const done = waitForTickChangeAsync(
      region,
      sequence,
      tick,
      timeoutMs,
      this.#clock,
      endWhenPaused,
    );
    if (!joins) return done;
    const wait = { run, tick, done };
    this.#tickWait = wait;
    const forget = (): void => {
      if (this.#tickWait === wait) this.#tickWait = undefined;
    };
    done.then(forget, forget);
    return done;
  }

  tickChangeBlocking(tick: number, timeoutMs: number, options: WaitOptions): TickChange {
    const { region, sequence } = this.#run();
    const { endWhenPaused = false } = options;
    return waitForTickChange(region, sequence, tick, timeoutMs, this.#clock, endWhenPaused);
  }

  caughtUp(options: CatchUpOptions): Promise<CaughtUp> {
    const { region, followed } = this.#run();
    const { follower, timeoutMs = CATCH_UP_TIMEOUT_MS } = options;
    return waitCaughtUpAsync(region, followed, follower, timeoutMs, this.#clock);
  }

  caughtUpBlocking(options: CatchUpOptions): CaughtUp {
    const { region, followed } = this.#run();
    const { follower, timeoutMs = CATCH_UP_TIMEOUT_MS } = options;
    return waitCaughtUp(region, followed, follower, timeoutMs, this.#clock);
  }

  retire(follower: number): boolean {
    return retireFollower(this.#run().region, follower);
  }
}

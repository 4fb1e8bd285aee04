import type { AdvanceResult } from './clock-control.ts';
import type { FollowerStep } from './follower-step.ts';
import type { MonotonicClock } from './instant.ts';

/** Options of `openFollower`. */
export type FollowerOptions = FollowerStep & {
  /**
   * Whether this thread advances the clock when nothing else does; see {@link Follower.drive}. It
   * takes one of the simulation's controls. Default false.
   */
  readonly driveClock?: boolean;
  /** The clock of this thread, for time-outs, alpha and `drive()`; by default the platform's. */
  readonly clock?: MonotonicClock;
  /**
   * The simulation's clock less this thread's, in nanoseconds, as a view's `stats()` has it: for
   * alpha. Needed in a browser's worker alone; the host's thread and Node's threads know it.
   */
  readonly clockOffsetNs?: number;
};

/**
 * Why a wait for a step ended. `due`: `take()` has steps. `epoch-changed`: there was a seek, a
 * reconfigure or a restart, and `take()` will anchor there. `restarted`: another run has taken this
 * one's place, but this thread has not heard of it: it will in its event loop, after which `take()`
 * moves over. `paused` only if that was asked for.
 */
export type StepWaitReason =
  | 'due'
  | 'epoch-changed'
  | 'restarted'
  | 'paused'
  | 'stopped'
  | 'failed'
  | 'timed-out';

/** What a wait ends for, beside what it waits for. */
export interface WaitOptions {
  /** Whether the wait ends when the clock stands: paused, or live at speed 0. Default false. */
  readonly endWhenPaused?: boolean;
}

/** What `drive` came to: an advance, if it was this follower's to make. */
export interface DriveResult extends AdvanceResult {
  /**
   * Who drives: `this` follower's thread, the `simulation`'s own, or `another` follower's. Unless
   * `this`, nothing was advanced: no steps, and `firstTick` is the tick in force.
   */
  readonly driver: 'this' | 'simulation' | 'another';
}

/**
 * Follows a simulation's clock at a step of its own, on any thread: it says which steps fell due,
 * and its host can wait for it. It owes nothing from before it was opened, nor from before a seek,
 * a reconfigure or a restart. What it returns may be stale by then: the clock goes on.
 *
 * Each call of a closed follower but `close` throws STATE_INVALID, and so does each that would
 * write once its host has retired it.
 */
export interface Follower {
  /**
   * Names it to its host, as in `sim.waitCaughtUp({ follower: number })`. A restart leaves it as it
   * is, unless another follower has taken that number in the new run by then.
   */
  readonly number: number;
  /** Quanta a step. */
  readonly period: number;
  /** The tick that was seen by the last `take()`. */
  readonly tick: number;
  /** The epoch that was seen by the last `take()`. */
  readonly epoch: number;
  /**
   * Returns how many steps fell due since the last take: all of them, none is dropped. In a new
   * epoch, and in a new run, it is all that fell due since that began. Throws VALUE_INVALID, and
   * closes the follower, when its step in seconds is no whole number of quanta any more.
   */
  take(): number;
  /** Returns the world tick of step `i`, from 0, of those taken last. Throws VALUE_INVALID. */
  stepTick(i: number): number;
  /**
   * Says that taken steps were run and their results published, the oldest first; by default all.
   * That is what `waitCaughtUp` waits for. Throws VALUE_INVALID for more than were taken.
   */
  markPublished(steps?: number): void;
  /**
   * Returns how far into its step the clock is now, in [0, 1]. While the clock runs by its readings
   * this takes a reading of this thread's; where the two cannot be compared, it counts whole ticks.
   */
  alpha(): number;
  /**
   * Returns how far into its step a moment is: a tick and the clock's alpha beyond it, such as
   * `frame.pairTick` and `frame.alpha` of a view: ((tick mod period) + alpha) / period.
   */
  alphaAt(tick: number, clockAlpha: number): number;
  /**
   * Blocks until a step is due, or says why not; 0 ms looks once, and Infinity, the default, has no
   * end. It wakes when the simulation is stopped, but this thread's event loop stands still
   * meanwhile. Throws CANNOT_BLOCK where the thread may not, VALUE_INVALID for a bad time-out.
   */
  waitForStep(timeoutMs?: number, options?: WaitOptions): StepWaitReason;
  /** Waits as {@link waitForStep} does, without blocking the thread. */
  waitForStepAsync(timeoutMs?: number, options?: WaitOptions): Promise<StepWaitReason>;
  /**
   * Advances the clock by a wall time in seconds, 0 to 10^9; by default by what went by on this
   * thread since the last drive, 0 at first. Only where `driveClock` was given, the simulation was
   * started with `drivenBy: 'host'`, and no other follower drives: the first that asks does, until
   * it closes. Throws STATE_INVALID without `driveClock`, VALUE_INVALID for what is no wall time,
   * COMMAND_REFUSED, and STOPPED or SIMULATION_FAILED when the run has ended.
   */
  drive(wallSeconds?: number): Promise<DriveResult>;
  /**
   * Drives as {@link drive} does, and blocks until that is published, up to 5 s: then TIMED_OUT.
   * Throws CANNOT_BLOCK where the thread may not.
   */
  driveBlocking(wallSeconds?: number): DriveResult;
  /**
   * Gives everything back; a Node thread that ends does so by itself, one that is terminated
   * cannot: its host retires the follower then. Idempotent.
   */
  close(): void;
  [Symbol.dispose](): void;
}

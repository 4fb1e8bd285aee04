import { ClockAlpha } from './clock-alpha.ts';
import { ClockDrive } from './clock-drive.ts';
import { ClockFollower } from './clock-follower.ts';
import { isPaused, readEpoch } from './clock-status.ts';
import { replacedError } from './controller-claim.ts';
import { EscapementError } from './error.ts';
import type {
  DriveResult,
  Follower,
  FollowerOptions,
  StepWaitReason,
  WaitOptions,
} from './follower.ts';
import { claimFollower, type FollowerClaim, type FollowerWriter } from './follower-block.ts';
import { checkFollowerStep } from './follower-step.ts';
import type { RegionHandle, SimulationHandle } from './handle.ts';
import { createInstant, elapsedNs, type Instant, type MonotonicClock } from './instant.ts';
import { forgetOpen, rememberOpen } from './open-ends.ts';
import type { Region } from './region.ts';
import { openSignal } from './region-signal.ts';
import { checkHandle, openRun, RunWatch } from './run-watch.ts';
import type { Signal } from './signal.ts';
import type { SimulationTypes } from './simulation-types.ts';
import { type ClockScope, createSystemClock, isProcessWide } from './system-clock.ts';
import { readTickInto, type TickReading } from './tick-wait.ts';
import { ticksPerStep } from './ticks-per-step.ts';
import { waitUntil, waitUntilAsync } from './wait.ts';
import { HEADER, REGION_STATE } from './words.ts';

/*
 * Threads    any; each follower belongs to one.
 * Memory     claims a follower's block; reads state and the record in force.
 * Ordering   tick and epoch are read as one; `FollowerWriter` orders what is said of them.
 * Progress   taking, marking and alpha never wait and allocate nothing; waits are bounded slices.
 * Invariant  a run's block is claimed before that of the run before it is given back, and a
 *            follower owes nothing from a run, or an epoch, before its own.
 */

/** The most quanta a step may have. */
const PERIOD_MAX = 100_000_000;

/** How often an asynchronous wait looks whether its thread has heard of a restart. */
const RESTART_POLL_MS = 10;

/**
 * Opens a follower of a simulation's clock on this thread, from the handle that `share()` returned.
 * It outlives restarts. Throws FOLLOWERS_EXHAUSTED, with `driveClock` also CONTROLS_EXHAUSTED,
 * LAYOUT_MISMATCH, NOT_SHARED where the simulation would not see it, OPTION_INVALID, and
 * VALUE_INVALID for what is no handle and for a step that is no whole number of quanta.
 */
export function openFollower<T extends SimulationTypes>(
  handle: SimulationHandle<T>,
  options: FollowerOptions,
): Follower {
  return new RegionFollower(checkHandle(handle), checkOptions(options));
}

/** One run's region as this follower uses it. */
interface Attachment {
  readonly run: number;
  readonly region: Region;
  readonly writer: FollowerWriter;
  readonly sequence: Signal;
  readonly drive: ClockDrive | undefined;
}

/** A follower of one simulation's regions, one run after the other; see {@link Follower}. */
export class RegionFollower implements Follower {
  /** How often it started anew: when it was made, and for each epoch and run since. */
  anchorings = 0;
  readonly #options: FollowerOptions;
  readonly #watch: RunWatch;
  readonly #clock: MonotonicClock;
  readonly #alpha: ClockAlpha;
  readonly #taken: TickReading = { tick: 0, epoch: 0 };
  readonly #seen: TickReading = { tick: 0, epoch: 0 };
  readonly #begun: Instant = createInstant();
  readonly #whyNow = (): StepWaitReason | undefined => this.#look();
  readonly #whyNowOrPaused = (): StepWaitReason | undefined => {
    const paused = isPaused(this.#attachment.region);
    return this.#look() ?? (paused ? 'paused' : undefined);
  };
  #attachment: Attachment;
  #core: ClockFollower;
  /** Steps that were taken and not yet published. */
  #openSteps = 0;
  #closed = false;

  constructor(handle: RegionHandle, options: FollowerOptions) {
    this.#options = options;
    this.#watch = new RunWatch(handle.id);
    const { local } = this.#watch;
    this.#clock = options.clock ?? local?.clock ?? createSystemClock(globalThis as ClockScope);
    const known = local?.offsetNs ?? knownOffsetNs(options.clock);
    this.#alpha = new ClockAlpha(this.#clock, options.clockOffsetNs ?? known);
    this.#core = new ClockFollower(options.everyTicks ?? 1);
    try {
      this.#attachment = this.#attach(handle);
    } catch (cause) {
      this.#watch.close();
      throw cause;
    }
    rememberOpen(this);
    this.#anchor(false);
  }

  /** The region of the run that it follows. */
  get region(): Region {
    return this.#attachment.region;
  }

  /** What it sleeps on. */
  get sequence(): Signal {
    return this.#attachment.sequence;
  }

  /** The number of the last boundary that counts as published. */
  get publishedBoundary(): number {
    return this.#core.publishedBoundary;
  }

  /** Its block, for who has to end the claim for this thread. */
  get claim(): FollowerClaim {
    const { number, claim } = this.#attachment.writer;
    return { number, claim };
  }

  get number(): number {
    return this.#attachment.writer.number;
  }

  get period(): number {
    return this.#core.period;
  }

  get tick(): number {
    return this.#taken.tick;
  }

  get epoch(): number {
    return this.#taken.epoch;
  }

  take(): number {
    this.#checkUsable();
    const { region } = this.#follow();
    const taken = readTickInto(region, this.#taken);
    // What has run since a seek, a reconfigure or a restart is owed, and nothing from before it.
    if (taken.epoch !== this.#core.epoch) this.#anchor(true);
    const steps = this.#core.take(taken.tick, taken.epoch);
    this.#openSteps += steps;
    return steps;
  }

  stepTick(i: number): number {
    return this.#core.stepTick(i);
  }

  markPublished(steps: number = this.#openSteps): void {
    this.#checkUsable();
    this.#core.markPublished(steps);
    this.#openSteps -= steps;
    this.#attachment.writer.publish(this.#core.publishedBoundary);
  }

  alpha(): number {
    if (this.#closed) throw closedError();
    this.#alpha.read(this.#attachment.region);
    return this.#core.alpha(this.#alpha.tick, this.#alpha.alpha);
  }

  alphaAt(tick: number, clockAlpha: number): number {
    return this.#core.alpha(tick, clockAlpha);
  }

  waitForStep(timeoutMs: number = Number.POSITIVE_INFINITY, options?: WaitOptions): StepWaitReason {
    this.#checkUsable();
    const { sequence } = this.#attachment;
    const ended = waitUntil(sequence, this.#conditionOf(options), timeoutMs, this.#clock);
    return ended === 'closed' ? this.#lastWord() : ended;
  }

  async waitForStepAsync(
    timeoutMs: number = Number.POSITIVE_INFINITY,
    options?: WaitOptions,
  ): Promise<StepWaitReason> {
    this.#checkUsable();
    const condition = this.#conditionOf(options);
    const begun = this.#clock.read(createInstant());
    for (;;) {
      const { sequence } = this.#attachment;
      const leftMs = timeoutMs - this.#elapsedMs(begun);
      const patienceMs = timeoutMs > 0 ? Math.max(0, leftMs) : timeoutMs;
      const ended = await waitUntilAsync(sequence, condition, patienceMs, this.#clock);
      if (ended === 'closed') return this.#lastWord();
      if (ended !== 'restarted' || !(leftMs > 0)) return ended;
      // The news of the other run is a message: it may come any moment now.
      await sequence.waitAsync(sequence.load(), Math.min(RESTART_POLL_MS, leftMs));
    }
  }

  async drive(wallSeconds?: number): Promise<DriveResult> {
    return this.#driving().drive(wallSeconds);
  }

  driveBlocking(wallSeconds?: number): DriveResult {
    return this.#driving().driveBlocking(wallSeconds);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    forgetOpen(this);
    this.#watch.close();
    detach(this.#attachment, closedError());
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #checkUsable(): void {
    if (this.#closed) throw closedError();
    if (this.#attachment.writer.isHeld) return;
    throw new EscapementError('STATE_INVALID', 'This follower was retired by its host.', {
      fix: 'Retire the followers of threads that were terminated, and no others.',
    });
  }

  #driving(): ClockDrive {
    this.#checkUsable();
    const { drive } = this.#follow();
    if (drive !== undefined) return drive;
    throw new EscapementError('STATE_INVALID', 'This follower does not drive the clock.', {
      fix: 'Open it with `driveClock: true`.',
    });
  }

  #attach(handle: RegionHandle, preferred = 0): Attachment {
    const { driveClock = false } = this.#options;
    const region = openRun(handle, this.#watch, driveClock);
    const writer = claimFollower(region, preferred);
    let drive: ClockDrive | undefined;
    try {
      if (driveClock) drive = new ClockDrive(region, writer.number, this.#clock);
    } catch (cause) {
      writer.release();
      throw cause;
    }
    const sequence = openSignal(region, HEADER.sequence);
    return { run: handle.run, region, writer, sequence, drive };
  }

  /** Moves over to a newer run, if the present one was replaced and the newer one is known. */
  #follow(): Attachment {
    const old = this.#attachment;
    const next = this.#watch.successor(old.region, old.run);
    if (next === undefined) return old;
    this.#attachment = this.#attach(next, old.writer.number);
    detach(old, replacedError());
    this.#anchor(true);
    return this.#attachment;
  }

  /**
   * Starts anew: at the tick in force, or at that with which its epoch began. Closes the follower
   * if its step does not fit any more.
   */
  #anchor(atStart: boolean): void {
    const { region, writer } = this.#attachment;
    const { step } = this.#options;
    const taken = readTickInto(region, this.#taken);
    let found = readEpoch(region);
    while (found !== undefined && found.epoch !== readTickInto(region, taken).epoch) {
      found = readEpoch(region);
    }
    if (found !== undefined && step !== undefined) this.#setPeriod(step, found.quantum);
    this.#core.anchorAt(atStart ? (found?.start ?? 0) : taken.tick, taken.epoch);
    this.#openSteps = 0;
    this.anchorings++;
    writer.anchor(this.#core.period, this.#core.publishedBoundary, taken.epoch);
  }

  #setPeriod(step: number, quantum: Parameters<typeof ticksPerStep>[1]): void {
    try {
      const period = ticksPerStep(step, quantum);
      if (period !== this.#core.period) this.#core = new ClockFollower(period);
    } catch (cause) {
      this.close();
      throw cause;
    }
  }

  #conditionOf(options: WaitOptions | undefined): () => StepWaitReason | undefined {
    return options?.endWhenPaused === true ? this.#whyNowOrPaused : this.#whyNow;
  }

  /** Returns why a wait for a step is over, if it is. */
  #look(): StepWaitReason | undefined {
    if (this.#closed) throw closedError();
    const { region, run } = this.#attachment;
    const state = Atomics.load(region.i32, HEADER.state);
    const replaced = state === REGION_STATE.replaced;
    const moves = replaced && this.#watch.successor(region, run) !== undefined;
    const { tick, epoch } = readTickInto(region, this.#seen);
    if (moves || epoch !== this.#core.epoch) return 'epoch-changed';
    const { period } = this.#core;
    if (Math.floor(tick / period) > Math.floor(this.#taken.tick / period)) return 'due';
    if (state === REGION_STATE.failed) return 'failed';
    if (state === REGION_STATE.stopped) return 'stopped';
    return replaced ? 'restarted' : undefined;
  }

  /** Returns why a wait ended whose signal was closed under it. */
  #lastWord(): StepWaitReason {
    if (this.#closed) throw closedError();
    return this.#look() ?? 'timed-out';
  }

  #elapsedMs(since: Instant): number {
    return elapsedNs(this.#clock.read(this.#begun), since) / 1e6;
  }
}

function detach({ region, writer, sequence, drive }: Attachment, cause: EscapementError): void {
  drive?.release(cause, writer.isHeld);
  writer.release();
  // On memory that is not shared the signal is everybody's.
  if (region.shared) sequence.close();
}

/** Returns 0 where all threads read one clock, as Node's do; undefined where that is not known. */
function knownOffsetNs(clock: MonotonicClock | undefined): number | undefined {
  return clock === undefined && isProcessWide(globalThis as ClockScope) ? 0 : undefined;
}

function checkOptions(options: FollowerOptions): FollowerOptions {
  const { everyTicks } = checkFollowerStep(options);
  const fits = Number.isInteger(everyTicks) && Number(everyTicks) >= 1;
  if (everyTicks !== undefined && !(fits && everyTicks <= PERIOD_MAX)) {
    throw new EscapementError('OPTION_INVALID', '`everyTicks` is not possible.', {
      given: String(everyTicks),
      allowed: `an integer from 1 to ${PERIOD_MAX}`,
      fix: 'Give `step` for a step in seconds.',
    });
  }
  return { ...options };
}

function closedError(): EscapementError {
  return new EscapementError('STATE_INVALID', 'This follower has been closed.', {
    fix: 'Open another one with openFollower.',
  });
}

import type { Anchor } from '../shared/anchor.ts';
import { EscapementError } from '../shared/error.ts';
import {
  compareInstants,
  copyInstant,
  createInstant,
  elapsedNs,
  type Instant,
  type MonotonicClock,
} from '../shared/instant.ts';
import { Log, type SubsystemLog } from '../shared/log.ts';
import type { Rational } from '../shared/rational.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import { WorldClock } from '../shared/world-clock.ts';
import { consoleLog } from './console-log.ts';
import { checkCatchUp, checkTickRate } from './loop-options.ts';

/** What a loop drives: a world with its systems. Called on the loop's thread, inside a frame. */
export interface LoopTarget {
  /** Opens one frame: the guardrails' windows begin. Once a frame, before its ticks. */
  beginFrame(): void;
  /**
   * Returns why the schedule cannot run, SCHEDULE_STALE or another code, or undefined when it can.
   * Asked before each tick; whoever answers logs the fault, the loop does not.
   */
  scheduleFault(): EscapementError | undefined;
  /** Makes one tick, numbered from 1. Throws what a system threw. */
  runTick(tick: number, firstOfFrame: boolean): void;
  /** Closes the frame, after its last tick; not called once something has thrown. */
  endFrame?(): void;
  /** Takes the cost of the ticks, unless the options name another profiler or null. */
  readonly profiler?: LoopProfiler | undefined;
  /** Seconds that one of its ticks stands for; the loop's rate must be one over it. */
  readonly quantum?: { readonly numerator: number; readonly denominator: number } | undefined;
}

/** Takes the cost of ticks; a `Profiler` is one. */
export interface LoopProfiler {
  /** Begins the sample of a tick, and returns whether its time is wanted. */
  beginTick(): boolean;
  /** Takes the whole nanoseconds of a completed tick that was begun, `onTick` not counted. */
  recordTick(ns: number): void;
}

/** Options of a {@link GameLoop}. */
export interface GameLoopOptions {
  /** Ticks a second, 20 to 120; by default what the target's quantum says, else 60. */
  readonly tickRateHz?: number | undefined;
  /** Ticks that one frame runs at most, an integer of at least 1; 5 by default. */
  readonly maxCatchUpTicks?: number | undefined;
  /** The clock to live by; the platform's monotonic one by default. */
  readonly clock?: MonotonicClock | undefined;
  /** Times the ticks for the profiler; the platform's clock by default. */
  readonly timer?: MonotonicClock | undefined;
  /** Called after each completed tick with its number; {@link GameLoop.currentTick} is that too. */
  readonly onTick?: ((tick: number) => void) | undefined;
  /** In place of the target's; null for none. */
  readonly profiler?: LoopProfiler | null | undefined;
  /** Where events go; of a whole log, subsystem `loop`. By default warnings go to the console. */
  readonly log?: Log | SubsystemLog | undefined;
}

/**
 * What became of a frame. `ok`: every due tick ran or was dropped and counted. `schedule-stale` and
 * `schedule-invalid`: the target cannot run, its ticks stay owed. `failed`: something threw, in
 * this frame or an earlier one. `moved` and `stopped`: the loop is over, nothing was touched.
 */
export type LoopStatus =
  | 'ok'
  | 'schedule-stale'
  | 'schedule-invalid'
  | 'failed'
  | 'moved'
  | 'stopped';

/** Counts since the loop was made. */
export interface LoopStats {
  /** Frames that were asked for, also those that failed. */
  readonly frames: number;
  /** Completed ticks. */
  readonly ticks: number;
  /** Due ticks that were forgotten because a frame had more than it may run. */
  readonly droppedTicks: number;
  /** Frames that dropped any. */
  readonly droppedFrames: number;
}

type MutableStats = { -readonly [K in keyof LoopStats]: LoopStats[K] };

/** Everything about a run of ticks that goes along when a loop is moved. */
interface LoopRun {
  readonly clock: WorldClock;
  readonly stats: MutableStats;
  /** The reading of the last frame; never before that of an earlier one. */
  readonly lastReading: Instant;
  lastError: EscapementError | undefined;
  /** Why no tick runs any more. */
  ended: 'failed' | 'moved' | 'stopped' | undefined;
  backwardReadings: number;
  readonly log: SubsystemLog;
  /** The log that was made because none was given. */
  readonly ownLog: Log | undefined;
}

/**
 * Drives a target in whole ticks at a fixed rate, whatever the rate of the frames it is called at:
 * a face on {@link WorldClock} for programs that own their frames, on one thread.
 *
 * Each {@link frame} reads the clock once. The first one sets the start reference and runs nothing;
 * after that floor(elapsed x rate) ticks are due, exact for every slicing into frames. A frame runs
 * at most `maxCatchUpTicks` of those not yet run; the others are forgotten, counted, and told by
 * one `tick_dropped` warning a window of the log. So `maxCatchUpTicks` bounds the work of a frame;
 * it cannot make the simulation run faster.
 *
 * A target whose schedule is at fault runs nothing: the tick count stands still and its ticks stay
 * owed, neither run nor dropped. Each later frame asks again; to go on without the debt, make a new
 * loop. When a system throws, the world is half changed: the tick is not counted, and later frames
 * return `failed` and leave the target alone, for good. When `onTick` throws, the same holds,
 * except that the tick, which was completed, counts.
 *
 * A reading before the last one has no time: the last one is used in its place, and a warning says
 * so. One target has one live loop: two of them would run every tick twice. Target, profiler and
 * log must outlive the loop. A frame without drops and failures allocates nothing.
 */
export class GameLoop {
  /** Ticks a second. */
  readonly tickRateHz: number;
  /** Seconds of a tick, exact. */
  readonly quantum: Rational;
  /** Ticks that one frame runs at most. */
  readonly maxCatchUpTicks: number;

  readonly #target: LoopTarget;
  readonly #options: GameLoopOptions;
  readonly #exact: Rational | undefined;
  readonly #source: MonotonicClock;
  readonly #timer: MonotonicClock;
  readonly #onTick: ((tick: number) => void) | undefined;
  readonly #profiler: LoopProfiler | null | undefined;
  readonly #reading: Instant = createInstant();
  readonly #tickStart: Instant = createInstant();
  #run: LoopRun;
  #inFrame = false;
  /** What of the target or of the options is being called. */
  #calling = '';

  /**
   * Makes a loop whose clock does not run before the first frame. Throws OPTION_INVALID for a rate,
   * then for a catch-up bound out of range, and warns if a log is given. `exact` is a quantum that
   * is right already, whatever rate it makes: a headless run of a definition gives its own.
   */
  constructor(target: LoopTarget, options: GameLoopOptions = {}, exact?: Rational) {
    const { maxCatchUpTicks = 5 } = options;
    const { quantum: targets } = target;
    const own = targets === undefined ? 60 : targets.denominator / targets.numerator;
    const { tickRateHz = own } = options;
    const log = options.log instanceof Log ? options.log.for('loop') : options.log;
    const quantum = exact ?? checkTickRate(tickRateHz, targets, log);
    this.#exact = exact;
    checkCatchUp(maxCatchUpTicks, log);
    this.tickRateHz = tickRateHz;
    this.quantum = quantum;
    this.maxCatchUpTicks = maxCatchUpTicks;
    this.#target = target;
    this.#options = { ...options };
    this.#source = options.clock ?? createSystemClock(globalThis as ClockScope);
    // Not the loop's own: that one is read once a frame, and need not go on within a tick.
    this.#timer = options.timer ?? createSystemClock(globalThis as ClockScope);
    this.#onTick = options.onTick;
    this.#profiler = options.profiler;
    this.#run = createRun(quantum, maxCatchUpTicks, log);
  }

  /** The last completed tick; 0 before the first. */
  get currentTick(): number {
    return this.#run.clock.tick;
  }

  /** The counts, live: the object is the same in every frame. */
  get stats(): LoopStats {
    return this.#run.stats;
  }

  /**
   * The one reading of the last frame, for whatever else needs the time of it; 0 s before the
   * first. Live, and never before the reading of an earlier frame.
   */
  get lastReading(): Readonly<Instant> {
    return this.#run.lastReading;
  }

  /** The reading of the first frame: tick T is due (T + droppedTicks) / tickRateHz after it. */
  get startReference(): Readonly<Instant> | undefined {
    return this.#run.stats.frames === 0 ? undefined : this.#run.clock.startReference;
  }

  /** Why the last frame that was not `ok` was not. */
  get lastError(): EscapementError | undefined {
    return this.#run.lastError;
  }

  /**
   * Runs the ticks that are due now and returns what became of the frame. Throws STATE_INVALID when
   * called from inside a frame. What the clock itself throws passes through, and is no frame.
   */
  frame(): LoopStatus {
    const run = this.#run;
    if (run.ended === 'moved' || run.ended === 'stopped') return run.ended;
    this.#refuseInFrame('frame()');
    this.#read(run);
    run.stats.frames++;
    if (run.ended === 'failed') return 'failed';
    this.#inFrame = true;
    try {
      return this.#advance(run);
    } catch (cause) {
      return this.#fail(run, cause);
    } finally {
      this.#inFrame = false;
    }
  }

  /** Returns alpha at a reading, in [0, 1]; see {@link WorldClock.alphaAt}. Changes nothing. */
  alphaAt(reading: Readonly<Instant>): number {
    return this.#run.clock.alphaAt(reading);
  }

  /**
   * Writes the earliest reading at which a frame would run a tick, and returns true; false before
   * the first frame and when no tick will ever run.
   */
  nextDue(out: Instant): boolean {
    return this.#run.ended === undefined && this.#run.clock.nextDue(out);
  }

  /** Fills an anchor, from which a reader computes alpha by itself. Allocates nothing. */
  anchor(out: Anchor): void {
    this.#run.clock.anchor(out);
  }

  /**
   * Returns a new loop that carries on exactly from here, counts and time reference included. This
   * one is over: its frames return `moved`, read no clock, and touch and log nothing; it reads as
   * one that never ran. Throws STATE_INVALID when called from inside a frame.
   */
  moveOut(): GameLoop {
    this.#refuseInFrame('moveOut()');
    const next = new GameLoop(this.#target, this.#options, this.#exact);
    const spent = next.#run;
    next.#run = this.#run;
    spent.ended = 'moved';
    this.#run = spent;
    return next;
  }

  /**
   * Ends the loop: later frames return `stopped`, read no clock and touch nothing. Inside a frame
   * it is in force before the next tick. What was counted stays readable. Idempotent.
   */
  stop(): void {
    const run = this.#run;
    if (run.ended === 'moved' || run.ended === 'stopped') return;
    run.ended = 'stopped';
    run.ownLog?.close();
  }

  /** Reads the clock, once a frame. */
  #read(run: LoopRun): void {
    const reading = this.#source.read(this.#reading);
    if (run.stats.frames > 0 && compareInstants(reading, run.lastReading) < 0) {
      run.backwardReadings++;
      run.log.warn('clock_backward', 'The clock went back; that frame has no time.', {
        count: run.backwardReadings,
      });
      return;
    }
    copyInstant(run.lastReading, reading);
  }

  #advance(run: LoopRun): LoopStatus {
    const planned = run.clock.plan(run.lastReading);
    this.#calling = 'beginFrame';
    this.#target.beginFrame();
    const status = this.#runTicks(run, planned);
    if (status === 'ok') this.#settle(run);
    this.#calling = 'endFrame';
    this.#target.endFrame?.();
    return status;
  }

  #runTicks(run: LoopRun, planned: number): LoopStatus {
    for (let i = 0; i < planned && run.ended === undefined; i++) {
      this.#calling = 'scheduleFault';
      const fault = this.#target.scheduleFault();
      if (fault !== undefined) {
        run.lastError = fault;
        return fault.code === 'SCHEDULE_STALE' ? 'schedule-stale' : 'schedule-invalid';
      }
      this.#runTick(run, i === 0);
    }
    return run.ended ?? 'ok';
  }

  #runTick(run: LoopRun, firstOfFrame: boolean): void {
    const profiler = this.#profiler === undefined ? this.#target.profiler : this.#profiler;
    const measured = profiler?.beginTick() === true;
    if (measured) this.#timer.read(this.#tickStart);
    this.#calling = 'runTick';
    this.#target.runTick(run.clock.tick + 1, firstOfFrame);
    run.clock.complete();
    run.stats.ticks++;
    if (measured) {
      const end = this.#timer.read(this.#reading);
      this.#calling = 'recordTick';
      profiler?.recordTick(Math.max(0, elapsedNs(end, this.#tickStart)));
    }
    this.#calling = 'onTick';
    this.#onTick?.(run.clock.tick);
  }

  /** Counts what the frame could not run, after it ran what it could. */
  #settle(run: LoopRun): void {
    const dropped = run.clock.settle();
    if (dropped === 0) return;
    run.stats.droppedTicks += dropped;
    run.stats.droppedFrames++;
    run.log.warn('tick_dropped', 'More ticks were due in a frame than it may run.', {
      dropped,
      after_tick: run.clock.tick,
      total_dropped: run.stats.droppedTicks,
      max_catch_up: this.maxCatchUpTicks,
      tick_rate_hz: this.tickRateHz,
    });
  }

  #fail(run: LoopRun, cause: unknown): LoopStatus {
    const { tick } = run.clock;
    const error =
      cause instanceof EscapementError && cause.code === 'SIMULATION_FAILED'
        ? cause
        : new EscapementError('SIMULATION_FAILED', `${this.#calling} threw.`, {
            given: `last completed tick ${tick}`,
            fix: 'Make a new loop over a new world.',
            cause,
          });
    run.lastError = error;
    run.ended ??= 'failed';
    run.log.error('failed', error.message, { tick, calling: this.#calling });
    return 'failed';
  }

  #refuseInFrame(call: string): void {
    if (!this.#inFrame) return;
    throw new EscapementError('STATE_INVALID', `${call} was called from inside a frame.`, {
      fix: 'Call it between frames, not from a system or from onTick.',
    });
  }
}

function createRun(
  quantum: Rational,
  maxTicksPerAdvance: number,
  given: SubsystemLog | undefined,
): LoopRun {
  const lastReading = createInstant();
  // The time of this log is the frames': no clock is read for it.
  const nowMs = (): number => lastReading.seconds * 1000 + lastReading.nanos / 1e6;
  const ownLog = given === undefined ? consoleLog(nowMs) : undefined;
  return {
    clock: new WorldClock({ quantum, maxTicksPerAdvance }),
    stats: { frames: 0, ticks: 0, droppedTicks: 0, droppedFrames: 0 },
    lastReading,
    lastError: undefined,
    ended: undefined,
    backwardReadings: 0,
    log: given ?? (ownLog as Log).for('loop'),
    ownLog,
  };
}

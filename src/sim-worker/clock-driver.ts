import type { AdvanceResult, ClockConfig, ClockReadout } from '../shared/clock-control.ts';
import { type ClockMeasures, createClockMeasures } from '../shared/clock-measures.ts';
import type { ClockMode, ClockOptions } from '../shared/clock-options.ts';
import { EscapementError } from '../shared/error.ts';
import type { FollowerStep } from '../shared/follower-step.ts';
import { createInstant, elapsedNs, type Instant, type MonotonicClock } from '../shared/instant.ts';
import { givenQuantum, type Rational } from '../shared/rational.ts';
import { SPEED_MAX } from '../shared/speed.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import { WorldClock } from '../shared/world-clock.ts';
import { DriverFollower } from './driver-follower.ts';

/** Options of a {@link ClockDriver}. */
export interface ClockDriverOptions extends ClockConfig {
  /** Makes a tick, named by its number; the tick counts once it returns. */
  readonly onTick?: ((tick: number) => void) | undefined;
  /** The clock that an advance without a delta reads; the platform's monotonic one by default. */
  readonly clock?: MonotonicClock | undefined;
}

type MutableResult = { -readonly [K in keyof AdvanceResult]: AdvanceResult[K] };

/** What a tick of the present advance may be stopped by. */
type Pace = 'owed' | 'lockstep' | 'counted';

/** The quantum unless an option says otherwise, in seconds. */
const QUANTUM: Rational = Object.freeze({ numerator: 1, denominator: 120 });

/**
 * Drives a world clock from one thread: a frame loop, a headless harness or a test calls it, and
 * nothing runs in between. It is the one driver; whoever only wants to know how many steps fell due
 * {@link follow}s it.
 *
 * An advance is by a given wall time, or by what the clock says: then it is read once, the time
 * since the last such advance counts, and the first one has none; after an advance by a given time
 * neither has the next one. Time goes by in advances only: what is set while the clock runs holds
 * from the last advance on. While it stands still no time counts, and letting it go on reads the
 * clock, if it ever was read.
 *
 * Defaults: live, a quantum of 1/120 s, speed 1, a cap of 8 that does not scale, 1 lockstep step.
 * Advances allocate nothing: each returns the same result object, which the next one overwrites.
 */
export class ClockDriver implements ClockReadout {
  readonly #clock: WorldClock;
  readonly #source: MonotonicClock;
  readonly #onTick: ((tick: number) => void) | undefined;
  readonly #result: MutableResult = { firstTick: 0, steps: 0, dropped: 0, alpha: 0 };
  readonly #reading: Instant = createInstant();
  /** The latest reading. */
  readonly #last: Instant = createInstant();
  readonly #measures: ClockMeasures = createClockMeasures();
  /**
   * What is read every frame and changes seldom. They begin as undefined so that the engine keeps
   * the number itself here, rather than making it again for each who asks.
   */
  #speed: number | undefined = undefined;
  #fixedDt: number | undefined = undefined;
  #measured = false;
  #epochStart = 0;
  #inTick = false;

  /** Throws OPTION_INVALID for options out of range. */
  constructor(options: ClockDriverOptions = {}) {
    const { onTick, clock, speed, mode, lockstepSteps } = options;
    const { maxTicksPerAdvance, capScalesWithRate } = options;
    this.#clock = new WorldClock({
      quantum: givenQuantum(options) ?? QUANTUM,
      speed,
      maxTicksPerAdvance,
      capScalesWithRate,
      lockstepSteps,
      mode,
    });
    this.#onTick = onTick;
    this.#source = clock ?? createSystemClock(globalThis as ClockScope);
    this.#show();
  }

  /** The last completed tick. */
  get tick(): number {
    return this.#clock.tick;
  }

  /** 1, and one more after each configure and each seek: ticks compare within one epoch. */
  get epoch(): number {
    return this.#clock.epoch;
  }

  /** The tick at which the present epoch began. */
  get epochStart(): number {
    return this.#epochStart;
  }

  /** World seconds: tick x quantum, never added up. */
  get time(): number {
    return this.#measures.worldTime;
  }

  /** Seconds of one quantum, exact. */
  get quantum(): Rational {
    return this.#clock.quantum;
  }

  /** Seconds of one quantum. */
  get fixedDt(): number {
    return this.#fixedDt as number;
  }

  /** What makes quanta run. */
  get mode(): ClockMode {
    return this.#clock.mode;
  }

  /** World seconds asked for a wall second. */
  get speed(): number {
    return this.#speed as number;
  }

  /** Quanta that each advance runs in lockstep. */
  get lockstepSteps(): number {
    return this.#clock.lockstepSteps;
  }

  /** Quanta that the stall cap discarded, since the last configure. */
  get dropped(): number {
    return this.#clock.ticksDropped;
  }

  /** World seconds got a wall second; see {@link WorldClock.realizedSpeed}. */
  get realizedSpeed(): number {
    return this.#measures.realizedSpeed;
  }

  /** How far the clock is into the next quantum, in [0, 1], as of the last advance. */
  get alpha(): number {
    return this.#measures.alpha;
  }

  /** Whether wall time turns into ticks. */
  get running(): boolean {
    return this.#clock.running;
  }

  /**
   * Runs the quanta that `wallSeconds` make due, or the time since the last reading of the clock,
   * at most the cap; in lockstep its steps. What a tick throws passes on: that tick is not
   * completed, and it and those after it stay owed, except in lockstep. Throws VALUE_INVALID for a
   * delta that is negative, not finite or above 10^9 s, and STATE_INVALID from inside a tick.
   */
  advance(wallSeconds?: number): AdvanceResult {
    this.#refuseInTick('advance()');
    const planned =
      wallSeconds === undefined ? this.#planMeasured() : this.#clock.planDelta(wallSeconds);
    return this.#run(planned, this.#clock.mode === 'lockstep' ? 'lockstep' : 'owed');
  }

  /**
   * Runs exactly `count` quanta, in any mode and whatever the cap. Throws VALUE_INVALID unless it
   * is an integer of at least 0, and STATE_INVALID from inside a tick.
   */
  advanceTicks(count: number): AdvanceResult {
    this.#refuseInTick('advanceTicks()');
    return this.#run(this.#clock.planTicks(count), 'counted');
  }

  /** Runs exactly one quantum, in any mode. Throws STATE_INVALID from inside a tick. */
  stepOnce(): AdvanceResult {
    this.#refuseInTick('stepOnce()');
    return this.#run(this.#clock.planTicks(1), 'counted');
  }

  /**
   * Goes to a tick, in any mode, and starts a new epoch there: alpha is 0, nothing is owed, nothing
   * counts as dropped. Throws VALUE_INVALID for what is no tick, and STATE_INVALID from inside one.
   */
  seekTick(tick: number): void {
    this.#refuseInTick('seekTick()');
    this.#clock.seekTick(tick, this.#controlTime());
    this.#epochStart = tick;
    this.#show();
  }

  /**
   * Restarts at tick 0 in a new epoch, with what is given changed and the rest kept. Throws
   * OPTION_INVALID and changes nothing for options out of range, STATE_INVALID from inside a tick.
   */
  configure(config: ClockConfig): void {
    this.#refuseInTick('configure()');
    const { speed, mode, lockstepSteps, maxTicksPerAdvance, capScalesWithRate } = config;
    const changes: Partial<ClockOptions> = {
      speed,
      mode,
      lockstepSteps,
      maxTicksPerAdvance,
      capScalesWithRate,
    };
    const quantum = givenQuantum(config);
    this.#clock.reconfigure(
      quantum === undefined ? changes : { ...changes, quantum },
      this.#controlTime(),
    );
    this.#epochStart = 0;
    this.#show();
  }

  /** Enters a mode, before the next tick. Throws OPTION_INVALID for what is no mode. */
  setMode(mode: ClockMode): void {
    this.#clock.setMode(mode, this.#controlTime());
    this.#show();
  }

  /** Halts the clock before the next tick; alpha stays where it is. */
  pause(): void {
    this.setMode('paused');
  }

  /** Lets the clock go on, live, from where it was halted. */
  resume(): void {
    this.setMode('live');
  }

  /**
   * Sets world seconds a wall second: the nearest fraction with a denominator up to 1000; 0 stands
   * still. Throws VALUE_INVALID and keeps the old one for what is no speed.
   */
  setSpeed(speed: number): void {
    if (this.#clock.setSpeed(speed, this.#controlTime())) {
      this.#show();
      return;
    }
    throw new EscapementError('VALUE_INVALID', 'A clock cannot run at that speed.', {
      given: String(speed),
      allowed: `0 to ${SPEED_MAX} world seconds a wall second, up to 400000 quanta a second`,
      fix: 'Use 1 for real time, 0 to stand still.',
    });
  }

  /** Sets the quanta of an advance in lockstep, from the next one on. Throws OPTION_INVALID. */
  setLockstepSteps(steps: number): void {
    this.#clock.setLockstepSteps(steps);
  }

  /** Sets the stall cap, from the next advance on. Throws OPTION_INVALID. */
  setCap(maxTicksPerAdvance: number, capScalesWithRate?: boolean): void {
    this.#clock.setCap(maxTicksPerAdvance, capScalesWithRate);
  }

  /**
   * Makes a follower of `everyTicks` quanta, or of `step` seconds, that owes nothing from before.
   * Throws OPTION_INVALID unless exactly one is given, and VALUE_INVALID for a step that is no
   * whole number of quanta.
   */
  follow(options: FollowerStep): DriverFollower {
    return new DriverFollower(this, options);
  }

  #planMeasured(): number {
    const clock = this.#clock;
    const wallNs = this.#measured ? this.#read() : this.#readFirst();
    const planned = clock.plan(this.#last);
    return clock.mode === 'lockstep' ? clock.planDelta(wallNs / 1e9) : planned;
  }

  /** Reads the clock, and returns the nanoseconds since the last reading; it never goes back. */
  #read(): number {
    this.#source.read(this.#reading);
    const wallNs = elapsedNs(this.#reading, this.#last);
    if (wallNs < 0) return 0;
    this.#last.seconds = this.#reading.seconds;
    this.#last.nanos = this.#reading.nanos;
    return wallNs;
  }

  #readFirst(): number {
    this.#measured = true;
    this.#source.read(this.#last);
    return 0;
  }

  /** The reading at which the clock is told something: time goes by in advances only. */
  #controlTime(): Instant {
    if (this.#measured && !this.#clock.running) this.#read();
    return this.#last;
  }

  #run(planned: number, pace: Pace): AdvanceResult {
    const clock = this.#clock;
    const result = this.#result;
    result.firstTick = clock.tick;
    let steps = 0;
    for (; steps < planned && this.#goesOn(pace); steps++) this.#runTick();
    result.steps = steps;
    result.dropped = clock.settle();
    clock.measure(this.#measures, this.#last);
    result.alpha = this.#measures.alpha;
    return result;
  }

  /** Shows what the clock was told. */
  #show(): void {
    const { quantum, speed } = this.#clock;
    this.#fixedDt = quantum.numerator / quantum.denominator;
    this.#speed = speed;
    this.#clock.measure(this.#measures, this.#last);
  }

  /** A tick may have halted the clock; what was counted out runs all the same. */
  #goesOn(pace: Pace): boolean {
    if (pace === 'counted') return true;
    return pace === 'owed' ? this.#clock.running : this.#clock.mode === 'lockstep';
  }

  #runTick(): void {
    this.#inTick = true;
    try {
      this.#onTick?.(this.#clock.tick + 1);
    } catch (error) {
      this.#clock.measure(this.#measures, this.#last);
      throw error;
    } finally {
      this.#inTick = false;
    }
    this.#clock.complete();
    const { numerator, denominator } = this.#clock.quantum;
    this.#measures.worldTime = (this.#clock.tick * numerator) / denominator;
  }

  #refuseInTick(call: string): void {
    if (!this.#inTick) return;
    throw new EscapementError('STATE_INVALID', `${call} was called from inside a tick.`, {
      fix: 'Call it between advances; inside a tick set the mode or the speed.',
    });
  }
}

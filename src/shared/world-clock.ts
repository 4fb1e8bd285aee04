import type { Anchor } from './anchor.ts';
import { assert } from './assert.ts';
import {
  checkCap,
  checkDelta,
  checkMode,
  checkTickCount,
  type ClockMode,
  type ClockOptions,
  resolveClockOptions,
} from './clock-options.ts';
import { copyInstant, createInstant, elapsedNs, type Instant } from './instant.ts';
import type { Rational } from './rational.ts';
import { effectiveRate, resolveSpeed } from './speed.ts';
import { SpeedMeter } from './speed-meter.ts';
import { TimeBank } from './time-bank.ts';

/**
 * The clock core: readings or deltas in, whole ticks out. It reads no clock and runs no tick
 * itself.
 *
 * One advance is `plan`, then `complete` after each tick that succeeded, then `settle`. A tick that
 * failed is not completed and the advance not settled: its demand is found again by the next plan.
 *
 * While speed and mode stay, tick T is due at startReference + (T + ticksDropped) x quantum. The
 * clock stands still unless it is {@link running}: mode `live` and a speed above 0. Mode and speed
 * are independent: `setSpeed(0)` stops a live clock and leaves it live, `resume` does not raise a
 * speed of 0, and a speed set while paused holds from the resume on. Standing still keeps the
 * phase: alpha stays what it was at the reading of the halt, and goes on from there. Owed quanta
 * stay owed.
 *
 * Readings and deltas mix: a given delta goes on from the phase at the last reading, and the time
 * from there to the next reading counts for nothing.
 *
 * A reading before the last one has no time: the last one is used in its place, and it is counted.
 * Only the first `plan` starts the clock: readings given to other methods before it are ignored.
 */
export class WorldClock {
  /** The first reading that was planned at; since the last reconfigure, the reading of that. */
  readonly startReference: Instant = createInstant();
  #quantum: Rational;
  #speed: Rational;
  /** Ticks a wall second; at speed 0 still that of the speed before. */
  #rate: Rational;
  #mode: ClockMode;
  #cap: number;
  #capScalesWithRate: boolean;
  #tick = 0;
  #epoch = 1;
  #ticksDropped = 0;
  #backwardReadings = 0;
  #firstTick = 0;
  /** Ticks of the present advance that may still be completed. */
  #planned = 0;
  /** Whether they were counted out rather than due. */
  #counted = false;
  /** Quanta owed beyond the cap: {@link settle} forgets them. */
  #excess = 0;
  #started = false;
  /** The latest reading; no reading is ever taken before it. */
  readonly #lastReading: Instant = createInstant();
  /** The reading at which the clock was halted. */
  readonly #heldAt: Instant = createInstant();
  readonly #bank: TimeBank;
  readonly #meter: SpeedMeter = new SpeedMeter();

  /** Throws OPTION_INVALID for options out of range. */
  constructor(options: ClockOptions) {
    const resolved = resolveClockOptions(options);
    this.#quantum = resolved.quantum;
    this.#speed = resolved.speed;
    this.#rate = resolved.rate;
    this.#mode = resolved.mode;
    this.#cap = resolved.maxTicksPerAdvance;
    this.#capScalesWithRate = resolved.capScalesWithRate;
    this.#bank = new TimeBank(this.#rate);
  }

  /** Seconds of one quantum, exact. */
  get quantum(): Rational {
    return this.#quantum;
  }

  /** Completed quanta in this epoch. */
  get tick(): number {
    return this.#tick;
  }

  /** 1, and one more after each reconfigure. */
  get epoch(): number {
    return this.#epoch;
  }

  /** World seconds: tick x quantum. */
  get worldTime(): number {
    return (this.#tick * this.#quantum.numerator) / this.#quantum.denominator;
  }

  /** Quanta forgotten because of the cap, in this epoch. */
  get ticksDropped(): number {
    return this.#ticksDropped;
  }

  /** Readings that lay before an earlier one. */
  get backwardReadings(): number {
    return this.#backwardReadings;
  }

  /** The tick before the present advance: its quanta are this plus 1, plus 2, and so on. */
  get firstTick(): number {
    return this.#firstTick;
  }

  /** What makes quanta run. */
  get mode(): ClockMode {
    return this.#mode;
  }

  /** World seconds asked for a wall second. */
  get speed(): number {
    return this.#speed.numerator / this.#speed.denominator;
  }

  /** The cap of one advance, before it is scaled. */
  get maxTicksPerAdvance(): number {
    return this.#cap;
  }

  /** Whether wall time turns into ticks. */
  get running(): boolean {
    return this.#mode === 'live' && this.#speed.numerator > 0;
  }

  /** Begins an advance at a reading. Returns the ticks to run now, at most the cap. */
  plan(now: Instant): number {
    this.#begin();
    if (!this.#started) this.#start(now);
    else if (!this.#observe(now)) return 0;
    if (!this.running) return 0;
    return this.#demand(this.#bank.owedAt(this.#lastReading, this.#rate));
  }

  /**
   * Begins an advance by a given wall time in seconds. Returns the ticks to run now, at most the
   * cap. Standing still, the delta counts for nothing. Throws VALUE_INVALID for a delta that is
   * negative, not finite or above 10^9 s.
   */
  planDelta(wallSeconds: number): number {
    checkDelta(wallSeconds);
    this.#begin();
    if (!this.running) return 0;
    this.#meter.elapse(wallSeconds * 1e9);
    return this.#demand(this.#bank.deposit(wallSeconds, this.#lastReading, this.#rate));
  }

  /**
   * Begins an advance of exactly `count` quanta, in any mode and whatever the cap. The phase stays:
   * alpha is the same before and after. Throws VALUE_INVALID unless `count` is an integer of at
   * least 0.
   */
  planTicks(count: number): number {
    checkTickCount(count);
    this.#begin();
    this.#counted = true;
    this.#planned = count;
    return count;
  }

  /** Counts one planned tick as completed. */
  complete(): void {
    assert(this.#planned > 0, 'only a planned tick is completed');
    this.#planned--;
    this.#tick++;
    if (!this.#counted) this.#bank.spend(1);
  }

  /**
   * Ends an advance: forgets what was owed beyond the cap, and returns how many quanta that were.
   */
  settle(): number {
    const dropped = this.#excess;
    this.#excess = 0;
    if (dropped > 0) {
      this.#bank.spend(dropped);
      this.#ticksDropped += dropped;
    }
    this.#meter.close(this.#tick, this.#quantum);
    return dropped;
  }

  /** Halts the clock before the next tick. In force at once, within an advance too. */
  pause(now: Instant): void {
    this.setMode('paused', now);
  }

  /** Lets the clock go on, live, from the phase at which it was halted. */
  resume(now: Instant): void {
    this.setMode('live', now);
  }

  /** Enters a mode at a reading. Throws OPTION_INVALID for a mode that does not exist. */
  setMode(mode: ClockMode, now: Instant): void {
    checkMode(mode);
    if (this.#started) this.#observe(now);
    this.#change(mode, this.#speed);
  }

  /**
   * Sets the speed from a reading on: the nearest fraction with a denominator up to 1000. Alpha
   * goes on from where it is, to within the nanosecond that its anchor is rounded to. Returns false
   * and changes nothing for what {@link resolveSpeed} refuses.
   */
  setSpeed(value: number, now: Instant): boolean {
    const speed = resolveSpeed(value, this.#quantum);
    if (speed === undefined) return false;
    if (this.#started) this.#observe(now);
    this.#change(this.#mode, speed);
    return true;
  }

  /** Sets the cap, from the next advance on. Throws OPTION_INVALID. */
  setCap(maxTicksPerAdvance: number, capScalesWithRate: boolean = this.#capScalesWithRate): void {
    this.#cap = checkCap(maxTicksPerAdvance);
    this.#capScalesWithRate = capScalesWithRate;
  }

  /**
   * Starts a new epoch at tick 0 and this reading, with what is given changed and the rest kept.
   * Throws OPTION_INVALID and changes nothing for options out of range.
   */
  reconfigure(options: Partial<ClockOptions>, now: Instant): void {
    const resolved = resolveClockOptions({
      quantum: options.quantum ?? this.#quantum,
      speed: options.speed ?? this.speed,
      maxTicksPerAdvance: options.maxTicksPerAdvance ?? this.#cap,
      capScalesWithRate: options.capScalesWithRate ?? this.#capScalesWithRate,
      mode: options.mode ?? this.#mode,
    });
    if (this.#started) this.#observe(now);
    this.#quantum = resolved.quantum;
    this.#speed = resolved.speed;
    this.#rate = resolved.rate;
    this.#mode = resolved.mode;
    this.#cap = resolved.maxTicksPerAdvance;
    this.#capScalesWithRate = resolved.capScalesWithRate;
    this.#epoch++;
    this.#tick = 0;
    this.#ticksDropped = 0;
    this.#begin();
    this.#meter.reset();
    copyInstant(this.startReference, this.#lastReading);
    copyInstant(this.#heldAt, this.#lastReading);
    this.#bank.start(this.#lastReading, this.#rate);
  }

  /** Fills an anchor with the present state. Allocates nothing. */
  anchor(out: Anchor): void {
    const running = this.running && this.#started && !this.#bank.byDeltas;
    out.tick = this.#tick;
    out.epoch = this.#epoch;
    out.running = running;
    out.quantumWallNs =
      this.#speed.numerator === 0
        ? Number.POSITIVE_INFINITY
        : (this.#rate.denominator * 1e9) / this.#rate.numerator;
    out.alpha = 0;
    out.alphaNumerator = 0;
    out.alphaDenominator = 1;
    if (running) {
      this.#bank.anchor(out);
      return;
    }
    out.due.seconds = 0;
    out.due.nanos = 0;
    out.dueFraction = 0;
    if (this.#tick === 0) return;
    const { numerator, denominator } = this.#bank.measure(this.#heldAt);
    out.alpha = numerator / denominator;
    out.alphaNumerator = numerator;
    out.alphaDenominator = denominator;
  }

  /**
   * Returns alpha at a reading, in [0, 1]: an exact fraction of integers, rounded once (of given
   * deltas: to 2^-52). Before the first completed tick 0; standing still or by deltas, the reading
   * does not matter. Changes nothing.
   */
  alphaAt(now: Instant): number {
    if (this.#tick === 0) return 0;
    const { numerator, denominator } = this.#bank.measure(
      this.running && this.#started ? now : this.#heldAt,
    );
    return numerator / denominator;
  }

  /**
   * Writes the earliest reading at which {@link plan} would return at least 1, and returns true;
   * false when nothing becomes due by readings: standing still, by deltas, or before the first
   * plan.
   */
  nextDue(out: Instant): boolean {
    if (!this.running || !this.#started || this.#bank.byDeltas) return false;
    this.#bank.nextDue(out, this.#lastReading);
    return true;
  }

  /**
   * Returns the world seconds simulated a wall second over the last full window of at least 0.5 s
   * in which the clock ran, given deltas counted as wall time. NaN before the first window; 0 while
   * standing still. Dropped quanta do not count.
   */
  realizedSpeed(): number {
    return this.running ? this.#meter.value : 0;
  }

  #begin(): void {
    this.#firstTick = this.#tick;
    this.#planned = 0;
    this.#counted = false;
    this.#excess = 0;
  }

  #start(now: Instant): void {
    this.#started = true;
    copyInstant(this.startReference, now);
    copyInstant(this.#lastReading, now);
    copyInstant(this.#heldAt, now);
    if (!this.#bank.byDeltas) this.#bank.start(now, this.#rate);
  }

  /** Takes a reading in. Returns false, and counts it, if it lies before the last one. */
  #observe(now: Instant): boolean {
    const wallNs = elapsedNs(now, this.#lastReading);
    if (wallNs < 0) {
      this.#backwardReadings++;
      return false;
    }
    if (this.running && !this.#bank.byDeltas) this.#meter.elapse(wallNs);
    copyInstant(this.#lastReading, now);
    return true;
  }

  #demand(owed: number): number {
    let cap = this.#cap;
    if (this.#capScalesWithRate) cap *= Math.max(1, Math.ceil(this.speed));
    this.#planned = Math.min(owed, cap);
    this.#excess = owed - this.#planned;
    return this.#planned;
  }

  /** Changes mode and speed at the last reading; the phase stays. */
  #change(mode: ClockMode, speed: Rational): void {
    const ran = this.running;
    this.#mode = mode;
    this.#speed = speed;
    if (speed.numerator > 0) this.#rate = effectiveRate(this.#quantum, speed);
    if (this.running) {
      const from = ran ? this.#lastReading : this.#heldAt;
      this.#bank.continueFrom(from, this.#lastReading, this.#rate);
      if (!ran) this.#meter.restart(this.#tick);
    } else if (ran) copyInstant(this.#heldAt, this.#lastReading);
  }
}

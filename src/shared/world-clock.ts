import { Advance } from './advance.ts';
import type { Anchor } from './anchor.ts';
import type { ClockMeasures } from './clock-measures.ts';
import {
  changeClockOptions,
  checkCap,
  checkDelta,
  checkLockstepSteps,
  checkMode,
  checkTick,
  checkTickCount,
  type ClockMode,
  type ClockOptions,
  type ClockSettings,
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
 * While speed and mode stay, tick T is due at startReference + (T + ticksDropped) x quantum; after
 * a seek the time counts from that. The clock stands still unless it is {@link running}: mode
 * `live` and a speed above 0. Mode and speed are independent: `setSpeed(0)` stops a live clock and
 * leaves it live, `resume` does not raise a speed of 0, and a speed set while paused holds from the
 * resume on. Standing still keeps the phase: alpha stays what it was at the reading of the halt,
 * and goes on from there. Owed quanta stay owed.
 *
 * In `lockstep` each advance by a delta runs `lockstepSteps` quanta: neither the delta nor the
 * speed nor the cap matters, nothing is owed or dropped, and a failed tick is not asked for again.
 * A reading runs nothing there: a wake-up is no advance. In `replay` only counted quanta run.
 * Entering lockstep and leaving replay empty the bank: alpha is 0, and what was owed is forgotten
 * without being counted as dropped.
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
  #settings: ClockSettings;
  #tick = 0;
  #epoch = 1;
  #ticksDropped = 0;
  #backwardReadings = 0;
  #started = false;
  /** The latest reading; no reading is ever taken before it. */
  readonly #lastReading: Instant = createInstant();
  /** The reading at which the clock was halted. */
  readonly #heldAt: Instant = createInstant();
  readonly #bank: TimeBank;
  readonly #advance: Advance = new Advance();
  readonly #meter: SpeedMeter = new SpeedMeter();

  /** Throws OPTION_INVALID for options out of range. */
  constructor(options: ClockOptions) {
    this.#settings = resolveClockOptions(options);
    this.#bank = new TimeBank(this.#settings.rate);
  }

  /** Seconds of one quantum, exact. */
  get quantum(): Rational {
    return this.#settings.quantum;
  }

  /** The last completed tick: quanta completed since tick 0, or since the tick sought last. */
  get tick(): number {
    return this.#tick;
  }

  /** 1, and one more after each reconfigure and each seek: ticks compare within one epoch. */
  get epoch(): number {
    return this.#epoch;
  }

  /** World seconds: tick x quantum. */
  get worldTime(): number {
    const { numerator, denominator } = this.#settings.quantum;
    return (this.#tick * numerator) / denominator;
  }

  /** Quanta forgotten because of the cap, since the last reconfigure. */
  get ticksDropped(): number {
    return this.#ticksDropped;
  }

  /** Readings that lay before an earlier one. */
  get backwardReadings(): number {
    return this.#backwardReadings;
  }

  /** The tick before the present advance: its quanta are this plus 1, plus 2, and so on. */
  get firstTick(): number {
    return this.#advance.firstTick;
  }

  /** What makes quanta run. */
  get mode(): ClockMode {
    return this.#settings.mode;
  }

  /** World seconds asked for a wall second. */
  get speed(): number {
    const { numerator, denominator } = this.#settings.speed;
    return numerator / denominator;
  }

  /** The cap of one advance, before it is scaled. */
  get maxTicksPerAdvance(): number {
    return this.#settings.maxTicksPerAdvance;
  }

  /** Quanta that each advance by a delta runs in lockstep. */
  get lockstepSteps(): number {
    return this.#settings.lockstepSteps;
  }

  /** Whether wall time turns into ticks. */
  get running(): boolean {
    return this.#settings.mode === 'live' && this.#settings.speed.numerator > 0;
  }

  /**
   * Begins an advance at a reading. Returns the ticks to run now, at most the cap; 0 unless the
   * clock is {@link running}.
   */
  plan(now: Instant): number {
    this.#advance.begin(this.#tick);
    if (!this.#started) this.#start(now);
    else if (!this.#observe(now)) return 0;
    if (!this.running) return 0;
    return this.#demand(this.#bank.owedAt(this.#lastReading, this.#settings.rate));
  }

  /**
   * Begins an advance by a given wall time in seconds. Returns the ticks to run now: in lockstep
   * its steps, else at most the cap. Standing still, the delta counts for nothing. Throws
   * VALUE_INVALID for a delta that is negative, not finite or above 10^9 s.
   */
  planDelta(wallSeconds: number): number {
    checkDelta(wallSeconds);
    this.#advance.begin(this.#tick);
    const { mode, rate, lockstepSteps } = this.#settings;
    if (mode === 'lockstep') {
      this.#meter.elapseSeconds(wallSeconds);
      return this.#advance.planCounted(lockstepSteps);
    }
    if (!this.running) return 0;
    this.#meter.elapseSeconds(wallSeconds);
    return this.#demand(this.#bank.deposit(wallSeconds, this.#lastReading, rate));
  }

  /**
   * Begins an advance of exactly `count` quanta, in any mode and whatever the cap. The phase stays:
   * alpha is the same before and after. Throws VALUE_INVALID unless `count` is an integer of at
   * least 0.
   */
  planTicks(count: number): number {
    checkTickCount(count);
    this.#advance.begin(this.#tick);
    return this.#advance.planCounted(count);
  }

  /** Counts one planned tick as completed. */
  complete(): void {
    const owed = this.#advance.complete();
    this.#tick++;
    if (owed) this.#bank.spend(1);
  }

  /**
   * Ends an advance: forgets what was owed beyond the cap, and returns how many quanta that were.
   */
  settle(): number {
    const dropped = this.#advance.takeExcess();
    if (dropped > 0) {
      this.#bank.spend(dropped);
      this.#ticksDropped += dropped;
    }
    this.#meter.close(this.#tick, this.#settings.quantum);
    return dropped;
  }

  /** Halts the clock before the next tick. In force at once, within an advance too. */
  pause(now: Instant): void {
    this.setMode('paused', now);
  }

  /** Lets the clock go on, live, from the phase at which it was halted; see {@link setMode}. */
  resume(now: Instant): void {
    this.setMode('live', now);
  }

  /**
   * Enters a mode at a reading. The phase stays, except that entering lockstep and leaving replay
   * empty the bank. Throws OPTION_INVALID for a mode that does not exist.
   */
  setMode(mode: ClockMode, now: Instant): void {
    checkMode(mode);
    if (this.#started) this.#observe(now);
    this.#change(mode, this.#settings.speed, this.#settings.rate);
  }

  /**
   * Sets the speed from a reading on: the nearest fraction with a denominator up to 1000. Alpha
   * goes on from where it is, to within the nanosecond that its anchor is rounded to. Returns false
   * and changes nothing for what {@link resolveSpeed} refuses.
   */
  setSpeed(value: number, now: Instant): boolean {
    const { quantum, mode, rate } = this.#settings;
    const speed = resolveSpeed(value, quantum);
    if (speed === undefined) return false;
    if (this.#started) this.#observe(now);
    this.#change(mode, speed, speed.numerator > 0 ? effectiveRate(quantum, speed) : rate);
    return true;
  }

  /** Sets the cap, from the next advance on. Throws OPTION_INVALID. */
  setCap(maxTicksPerAdvance: number, capScalesWithRate?: boolean): void {
    this.#settings.maxTicksPerAdvance = checkCap(maxTicksPerAdvance);
    this.#settings.capScalesWithRate = capScalesWithRate ?? this.#settings.capScalesWithRate;
  }

  /** Sets the quanta of an advance in lockstep, from the next one on. Throws OPTION_INVALID. */
  setLockstepSteps(lockstepSteps: number): void {
    this.#settings.lockstepSteps = checkLockstepSteps(lockstepSteps);
  }

  /**
   * Goes to a tick at a reading, in any mode, and starts a new epoch there: the tick is due at that
   * reading, alpha is 0, and what was owed or planned is forgotten, not dropped. Throws
   * VALUE_INVALID unless `tick` is a safe integer of at least 0.
   */
  seekTick(tick: number, now: Instant): void {
    checkTick(tick);
    if (this.#started) this.#observe(now);
    this.#enter(tick);
    this.#meter.restart(tick);
  }

  /**
   * Starts a new epoch at tick 0 and this reading, with what is given changed and the rest kept.
   * Throws OPTION_INVALID and changes nothing for options out of range.
   */
  reconfigure(options: Partial<ClockOptions>, now: Instant): void {
    const settings = changeClockOptions(this.#settings, options);
    if (this.#started) this.#observe(now);
    this.#settings = settings;
    this.#ticksDropped = 0;
    this.#enter(0);
    this.#meter.reset();
    copyInstant(this.startReference, this.#lastReading);
  }

  /** Fills an anchor with the present state. Allocates nothing. */
  anchor(out: Anchor): void {
    const { speed, rate } = this.#settings;
    const running = this.running && this.#started && !this.#bank.byDeltas;
    out.tick = this.#tick;
    out.epoch = this.#epoch;
    out.running = running;
    out.quantumWallNs =
      speed.numerator === 0 ? Number.POSITIVE_INFINITY : (rate.denominator * 1e9) / rate.numerator;
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
    const { numerator, denominator } = this.#phase(now);
    return this.#tick === 0 ? 0 : numerator / denominator;
  }

  /**
   * Writes what is read every frame into fields: a number that is handed back by a function may
   * land on the heap. Alpha is that at `now`.
   */
  measure(out: ClockMeasures, now: Instant): void {
    const { numerator, denominator } = this.#phase(now);
    const { quantum, mode } = this.#settings;
    out.alpha = this.#tick === 0 ? 0 : numerator / denominator;
    out.worldTime = (this.#tick * quantum.numerator) / quantum.denominator;
    out.realizedSpeed = this.running || mode === 'lockstep' ? this.#meter.value : 0;
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
   * in which the clock ran or was in lockstep, given deltas counted as wall time. NaN before the
   * first window; 0 while standing still. Dropped quanta do not count.
   */
  realizedSpeed(): number {
    return this.running || this.#settings.mode === 'lockstep' ? this.#meter.value : 0;
  }

  #start(now: Instant): void {
    this.#started = true;
    copyInstant(this.startReference, now);
    copyInstant(this.#lastReading, now);
    copyInstant(this.#heldAt, now);
    if (!this.#bank.byDeltas) this.#bank.start(now, this.#settings.rate);
  }

  #phase(now: Instant): { readonly numerator: number; readonly denominator: number } {
    return this.#bank.measure(this.running && this.#started ? now : this.#heldAt);
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
    const { maxTicksPerAdvance, capScalesWithRate, speed } = this.#settings;
    const scale = capScalesWithRate ? Math.ceil(speed.numerator / speed.denominator) : 1;
    return this.#advance.planOwed(owed, maxTicksPerAdvance * Math.max(1, scale));
  }

  /** Begins an epoch: the tick is due at the last reading. */
  #enter(tick: number): void {
    this.#epoch++;
    this.#tick = tick;
    this.#advance.begin(this.#tick);
    this.#empty();
  }

  /** Forgets the phase and what is owed; what is planned goes on without the bank. */
  #empty(): void {
    this.#advance.forgetOwed();
    copyInstant(this.#heldAt, this.#lastReading);
    this.#bank.start(this.#lastReading, this.#settings.rate);
  }

  /** Changes mode and speed at the last reading; the phase stays unless the mode forgets it. */
  #change(mode: ClockMode, speed: Rational, rate: Rational): void {
    const settings = this.#settings;
    const ran = this.running;
    const left = settings.mode;
    settings.mode = mode;
    settings.speed = speed;
    settings.rate = rate;
    if (this.running) {
      const from = ran ? this.#lastReading : this.#heldAt;
      this.#bank.continueFrom(from, this.#lastReading, rate);
      if (!ran) this.#meter.restart(this.#tick);
    } else if (ran) copyInstant(this.#heldAt, this.#lastReading);
    if (mode === left) return;
    if (mode === 'lockstep') this.#meter.restart(this.#tick);
    if (mode === 'lockstep' || left === 'replay') this.#empty();
  }
}

import type { Rational } from '../../src/shared/rational.ts';
import { Fraction, NANOS } from './exact.ts';

const NANOSECOND = new Fraction(1n, NANOS);
const ZERO = new Fraction(0n);

export interface ModelAnchor {
  readonly running: boolean;
  readonly alpha: Fraction;
  /** When the last completed tick was due, in nanoseconds. */
  readonly due: Fraction;
}

/** The shortest window of realized speed in wall seconds; given deltas may lack a nanosecond. */
const WINDOW = new Fraction(499_999_999n, NANOS);

/** From deltas back to readings a rest this near to half a nanosecond may be rounded either way. */
const NEAR_TIE = new Fraction(1n, 1000n);

/**
 * The rules of the world clock, written down naively: one phase in quanta, a big fraction, to which
 * wall time is added. The real clock adds nothing up; both must agree.
 */
export class ClockModel {
  tick = 0;
  epoch = 1;
  ticksDropped = 0n;
  backwardReadings = 0;
  planned = 0;
  /** The latest reading in nanoseconds; undefined before the first plan. */
  last: bigint | undefined;
  #phase = ZERO;
  /** World seconds a wall second over the last full window; undefined before the first. */
  #speedReached: Fraction | undefined;
  #windowWall = ZERO;
  #windowTicks = 0;
  #lockstepSteps = 1;
  #mode = 'live';
  #speed = new Fraction(1n);
  #quantum: Fraction;
  #cap: number;
  #scales: boolean;
  #byDeltas = false;
  #counted = false;
  #excess = 0n;
  /** The rate that the phase was gathered at: a change of it rounds the anchor. */
  #phaseRate: Fraction;

  constructor(quantum: Rational, cap: number, scales: boolean) {
    this.#quantum = fractionOf(quantum);
    this.#cap = cap;
    this.#scales = scales;
    this.#phaseRate = this.rate;
  }

  /** Quanta a wall second. */
  get rate(): Fraction {
    return this.#speed.over(this.#quantum);
  }

  get running(): boolean {
    return this.#mode === 'live' && this.#speed.n > 0n;
  }

  /** What makes quanta run: wall time, advances, or only what is counted out. */
  get drive(): 'time' | 'advances' | 'nothing' {
    if (this.#mode === 'lockstep') return 'advances';
    return this.running ? 'time' : 'nothing';
  }

  realizedSpeed(): number {
    if (this.drive === 'nothing') return 0;
    return this.#speedReached?.toDouble() ?? Number.NaN;
  }

  /** Whether readings make ticks due. */
  get byReadings(): boolean {
    return this.running && this.last !== undefined && !this.#byDeltas;
  }

  /**
   * `dueOf` tells when the real clock's last tick was due, for the one rounding that is left to it.
   */
  plan(now: bigint, dueOf: () => bigint): number {
    this.#begin();
    if (this.last === undefined) this.last = now;
    else if (!this.#observe(now)) return 0;
    if (!this.running) return 0;
    if (this.#byDeltas) {
      const owed = this.#tolerant();
      this.#byDeltas = false;
      const rest = this.#phase.minus(new Fraction(owed));
      this.#round(rest, owed);
      const exactNs = rest.over(this.rate).times(new Fraction(NANOS));
      const fromTie = exactNs.minus(new Fraction(exactNs.floor())).minus(new Fraction(1n, 2n));
      if (fromTie.magnitude().minus(NEAR_TIE).n < 0n) this.#adopt(dueOf(), owed, rest);
    }
    return this.#demand(this.#phase.floor());
  }

  planDelta(wallSeconds: number): number {
    this.#begin();
    if (this.drive === 'nothing') return 0;
    this.#windowWall = this.#windowWall.plus(Fraction.ofDouble(wallSeconds));
    if (this.drive === 'advances') {
      this.#counted = true;
      this.planned = this.#lockstepSteps;
      return this.planned;
    }
    this.#byDeltas = true;
    this.#phase = this.#phase.plus(Fraction.ofDouble(wallSeconds).times(this.rate));
    return this.#demand(this.#tolerant());
  }

  planTicks(count: number): number {
    this.#begin();
    this.#counted = true;
    this.planned = count;
    return count;
  }

  complete(): void {
    this.planned--;
    this.tick++;
    this.#windowTicks++;
    if (!this.#counted) this.#phase = this.#phase.minus(new Fraction(1n));
  }

  settle(): number {
    const dropped = this.#excess;
    this.#excess = 0n;
    this.#phase = this.#phase.minus(new Fraction(dropped));
    this.ticksDropped += dropped;
    if (this.#windowWall.minus(WINDOW).n >= 0n) {
      const world = new Fraction(BigInt(this.#windowTicks)).times(this.#quantum);
      this.#speedReached = world.over(this.#windowWall);
      this.#beginWindow();
    }
    return Number(dropped);
  }

  change(now: bigint, mode: string | undefined, speed: Fraction | undefined): void {
    if (this.last !== undefined) this.#observe(now);
    const { drive } = this;
    const left = this.#mode;
    this.#mode = mode ?? left;
    this.#speed = speed ?? this.#speed;
    if (this.drive !== 'nothing' && this.drive !== drive) this.#beginWindow();
    if (this.#mode !== left && (this.#mode === 'lockstep' || left === 'replay')) this.#empty();
    if (!this.running) return;
    const changed = this.rate.n !== this.#phaseRate.n || this.rate.d !== this.#phaseRate.d;
    this.#phaseRate = this.rate;
    if (!changed || this.#byDeltas) return;
    const owed = this.#phase.floor();
    this.#round(this.#phase.minus(new Fraction(owed)), owed);
  }

  setCap(cap: number): void {
    this.#cap = cap;
  }

  setLockstepSteps(steps: number): void {
    this.#lockstepSteps = steps;
  }

  seek(now: bigint, tick: number): void {
    if (this.last !== undefined) this.#observe(now);
    this.#enter(tick);
    this.#beginWindow();
  }

  reconfigure(now: bigint, quantum: Rational, lockstepSteps: number | undefined): void {
    if (this.last !== undefined) this.#observe(now);
    this.#quantum = fractionOf(quantum);
    if (this.#speed.n > 0n) this.#phaseRate = this.rate;
    this.#lockstepSteps = lockstepSteps ?? this.#lockstepSteps;
    this.#enter(0);
    this.ticksDropped = 0n;
    this.#speedReached = undefined;
    this.#beginWindow();
  }

  /** Alpha at a reading not before the last one. */
  alphaAt(now: bigint): Fraction {
    if (this.tick === 0) return ZERO;
    const moves = this.byReadings && this.last !== undefined;
    const passed = moves ? new Fraction(now - (this.last ?? 0n), NANOS) : ZERO;
    const alpha = this.#phase.plus(passed.times(this.rate));
    if (alpha.n < 0n) return ZERO;
    return alpha.floor() > 0n ? new Fraction(1n) : alpha;
  }

  anchor(): ModelAnchor {
    const last = new Fraction(this.last ?? 0n);
    const running = this.byReadings;
    return {
      running,
      alpha: running ? ZERO : this.alphaAt(this.last ?? 0n),
      due: running ? last.minus(this.#phase.over(this.rate).times(new Fraction(NANOS))) : ZERO,
    };
  }

  nextDue(): bigint | undefined {
    if (!this.byReadings || this.last === undefined) return undefined;
    const missing = new Fraction(1n).minus(this.#phase);
    const wait = missing.over(this.rate).times(new Fraction(NANOS)).ceil();
    return this.last + (wait > 0n ? wait : 0n);
  }

  #begin(): void {
    this.planned = 0;
    this.#excess = 0n;
    this.#counted = false;
  }

  /** What is planned already goes on, as if it were counted out. */
  #empty(): void {
    this.#phase = ZERO;
    this.#excess = 0n;
    this.#counted = true;
  }

  #enter(tick: number): void {
    this.#begin();
    this.#phase = ZERO;
    this.tick = tick;
    this.epoch++;
  }

  #beginWindow(): void {
    this.#windowWall = ZERO;
    this.#windowTicks = 0;
  }

  #observe(now: bigint): boolean {
    const last = this.last ?? now;
    if (now < last) {
      this.backwardReadings++;
      return false;
    }
    if (this.byReadings) {
      this.#phase = this.#phase.plus(new Fraction(now - last, NANOS).times(this.rate));
      this.#windowWall = this.#windowWall.plus(new Fraction(now - last, NANOS));
    }
    this.last = now;
    return true;
  }

  #tolerant(): bigint {
    return this.#phase.plus(NANOSECOND.times(this.rate)).floor();
  }

  /** Sets the phase to what it is once the rest is rounded to a whole wall nanosecond. */
  #round(rest: Fraction, owed: bigint): void {
    const ns = rest.over(this.rate).times(new Fraction(NANOS)).round();
    const rounded = new Fraction(ns > 0n ? ns : 0n, NANOS).times(this.rate);
    this.#phase = rounded.plus(new Fraction(owed));
  }

  /** Takes over the real clock's rounding, if it is one of the two neighbours. */
  #adopt(due: bigint, owed: bigint, rest: Fraction): void {
    const up = rest.over(this.rate).times(new Fraction(NANOS)).ceil();
    for (const ns of [up, up - 1n]) {
      this.#phase = new Fraction(ns, NANOS).times(this.rate).plus(new Fraction(owed));
      if (this.anchor().due.floor() === due) return;
    }
  }

  #demand(owed: bigint): number {
    const ceiling = Number(this.#speed.ceil());
    const cap = BigInt(this.#scales && ceiling > 1 ? this.#cap * ceiling : this.#cap);
    const run = owed < cap ? owed : cap;
    this.#excess = owed - run;
    this.planned = Number(run);
    return this.planned;
  }
}

function fractionOf({ numerator, denominator }: Rational): Fraction {
  return new Fraction(BigInt(numerator), BigInt(denominator));
}

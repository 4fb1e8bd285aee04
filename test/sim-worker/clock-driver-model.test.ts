import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AdvanceResult } from '../../src/shared/clock-control.ts';
import type { ClockMode } from '../../src/shared/clock-options.ts';
import { quantumOf, type Rational } from '../../src/shared/rational.ts';
import { resolveSpeed } from '../../src/shared/speed.ts';
import { ClockDriver } from '../../src/sim-worker/clock-driver.ts';
import type { DriverFollower } from '../../src/sim-worker/driver-follower.ts';
import { scaled } from '../scaled.ts';
import { ClockModel } from '../shared/clock-model.ts';
import { Fraction } from '../shared/exact.ts';
import { HandClock } from './loop-stage.ts';

/*
 * A driver and its followers on one thread, against the rules written down naively: a clock in big
 * fractions, and followers that are told every tick.
 */

const CAP = 8;
const FOLLOWERS = 3;

const valued = <K extends string, V>(
  kind: K,
  value: fc.Arbitrary<V>,
): fc.Arbitrary<{ readonly kind: K; readonly value: V }> =>
  fc.record({ kind: fc.constant(kind), value });

const quantum = fc.constantFrom(0.01, 0.02, 1 / 60, 1 / 120, 0.1);
const steps = fc.integer({ min: 1, max: 5 });
const seconds = fc.oneof(
  fc.constantFrom(0, 1 / 60, 1 / 30, 0.01, 0.06),
  fc.double({ min: 0, max: 0.5, noNaN: true }),
);

const call = fc.oneof(
  { weight: 4, arbitrary: valued('advance', seconds) },
  valued('wait', seconds),
  valued('advanceTicks', fc.integer({ min: 0, max: 12 })),
  valued(
    'setMode',
    fc.constantFrom<ClockMode>('live', 'live', 'paused', 'stepping', 'lockstep', 'replay'),
  ),
  valued('setSpeed', fc.constantFrom(0, 0.25, 0.5, 1, 1.5, 4)),
  valued('setLockstepSteps', steps),
  valued('setCap', fc.integer({ min: 1, max: 12 })),
  valued('seekTick', fc.oneof(fc.nat(50), fc.integer({ min: 0, max: 2 ** 50 }))),
  valued('configure', fc.record({ fixedDt: quantum, lockstepSteps: steps })),
  valued('follow', fc.record({ of: fc.nat(FOLLOWERS - 1), everyTicks: steps })),
  { weight: 3, arbitrary: valued('take', fc.nat(FOLLOWERS - 1)) },
  { weight: 2, arbitrary: valued('publish', fc.nat(FOLLOWERS - 1)) },
);

type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** A follower as anybody would write it down: the boundaries it has yet to take and to publish. */
interface Naive {
  readonly period: number;
  due: number[];
  open: number;
}

class Pair {
  readonly #source = new HandClock(0);
  readonly #ran: number[] = [];
  readonly #driver: ClockDriver;
  readonly #model: ClockModel;
  readonly #followers: (readonly [DriverFollower, Naive])[] = [];
  readonly #measures: boolean;
  #size: Rational;
  /** The reading that the driver knows, in nanoseconds. */
  #last = 0n;
  #measured = false;

  constructor(fixedDt: number, capScalesWithRate: boolean, measures: boolean) {
    this.#size = quantumOf({ fixedDt });
    this.#measures = measures;
    this.#driver = new ClockDriver({
      fixedDt,
      capScalesWithRate,
      maxTicksPerAdvance: CAP,
      clock: this.#source,
      onTick: (tick) => this.#ran.push(tick),
    });
    this.#model = new ClockModel(this.#size, CAP, capScalesWithRate);
    for (let i = 1; i <= FOLLOWERS; i++) this.#attach(i);
  }

  apply({ kind, value }: Call): void {
    const driver = this.#driver;
    const model = this.#model;
    switch (kind) {
      case 'advance':
        return this.#measures ? this.#advanceMeasured(value) : this.#advanceBy(value);
      case 'wait':
        this.#source.ns += Math.round(value * 1e9);
        return undefined;
      case 'advanceTicks': {
        const planned = model.planTicks(value);
        return this.#check(value === 1 ? driver.stepOnce() : driver.advanceTicks(value), planned);
      }
      case 'setMode':
        model.change(this.#controlTime(), value, undefined);
        if (value === 'paused') driver.pause();
        else if (value === 'live') driver.resume();
        else driver.setMode(value);
        return undefined;
      case 'setSpeed': {
        const { numerator, denominator } = resolveSpeed(value, this.#size) as Rational;
        const exact = new Fraction(BigInt(numerator), BigInt(denominator));
        model.change(this.#controlTime(), undefined, exact);
        return driver.setSpeed(value);
      }
      case 'setLockstepSteps':
        model.setLockstepSteps(value);
        return driver.setLockstepSteps(value);
      case 'setCap':
        model.setCap(value);
        return driver.setCap(value);
      case 'seekTick':
        model.seek(this.#controlTime(), value);
        driver.seekTick(value);
        return this.#forget();
      case 'configure':
        this.#size = quantumOf({ fixedDt: value.fixedDt });
        model.reconfigure(this.#controlTime(), this.#size, value.lockstepSteps);
        driver.configure(value);
        return this.#forget();
      case 'follow':
        return this.#attach(value.everyTicks, value.of);
      case 'take':
        return this.#take(...(this.#followers[value] as readonly [DriverFollower, Naive]));
      case 'publish': {
        const [follower, naive] = this.#followers[value] as readonly [DriverFollower, Naive];
        // Asked here alone: whoever is never asked has to find out about a seek much later.
        expect(follower.caughtUp).toBe(naive.due.length + naive.open === 0);
        follower.markPublished();
        naive.open = 0;
        expect(follower.caughtUp).toBe(naive.due.length === 0);
      }
    }
  }

  compare(): void {
    const driver = this.#driver;
    const model = this.#model;
    expect([driver.tick, driver.epoch, BigInt(driver.dropped), driver.running]).toEqual([
      model.tick,
      model.epoch,
      model.ticksDropped,
      model.running,
    ]);
    const { numerator, denominator } = this.#size;
    const time = new Fraction(BigInt(model.tick) * BigInt(numerator), BigInt(denominator));
    // The product of a tick beyond 2^50 and a numerator need not be exact.
    if (model.tick < 2 ** 50) expect(driver.time).toBe(time.toDouble());
    const alpha = model.alphaAt(this.#last).toDouble();
    expect(Math.abs(driver.alpha - alpha)).toBeLessThanOrEqual(this.#measures ? 0 : 2 ** -51);
  }

  #attach(everyTicks: number, place = this.#followers.length): void {
    const naive = { period: everyTicks, due: [], open: 0 };
    this.#followers[place] = [this.#driver.follow({ everyTicks }), naive];
  }

  #take(follower: DriverFollower, naive: Naive): void {
    const taken = Array.from({ length: follower.take() }, (_, i) => follower.stepTick(i));
    expect(taken).toEqual(naive.due);
    naive.open += naive.due.length;
    naive.due = [];
  }

  /** A seek and a configure owe a follower nothing. */
  #forget(): void {
    for (const [, naive] of this.#followers) {
      naive.due = [];
      naive.open = 0;
    }
  }

  #advanceBy(wallSeconds: number): void {
    const planned = this.#model.planDelta(wallSeconds);
    this.#check(this.#driver.advance(wallSeconds), planned);
  }

  /** Lets time go by on the clock, and advances by what it says. */
  #advanceMeasured(wallSeconds: number): void {
    const model = this.#model;
    this.#source.ns += Math.round(wallSeconds * 1e9);
    const before = this.#last;
    this.#last = BigInt(this.#source.ns);
    const wallNs = this.#measured ? this.#last - before : 0n;
    this.#measured = true;
    let planned = model.plan(this.#last, () => {
      throw new Error('no deltas were given');
    });
    if (model.drive === 'advances') planned = model.planDelta(Number(wallNs) / 1e9);
    this.#check(this.#driver.advance(), planned);
  }

  /** What is set while the clock stands is set now; while it runs, at the last advance. */
  #controlTime(): bigint {
    if (this.#measured && !this.#model.running) this.#last = BigInt(this.#source.ns);
    return this.#last;
  }

  /** Runs what the model planned, tells its followers, and compares the results. */
  #check(result: AdvanceResult, planned: number): void {
    const model = this.#model;
    const firstTick = model.tick;
    const ran: number[] = [];
    for (let i = 0; i < planned; i++) {
      model.complete();
      ran.push(model.tick);
      for (const [, naive] of this.#followers) {
        if (model.tick % naive.period === 0) naive.due.push(model.tick);
      }
    }
    const dropped = model.settle();
    expect([result.firstTick, result.steps, result.dropped]).toEqual([firstTick, planned, dropped]);
    expect(this.#ran.splice(0)).toEqual(ran);
  }
}

test.each([
  ['given deltas', false],
  ['what its clock says', true],
])('any calls by %s come to what a naive clock with naive followers says', (_by, measures) => {
  const property = fc.property(
    quantum,
    fc.boolean(),
    fc.array(call, { maxLength: 30, size: 'max' }),
    (fixedDt, scales, calls) => {
      const pair = new Pair(fixedDt, scales, measures);
      for (const each of calls) {
        pair.apply(each);
        pair.compare();
      }
    },
  );
  fc.assert(property, { numRuns: scaled({ tiny: 50, normal: 600, full: 50_000 }) });
});

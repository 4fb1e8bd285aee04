import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAnchor } from '../../src/shared/anchor.ts';
import type { ClockMode } from '../../src/shared/clock-options.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { checkQuantum, createRational, type Rational } from '../../src/shared/rational.ts';
import { resolveSpeed } from '../../src/shared/speed.ts';
import { WorldClock } from '../../src/shared/world-clock.ts';
import { scaled } from '../scaled.ts';
import { ClockModel } from './clock-model.ts';
import { Fraction, instantOf, nanosOf } from './exact.ts';

const READING_MAX = 2n ** 64n - 1n;

/** Leaves room for the ticks that a sequence runs. */
const TICK_MAX = Number.MAX_SAFE_INTEGER - 1_000_000;

const quantum: fc.Arbitrary<Rational> = fc
  .oneof(
    fc.constantFrom([1, 60], [1, 100], [1001, 60_000], [50, 2997], [10, 1], [1, 1000], [1, 3]),
    fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 1_000_000 })),
  )
  .map(([numerator, denominator]) => createRational(numerator as number, denominator as number))
  .filter((candidate) => {
    try {
      return checkQuantum(candidate) !== undefined;
    } catch {
      return false;
    }
  });

const wait = fc.oneof(
  fc.bigInt({ min: 0n, max: 40_000_000n }),
  fc.bigInt({ min: 0n, max: 10n ** 12n }),
  fc.bigInt({ min: 0n, max: 2n ** 58n }),
  fc.constant(0n),
);

const mode = fc.constantFrom<ClockMode>('live', 'paused', 'stepping', 'lockstep', 'replay');
const lockstepSteps = fc.integer({ min: 1, max: 12 });

/** Quanta, doubles and whole readings, as `[what, ...]`. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('plan' as const), wait, fc.boolean(), fc.nat(3)) },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constant('delta' as const),
      fc.oneof(
        fc.constantFrom(1 / 60, 1 / 120, 0.01, 1 / 1024, 0),
        fc.double({ min: 0, max: 10, noNaN: true }),
      ),
      fc.boolean(),
      fc.nat(3),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('ticks' as const), fc.nat(5)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('mode' as const), mode, wait) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant('within' as const), wait, fc.nat(3), mode, fc.boolean()),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('seek' as const),
      fc.oneof(fc.nat(100), fc.integer({ min: 0, max: TICK_MAX })),
      wait,
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('lockstep steps' as const), lockstepSteps) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('speed' as const),
      fc.oneof(
        fc.constantFrom(0, 0.25, 0.5, 1, 1.5, 2, 4),
        fc.double({ min: 0, max: 8, noNaN: true }),
        fc.constantFrom(-1, Number.NaN, 1e9, 1000, 0.001),
      ),
      wait,
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('backward' as const), fc.bigInt(1n, 10n ** 9n)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('cap' as const), fc.integer({ min: 1, max: 12 })) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('reconfigure' as const),
      fc.constantFrom({ numerator: 1, denominator: 60 }, { numerator: 3, denominator: 50 }),
      wait,
      fc.option(lockstepSteps, { nil: undefined }),
    ),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Drives the real clock and the model side by side. */
class Pair {
  readonly clock: WorldClock;
  readonly model: ClockModel;
  #now: bigint;
  #quantum: Rational;
  readonly #anchor = createAnchor();

  constructor(size: Rational, cap: number, scales: boolean, start: bigint) {
    this.clock = new WorldClock({
      quantum: size,
      maxTicksPerAdvance: cap,
      capScalesWithRate: scales,
    });
    this.model = new ClockModel(size, cap, scales);
    this.#now = start;
    this.#quantum = size;
  }

  apply(taken: Step): void {
    const { clock, model } = this;
    switch (taken[0]) {
      case 'plan': {
        const now = this.#pass(taken[1]);
        expect(clock.plan(instantOf(now))).toBe(model.plan(now, () => this.#due()));
        return this.#run(taken[2], taken[3]);
      }
      case 'delta':
        expect(clock.planDelta(taken[1])).toBe(model.planDelta(taken[1]));
        return this.#run(taken[2], taken[3]);
      case 'ticks':
        expect(clock.planTicks(taken[1])).toBe(model.planTicks(taken[1]));
        return this.#run(true, 0);
      case 'mode': {
        const now = this.#pass(taken[2]);
        clock.setMode(taken[1], instantOf(now));
        return model.change(now, taken[1], undefined);
      }
      case 'speed': {
        const now = this.#pass(taken[2]);
        const speed = resolveSpeed(taken[1], this.#quantum);
        expect(clock.setSpeed(taken[1], instantOf(now))).toBe(speed !== undefined);
        if (speed === undefined) return;
        const { numerator, denominator } = speed;
        return model.change(now, undefined, new Fraction(BigInt(numerator), BigInt(denominator)));
      }
      case 'within':
        return this.#changeWithin(this.#pass(taken[1]), taken[2], taken[3], taken[4]);
      case 'seek': {
        const now = this.#pass(taken[2]);
        clock.seekTick(taken[1], instantOf(now));
        expect(clock.firstTick).toBe(taken[1]);
        expect(clock.alphaAt(instantOf(now))).toBe(0);
        return model.seek(now, taken[1]);
      }
      case 'lockstep steps':
        clock.setLockstepSteps(taken[1]);
        return model.setLockstepSteps(taken[1]);
      case 'backward': {
        const now = this.#now - taken[1];
        expect(clock.plan(instantOf(now))).toBe(model.plan(now, () => this.#due()));
        return this.#run(true, 0);
      }
      case 'cap':
        clock.setCap(taken[1]);
        return model.setCap(taken[1]);
      case 'reconfigure': {
        const now = this.#pass(taken[2]);
        // A speed can be too high for the new quantum: then nothing may change.
        if (resolveSpeed(clock.speed, taken[1]) === undefined) return;
        clock.reconfigure({ quantum: taken[1], lockstepSteps: taken[3] }, instantOf(now));
        model.reconfigure(now, taken[1], taken[3]);
        this.#quantum = taken[1];
      }
    }
  }

  /** Completes the plan, or fails the tick after `until` of it. */
  #run(whole: boolean, until: number): void {
    const { clock, model } = this;
    const ran = whole ? model.planned : Math.min(model.planned, until);
    const failed = ran < model.planned;
    expect(clock.firstTick).toBe(clock.tick);
    for (let i = 0; i < ran; i++) {
      clock.complete();
      model.complete();
    }
    if (!failed) expect(clock.settle()).toBe(model.settle());
  }

  /** Enters a mode after `until` ticks of an advance, whose rest is completed or left. */
  #changeWithin(now: bigint, until: number, entered: ClockMode, whole: boolean): void {
    const { clock, model } = this;
    expect(clock.plan(instantOf(now))).toBe(model.plan(now, () => this.#due()));
    for (let i = 0; model.planned > 0 && (i < until || whole); i++) {
      if (i === until) {
        clock.setMode(entered, instantOf(now));
        model.change(now, entered, undefined);
      }
      clock.complete();
      model.complete();
    }
    clock.setMode(entered, instantOf(now));
    model.change(now, entered, undefined);
    expect(clock.settle()).toBe(model.settle());
  }

  #due(): bigint {
    this.clock.anchor(this.#anchor);
    return nanosOf(this.#anchor.due);
  }

  #pass(ns: bigint): bigint {
    this.#now = this.#now + ns > READING_MAX ? READING_MAX : this.#now + ns;
    return this.#now;
  }

  compare(): void {
    const { clock, model } = this;
    expect(clock.tick).toBe(model.tick);
    expect(clock.epoch).toBe(model.epoch);
    expect(BigInt(clock.ticksDropped)).toBe(model.ticksDropped);
    expect(clock.backwardReadings).toBe(model.backwardReadings);
    this.#compareSpeed();
    this.#compareAnchor();
    const due = createInstant();
    const expected = model.nextDue();
    expect(clock.nextDue(due)).toBe(expected !== undefined);
    if (expected !== undefined) expect(nanosOf(due)).toBe(expected);
    for (const later of [0n, 1_000_000n, 7_654_321n]) {
      const at = (model.last ?? 0n) + later;
      this.#compareAlpha(clock.alphaAt(instantOf(at)), model.alphaAt(at));
    }
  }

  #compareSpeed(): void {
    const expected = this.model.realizedSpeed();
    const found = this.clock.realizedSpeed();
    if (Number.isNaN(expected)) expect(found).toBeNaN();
    else expect(Math.abs(found - expected)).toBeLessThanOrEqual(expected * 2 ** -40);
  }

  #compareAnchor(): void {
    const anchor = this.#anchor;
    this.clock.anchor(anchor);
    const expected = this.model.anchor();
    expect(anchor.running).toBe(expected.running);
    expect(anchor.alpha).toBe(anchor.alphaNumerator / anchor.alphaDenominator);
    this.#compareAlpha(anchor.alpha, expected.alpha);
    const due = expected.due.floor();
    expect(nanosOf(anchor.due)).toBe(due);
    expect(anchor.dueFraction).toBe(expected.due.minus(new Fraction(due)).toDouble());
    if (this.clock.speed === 0) expect(anchor.quantumWallNs).toBe(Number.POSITIVE_INFINITY);
    else {
      const ns = new Fraction(1_000_000_000n).over(this.model.rate).toDouble();
      expect(Math.abs(anchor.quantumWallNs - ns)).toBeLessThanOrEqual(ns * 2 ** -51);
    }
  }

  /** Of readings alpha is exact and rounded once; of deltas it lies on a grid of 2^-52. */
  #compareAlpha(found: number, expected: Fraction): void {
    const byReadings = this.model.byReadings;
    if (byReadings) expect(found).toBe(expected.toDouble());
    else expect(Math.abs(found - expected.toDouble())).toBeLessThanOrEqual(2 ** -51);
  }
}

/** Many short sequences find what a few calls can break, long ones what needs a past. */
const SIZES = [
  { maxLength: 20, numRuns: scaled({ tiny: 40, normal: 500, full: 100_000 }) },
  { maxLength: 200, numRuns: scaled({ tiny: 10, normal: 80, full: 1000 }) },
];

test.each(SIZES)(
  'any $maxLength calls give what a naive model in exact fractions gives',
  ({ maxLength, numRuns }) => {
    fc.assert(
      fc.property(
        quantum,
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: READING_MAX })),
        fc.array(step, { maxLength, size: 'max' }),
        (size, cap, scales, start, steps) => {
          const pair = new Pair(size, cap, scales, start);
          for (const taken of steps) {
            pair.apply(taken);
            pair.compare();
          }
        },
      ),
      { numRuns },
    );
  },
);

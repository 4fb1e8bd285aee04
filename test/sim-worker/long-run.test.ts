import { afterEach, describe, expect, test } from 'vitest';
import { WorldClock } from '../../src/shared/world-clock.ts';
import { ClockDriver } from '../../src/sim-worker/clock-driver.ts';
import { openStage, type Stage, VirtualClock } from '../render/stage.ts';
import { scaled } from '../scaled.ts';
import { HandClock } from './loop-stage.ts';

/* Days of ticks and weeks of readings: nothing adds up, in the counts or on the heap. */

const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;
const SECOND = 1e9;
/** What may stay on the heap: code, and what engines keep of it. */
const HEAP_BYTES_MAX = 1e6;

function heapBytes(): number {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('run with --expose-gc');
  gc();
  gc();
  return process.memoryUsage().heapUsed;
}

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

/** A simulation that does nothing but count its ticks. */
async function countingStage(
  drivenBy: 'host' | 'clock',
  tickRateHz: number,
  clock: VirtualClock = new VirtualClock(),
): Promise<{ readonly opened: Stage; readonly ran: { ticks: number } }> {
  const ran = { ticks: -1 };
  const count = (): void => void ran.ticks++;
  stage = await openStage(count, { drivenBy, tickRateHz, profile: false }, clock);
  return { opened: stage, ran };
}

describe('a day of world time at 120 Hz in batch', () => {
  test('is 10,368,000 ticks through a driver, each once, and leaves nothing on the heap', () => {
    const seen = { tick: 0, wrong: 0 };
    const driver = new ClockDriver({
      tickRateHz: 120,
      onTick: (tick) => {
        if (tick !== ++seen.tick) seen.wrong++;
      },
    });
    let before = 0;
    for (let hour = 1; hour <= 24; hour++) {
      const { firstTick, steps, dropped } = driver.advanceTicks(120 * 3600);
      expect([firstTick, steps, dropped]).toEqual([(hour - 1) * 432_000, 432_000, 0]);
      expect(driver.time).toBe(hour * 3600);
      if (hour === 2) before = heapBytes();
    }
    expect(heapBytes() - before).toBeLessThan(HEAP_BYTES_MAX);
    expect([driver.tick, driver.time, seen]).toEqual([
      10_368_000,
      DAY_S,
      { tick: 10_368_000, wrong: 0 },
    ]);
  });

  test('is as many through a running simulation, and leaves nothing on the heap', async () => {
    const hours = 24;
    const perHour = scaled({ tiny: 120, normal: 120 * 3600, full: 120 * 3600 });
    const { opened, ran } = await countingStage('host', 120);
    const { clock } = opened.sim;
    let before = 0;
    for (let hour = 1; hour <= hours; hour++) {
      const { firstTick, steps } = await clock.advanceTicks(perHour);
      expect([firstTick, steps]).toEqual([(hour - 1) * perHour, perHour]);
      if (hour === 2) before = heapBytes();
    }
    expect(heapBytes() - before).toBeLessThan(HEAP_BYTES_MAX);
    const { tick, time, dropped } = clock.status();
    const total = hours * perHour;
    expect([tick, time, dropped, ran.ticks]).toEqual([total, total / 120, 0, total]);
  });
});

/** Rates of wake-ups, as fractions: numerator / denominator a second. */
const RATES = [
  [30, 1],
  [60_000, 1001],
  [60, 1],
  [144, 1],
] as const;

/** Readings at a rate, rounded down to nanoseconds, without a product that is not exact. */
class Readings {
  seconds = 0;
  nanos = 0;
  readonly #numerator: number;
  readonly #stepNs: number;
  readonly #stepRest: number;
  #rest = 0;

  constructor(numerator: number, denominator: number) {
    const total = denominator * SECOND;
    this.#numerator = numerator;
    this.#stepRest = total % numerator;
    this.#stepNs = (total - this.#stepRest) / numerator;
  }

  next(): void {
    this.nanos += this.#stepNs;
    this.#rest += this.#stepRest;
    if (this.#rest >= this.#numerator) {
      this.#rest -= this.#numerator;
      this.nanos++;
    }
    if (this.nanos < SECOND) return;
    this.nanos -= SECOND;
    this.seconds++;
  }

  /** The ticks of 60 Hz that are due since 0. */
  due(): number {
    return this.seconds * 60 + Math.floor((this.nanos * 60) / SECOND);
  }
}

describe('a week of clock readings in live', () => {
  const pureSeconds = scaled({ tiny: 3600, normal: WEEK_S / 7, full: WEEK_S });

  test.each(RATES)('at %i/%i a second the clock has run what is due at each', (...rate) => {
    const readings = new Readings(...rate);
    const clock = new WorldClock({ quantum: { numerator: 1, denominator: 60 } });
    clock.plan(readings);
    let wrong = 0;
    let before = 0;
    while (readings.seconds < pureSeconds) {
      readings.next();
      const planned = clock.plan(readings);
      for (let i = 0; i < planned; i++) clock.complete();
      clock.settle();
      if (clock.tick !== readings.due()) wrong++;
      if (before === 0 && readings.seconds > pureSeconds / 10) before = heapBytes();
    }
    expect(heapBytes() - before).toBeLessThan(HEAP_BYTES_MAX);
    expect([wrong, clock.tick, clock.ticksDropped]).toEqual([0, readings.due(), 0]);
    expect(clock.tick).toBeGreaterThanOrEqual(60 * pureSeconds);
  });

  const drivenSeconds = scaled({ tiny: 60, normal: 1800, full: WEEK_S });

  test.each(RATES)('at %i/%i a second a simulation has run what is due', async (...rate) => {
    const readings = new Readings(...rate);
    const clock = new VirtualClock();
    const { opened, ran } = await countingStage('clock', 60, clock);
    opened.runDue();
    let wrong = 0;
    let before = 0;
    while (readings.seconds < drivenSeconds) {
      readings.next();
      clock.ns = readings.seconds * SECOND + readings.nanos;
      opened.runDue();
      if (ran.ticks !== readings.due()) wrong++;
      if (before === 0 && readings.seconds > drivenSeconds / 10) before = heapBytes();
    }
    expect(heapBytes() - before).toBeLessThan(HEAP_BYTES_MAX);
    const { tick, ticksDropped, skippedPublications } = opened.sim.stats();
    expect([wrong, tick, ticksDropped, skippedPublications]).toEqual([0, readings.due(), 0, 0]);
  });

  test('a driver that measures by itself agrees at every reading', () => {
    const clock = new HandClock();
    const driver = new ClockDriver({ tickRateHz: 60, maxTicksPerAdvance: 4000, clock });
    const seconds = scaled({ tiny: 3600, normal: DAY_S, full: WEEK_S });
    let random = 1;
    driver.advance();
    let due = 0;
    while (clock.ns < seconds * SECOND) {
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
      clock.ns += random % 1000 === 0 ? random * 10 : random % 40_000_000;
      driver.advance();
      const rest = clock.ns % SECOND;
      due = ((clock.ns - rest) / SECOND) * 60 + Math.floor((rest * 60) / SECOND);
      if (driver.tick !== due) expect([clock.ns, driver.tick]).toEqual([clock.ns, due]);
    }
    expect([driver.tick, driver.dropped, driver.time]).toEqual([due, 0, due / 60]);
  });
});

import { Worker } from 'node:worker_threads';
import {
  type LogRecord,
  type RunningSimulation,
  startSimulation,
  type StartOptions,
} from 'escapement';
import { openView, type View } from 'escapement/render';
import { expectSameTrajectory, type TypesOf } from 'escapement/sim';
import { afterEach, describe, expect, test } from 'vitest';
import { FrameTimes } from '../../src/shared/frame-times.ts';
import type { Rational } from '../../src/shared/rational.ts';
import { scaled } from '../scaled.ts';
import { builtModule } from './built-worker.ts';
import { until } from './tier.ts';
import type { Stalling } from './workers/stalling.sim.ts';

/**
 * The clock faults that broke others, by their number in the catalogue of cases, where a
 * simulation on a thread of its own could bring them back.
 */

type StallingTypes = TypesOf<Stalling>;
type Sim = RunningSimulation<StallingTypes>;

const sims: Sim[] = [];
let records: LogRecord[] = [];
afterEach(async () => {
  for (const sim of sims.splice(0)) await sim.stop();
  records = [];
});

async function start(options: StartOptions<StallingTypes> = {}): Promise<Sim> {
  const sim = await startSimulation<Stalling>(() => new Worker(builtModule('stalling.sim')), {
    logLevel: 'warn',
    logSink: (record) => records.push(record),
    ...options,
  });
  sims.push(sim);
  return sim;
}

const startDriven = (options: StartOptions<StallingTypes> = {}): Promise<Sim> =>
  start({ drivenBy: 'host', tickRateHz: 60, ...options });

/** Ends a simulation, and returns what it said of dropped ticks. */
async function droppedWarnings(sim: Sim): Promise<LogRecord['fields'][]> {
  await sim.stop();
  return records.filter(({ event }) => event === 'tick_dropped').map(({ fields }) => fields);
}

/** What is shown at a time of this thread. */
function look(view: View<StallingTypes>, now?: number): { tick: number; place: number } {
  const frame = view.frame(now);
  const shown = { tick: frame.tick, place: frame.blend('position')[0] as number };
  frame.release();
  return shown;
}

const upTo = (end: number): number[] => Array.from({ length: end }, (_, i) => i + 1);

describe('a stall', () => {
  test('CLK 10: of 5 s runs the cap, drops the rest, warns once, and owes nothing', async () => {
    const sim = await startDriven();
    expect(await sim.clock.advance(5)).toMatchObject({ firstTick: 0, steps: 8, dropped: 292 });
    expect(await sim.clock.advance(1 / 60)).toMatchObject({ firstTick: 8, steps: 1, dropped: 0 });
    expect(sim.clock.status().dropped).toBe(292);
    expect(await droppedWarnings(sim)).toEqual([
      { dropped: 292, after_tick: 8, total_dropped: 292, max_ticks_per_advance: 8 },
    ]);
  });

  test.each([
    [4, false, 8, 232],
    [4, true, 32, 208],
    [0.25, false, 8, 7],
  ])(
    'CLK 13: of 1 s at speed %s (cap scales: %s) runs %i and drops %i',
    async (speed, capScalesWithRate, steps, dropped) => {
      const sim = await startDriven({ speed, capScalesWithRate });
      expect(await sim.clock.advance(1)).toMatchObject({ steps, dropped });
    },
  );

  test('CLK 20: gives each tick of a long frame one quantum, not the frame', async () => {
    const sim = await startDriven();
    expect((await sim.clock.advance(0.0667)).steps).toBe(4);
    expect(await sim.queries.lengths()).toEqual([4, 1 / 60, 1 / 60]);
  });

  test('SRV 155: of the thread runs what fell due at once, and says how late it was', async () => {
    const sim = await start();
    await until('tick 3', () => sim.tick >= 3);
    await sim.queries.block(335);
    const { tick } = sim;
    await until('the ticks of the stall', () => sim.tick >= tick + 6);
    // The first tick of the stall fell due at most one quantum after its beginning.
    expect(sim.stats().latenessMax).toBeGreaterThanOrEqual(335 - 50);
    expect(sim.stats().ticksDropped).toBe(0);
    await sim.clock.pause();
    expect(await sim.queries.lengths()).toEqual([sim.tick, 0.05, 0.05]);
  });

  test('CLK 11: beyond the cap drops ticks, names them, and the tick goes on by one', async () => {
    const sim = await start({ maxTicksPerAdvance: 2 });
    await until('tick 1', () => sim.tick >= 1);
    await sim.queries.block(600);
    await until('ticks were dropped', () => sim.stats().ticksDropped > 0);
    await sim.clock.pause();
    const [ticks] = await sim.queries.lengths();
    // 600 ms are at least 11 quanta of 50 ms, of which 2 run.
    expect(sim.stats().ticksDropped).toBeGreaterThanOrEqual(9);
    expect(ticks).toBe(sim.tick);
    const dropped = sim.stats().ticksDropped;
    const warnings = await droppedWarnings(sim);
    expect(warnings.at(-1)).toMatchObject({ total_dropped: dropped, max_ticks_per_advance: 2 });
  });
});

describe('speed and slicing', () => {
  test.each([
    [1.5, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]],
    [0.6, [0, 1, 0, 1, 1, 0, 1, 0, 1, 1]],
  ])('CLK 14: at speed %s frames of a quantum run %o', async (speed, pattern) => {
    const sim = await startDriven({ tickRateHz: 35, speed });
    const steps: number[] = [];
    const firsts: number[] = [];
    for (let i = 0; i < 70; i++) {
      const advance = await sim.clock.advance(1 / 35);
      steps.push(advance.steps);
      for (let n = 1; n <= advance.steps; n++) firsts.push(advance.firstTick + n);
    }
    expect(steps).toEqual(upTo(7).flatMap(() => pattern));
    expect(firsts).toEqual(upTo(70 * speed));
  });

  test('CLK 22: some seconds are the same ticks and state at every rate of frames', async () => {
    const seconds = scaled({ tiny: 2, normal: 10, full: 10 });
    const rates: (number | Rational)[] = [30, 60, 90, 120, 144, 240];
    rates.push({ numerator: 60_000, denominator: 1001 });
    const ends = new Set<string>();
    for (const rate of rates) {
      const sim = await startDriven();
      const times = new FrameTimes(rate);
      let frame = 1;
      for (; times.timestamp(frame) <= seconds; frame++)
        await sim.clock.advance(times.delta(frame));
      const rest = seconds - times.timestamp(frame - 1);
      await sim.clock.advance(rest);
      const { tick, hash } = await sim.stateHash();
      ends.add(`${tick} ${sim.clock.status().dropped} ${hash}`);
    }
    expect([...ends]).toEqual([expect.stringMatching(`^${60 * seconds} 0 `)]);
  });
});

describe('a pause from another thread', () => {
  test('CLK 16: lets no tick run after it; steps run, two at once too', async () => {
    const sim = await start({ tickRateHz: 1000 });
    for (let round = 0; round < scaled({ tiny: 5, normal: 20, full: 200 }); round++) {
      const before = sim.tick;
      await sim.clock.resume();
      await until('the clock runs', () => sim.tick > before);
      await sim.clock.pause();
      const { tick } = sim;
      // Five frames of 1/60 s: 83 ticks of this clock, if it ran.
      expect(await sim.waitForTickChange(tick, 5000 / 60)).toMatchObject({ reason: 'timed-out' });
      expect(await sim.clock.stepOnce()).toMatchObject({ firstTick: tick, steps: 1 });
      await Promise.all([sim.clock.stepOnce(), sim.clock.stepOnce()]);
      expect([sim.tick, await sim.queries.lengths()]).toEqual([tick + 3, [tick + 3, 0.001, 0.001]]);
    }
  });

  test('CLK 17: holds the picture bitwise, and lets it go on without a jump', async () => {
    const sim = await start({ tickRateHz: 60 });
    const view = openView(sim.share(), { slackMs: 0 });
    await until('tick 3', () => sim.tick >= 3);
    await sim.clock.pause();
    const paused = performance.now();
    const held = look(view, paused);
    for (let i = 0; i <= 100; i++) expect(look(view, paused + i * 30)).toEqual(held);
    const before = performance.now();
    await sim.clock.resume();
    let shown = held.place;
    while (sim.tick < held.tick + 20) {
      const { place } = look(view);
      const now = performance.now();
      expect(place).toBeGreaterThanOrEqual(shown);
      // A single precision column is exact to 2^-15 here.
      expect(place - held.place).toBeLessThanOrEqual(((now - before) * 60) / 1000 + 2 ** -15);
      shown = place;
      await sim.waitForTickChange(sim.tick, 3);
    }
    expect(sim.stats().ticksDropped).toBe(0);
    view.close();
  });

  test('CLK 17: and a resume at once, time and again, lose no tick and repeat none', async () => {
    const sim = await start({ tickRateHz: 60 });
    const view = openView(sim.share(), { slackMs: 0 });
    let shown = 0;
    for (let i = 0; i < scaled({ tiny: 50, normal: 300, full: 3000 }); i++) {
      await Promise.all([sim.clock.pause(), sim.clock.resume()]);
      const { place } = look(view);
      expect(place).toBeGreaterThanOrEqual(shown);
      shown = place;
    }
    const { tick } = sim;
    await until('the clock runs', () => sim.tick > tick);
    await sim.clock.pause();
    expect(await sim.queries.lengths()).toEqual([sim.tick, 1 / 60, 1 / 60]);
    expect(sim.stats().ticksDropped).toBe(0);
    view.close();
  });
});

test('XCLK 53: a reader that seldom looks sees the newest ticks, nothing piles up', async () => {
  const sim = await start({ tickRateHz: 240 });
  const view = openView(sim.share());
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  for (let i = 0; i < scaled({ tiny: 2, normal: 5, full: 60 }); i++) {
    // Its thread is what is held up: as a hidden page’s is.
    Atomics.wait(asleep, 0, 0, scaled({ tiny: 100, normal: 300, full: 1000 }));
    const newest = sim.tick;
    const { tick, place } = look(view);
    expect(tick).toBeGreaterThanOrEqual(newest);
    expect(place).toBeGreaterThanOrEqual(newest - 2);
  }
  const { skippedPublications, eventsDropped, inputsDropped } = sim.stats();
  expect([skippedPublications, eventsDropped, inputsDropped]).toEqual([0, 0, 0]);
  view.close();
});

test('SAB 74: a tick of two words is never seen by halves, nor beside another epoch', async () => {
  const sim = await startDriven();
  const view = openView(sim.share());
  const ticks = [2 ** 32 - 1, 2 ** 32];
  const wrong: string[] = [];
  const seen = new Set<number>();
  for (let round = 0; round < scaled({ tiny: 20, normal: 200, full: 5000 }); round++) {
    const { epoch } = sim.clock.status();
    const seeks = Array.from({ length: 50 }, (_, i) => sim.clock.seekTick(ticks[i % 2] as number));
    const end = performance.now() + 10_000;
    // Read all the time, while the other thread writes: nothing is awaited in between.
    for (let reached = epoch; reached < epoch + 50; ) {
      const status = sim.clock.status();
      const frame = view.frame();
      for (const each of [status, frame]) {
        seen.add(each.epoch - epoch);
        if (each.epoch === epoch) continue;
        const expected = ticks[(each.epoch - epoch - 1) % 2];
        if (each.tick !== expected) wrong.push(`tick ${each.tick} in epoch ${each.epoch}`);
      }
      frame.release();
      reached = status.epoch;
      if (performance.now() > end) throw new Error(`epoch ${reached} after 10 s`);
    }
    await Promise.all(seeks);
  }
  expect(wrong).toEqual([]);
  // It saw some of what came between.
  expect(seen.size).toBeGreaterThan(5);
  view.close();
});

describe('one trajectory', () => {
  const ticks = scaled({ tiny: 40, normal: 150, full: 2000 });

  /** The hash after each tick, from the present one on. */
  async function hashesOf(sim: Sim): Promise<string[]> {
    const hashes: string[] = [];
    for (let i = 0; i <= ticks; i++) {
      hashes.push((await sim.stateHash()).hash);
      await sim.clock.stepOnce();
    }
    return hashes;
  }

  test('DET 115: twice on one thread, after a restart, and on a fresh one', async () => {
    const first = await startDriven({ seed: 9 });
    const hashes = await hashesOf(first);
    await first.restart({ seed: 9, tickRateHz: 60 });
    expect(await hashesOf(first)).toEqual(hashes);
    expect(await hashesOf(await startDriven({ seed: 9 }))).toEqual(hashes);
    expect(new Set(hashes).size).toBe(ticks + 1);
  });

  test.each([0.5, 1, 2, 30])(
    'DET 116: live at %sx, with stalls, each tick that is seen is that of a batch',
    async (speed) => {
      const live = await start({ speed, tickRateHz: 60, maxTicksPerAdvance: 4 });
      const batch = await startDriven();
      let tick = 0;
      for (let stop = 0; stop < scaled({ tiny: 2, normal: 4, full: 20 }); stop++) {
        await until('ticks ran', () => live.tick > tick);
        if (stop % 2 === 1) await live.queries.block(150);
        await live.clock.pause();
        const seen = await live.stateHash();
        await batch.clock.advanceTicks(seen.tick - tick);
        expect(await batch.stateHash()).toEqual(seen);
        ({ tick } = seen);
        await live.clock.resume();
      }
    },
  );

  test('DET 116: under every pacing, on a thread of its own too', async () => {
    const { stalling } = (await import(builtModule('stalling.sim'))) as { stalling: Stalling };
    const report = await expectSameTrajectory(stalling, {
      ticks,
      seed: 9,
      startElsewhere: () => startDriven({ tickRateHz: 20, seed: 9 }),
    });
    expect(report.pacings).toContain('elsewhere, live at 2x');
  });
});

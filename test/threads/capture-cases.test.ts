import { Worker } from 'node:worker_threads';
import { startSimulation } from 'escapement';
import { openView, type View } from 'escapement/render';
import { afterEach, describe, expect, test } from 'vitest';
import { FrameTimes } from '../../src/shared/frame-times.ts';
import { Fnv64 } from '../../src/shared/hash.ts';
import type { Rational } from '../../src/shared/rational.ts';
import { scaled } from '../scaled.ts';
import { builtModule } from './built-worker.ts';
import { closeAll, closeLater, createDice, Crew, startDriven } from './crew.ts';
import { type ProbeSimulation, type ProbeTypes, startProbe, TIERS } from './tier.ts';

/** Faults of captures, by their number in the catalogue of cases, over threads. */

afterEach(closeAll);

const CHANNELS = ['position', 'heading', 'kind', 'rare'] as const;

interface Shot {
  readonly tick: number;
  readonly alpha: number;
  readonly time: number;
  /** Of the handles and the blended columns, byte by byte. */
  readonly hash: string;
}

/** Takes the frame that a view shows now. */
function shoot(view: View<ProbeTypes>): Shot {
  const frame = view.frame();
  const { tick, alpha, time } = frame;
  const hash = new Fnv64();
  for (const handle of frame.entities) hash.u32(handle);
  for (const channel of CHANNELS) {
    const { buffer, byteOffset, byteLength } = frame.blend(channel);
    hash.bytes(new Uint8Array(buffer, byteOffset, byteLength).slice());
  }
  frame.release();
  return { tick, alpha, time, hash: hash.hex() };
}

/** A world that moves, whose probes were steered alike. */
async function startScene(): Promise<ProbeSimulation> {
  const sim = await startDriven({ seed: 4 });
  for (let i = 0; i < 20; i++) await sim.queries.spawn(i / 7, i / 3);
  return sim;
}

describe('CAP 146: frames do not depend on who is late', () => {
  const frames = scaled({ tiny: 12, normal: 60, full: 300 });
  const delayMsMax = scaled({ tiny: 3, normal: 20, full: 500 });

  /** Captures at a rate; a reader and two followers on other threads are late at random. */
  async function capture(rate: Rational, seed: number): Promise<unknown[]> {
    const times = new FrameTimes(rate);
    const dice = createDice(seed);
    const sim = await startScene();
    const crew = new Crew(sim);
    await crew.start(0, 1, { delayMsMax, seed });
    await crew.start(1, 5, { delayMsMax, seed: seed + 100, wait: 'async' });
    const view = openView(sim.share());
    const shots: unknown[] = [];
    for (let k = 1; k <= frames; k++) {
      const advance = await sim.clock.advance(times.delta(k));
      // The exact count of quanta of 1/60 s up to frame k, and up to the one before.
      const due = Math.floor((k * 60 * rate.denominator) / rate.numerator);
      const before = Math.floor(((k - 1) * 60 * rate.denominator) / rate.numerator);
      expect([seed, k, advance]).toMatchObject([
        seed,
        k,
        { firstTick: before, steps: due - before, dropped: 0 },
      ]);
      expect(await sim.waitCaughtUp({ timeoutMs: 60_000 })).toMatchObject({ reason: 'caught-up' });
      const made = [0, 1].map((i) => [crew.word(i, 'steps'), crew.word(i, 'state')]);
      await new Promise((resolve) => setTimeout(resolve, dice(delayMsMax)));
      const shot = shoot(view);
      expect([seed, shot.tick, made[0]?.[0], made[1]?.[0]]).toEqual([
        seed,
        due,
        due,
        Math.floor(due / 5),
      ]);
      shots.push({ ...shot, made, at: times.timestamp(k) });
    }
    view.close();
    await closeAll();
    return shots;
  }

  test.each([
    [24, 1],
    [30_000, 1001],
  ])('%i/%i a second hold the steps of their quanta, twice alike', async (rise, run) => {
    const rate = { numerator: rise, denominator: run };
    const [once, again] = [await capture(rate, 1), await capture(rate, 2)];
    expect(again).toEqual(once);
    expect(new Set(once.map((shot) => JSON.stringify(shot))).size).toBe(frames);
  });
});

test.each(TIERS)(
  'CAP 149: the first frame over the %s tier shows tick 0, all of it',
  async (tier) => {
    const sim = await startProbe(tier, { drivenBy: 'host', params: { population: 200 } });
    closeLater(() => sim.stop());
    const view = openView(sim.share());
    const frame = view.frame();
    expect([frame.status, frame.tick, frame.count]).toEqual(['ok', 0, 200]);
    expect([...frame.blend('position')]).toEqual(
      Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? i / 2 : 0)),
    );
    frame.release();
    view.close();
  },
);

test('CAP 151: four threads that each take every fourth frame make the film of one', async () => {
  const frames = scaled({ tiny: 24, normal: 120, full: 120 });
  const times = new FrameTimes(30);
  const take = async (of: number, first: number): Promise<Map<number, Shot>> => {
    const sim = await startScene();
    const view = openView(sim.share());
    const shots = new Map<number, Shot>();
    for (let k = 1; k <= frames; k++) {
      await sim.clock.advance(times.delta(k));
      if (k % of === first) shots.set(k, shoot(view));
    }
    view.close();
    return shots;
  };
  const [inARow, ...quarters] = await Promise.all([
    take(1, 0),
    ...[1, 2, 3, 0].map((first) => take(4, first)),
  ]);
  const merged = quarters.flatMap((shots) => [...shots]).sort(([k], [n]) => k - n);
  expect(merged).toEqual([...inARow]);
  expect(new Set(merged.map(([, { hash }]) => hash)).size).toBe(frames);
});

test('CAP 146: a capture of 300 frames at 30 a second is 10 s, stamped k/30', async () => {
  const sim = await startSimulation(() => new Worker(builtModule('probe.sim')), {
    drivenBy: 'host',
    logLevel: 'off',
  });
  closeLater(() => sim.stop());
  const times = new FrameTimes(30);
  for (let k = 1; k <= 300; k++) {
    const { steps } = await sim.clock.advance(times.delta(k));
    expect([steps, times.timestamp(k)]).toEqual([2, k / 30]);
  }
  expect([sim.clock.status().time, times.timestamp(300), sim.tick]).toEqual([10, 10, 600]);
});

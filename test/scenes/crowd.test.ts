import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { startSimulation } from 'escapement';
import { openView } from 'escapement/render';
import { inline } from 'escapement/sim';
import { expect, test } from 'vitest';
import { crowd } from '../../scenes/crowd.sim.ts';
import { scaled } from '../scaled.ts';

const data = fileURLToPath(new URL('../../../shared/data/ped_bidirectional', import.meta.url));

interface Walk {
  readonly source: string;
  readonly positions: Float32Array;
  readonly frames: number;
  readonly people: number;
}

/** Real people where the recording is there: it is no part of the project. */
function readWalk(): Walk {
  if (!existsSync(`${data}.f32.gz`)) return inventWalk();
  const { frames, entities } = JSON.parse(readFileSync(`${data}.json`, 'utf8')) as {
    frames: number;
    entities: number;
  };
  const positions = new Float32Array(frames * entities * 3);
  new Uint8Array(positions.buffer).set(gunzipSync(readFileSync(`${data}.f32.gz`)));
  return { source: 'recorded people', positions, frames, people: entities };
}

/** Walkers of our own making, who come and go as well: they sway a little as they walk. */
function inventWalk(): Walk {
  const frames = 601;
  const people = 40;
  const positions = new Float32Array(frames * people * 3).fill(Number.NaN);
  for (let person = 0; person < people; person++) {
    for (let frame = person * 10; frame < Math.min(frames, person * 10 + 180); frame++) {
      const seconds = frame / 25;
      positions.set(
        [seconds * 1.3, person / 10 + 0.05 * Math.sin(seconds * 6), 0],
        (frame * people + person) * 3,
      );
    }
  }
  process.stdout.write('crowd: no recording in ../shared/data, 1 recording passed over\n');
  return { source: 'invented walkers', positions, frames, people };
}

test('every second frame of walking people, blended, is where they walked in between', async () => {
  const { source, positions, frames, people } = readWalk();
  const clock = { seconds: 1, nanos: 0, read: (out: { seconds: number; nanos: number }) => out };
  clock.read = (out) => Object.assign(out, { seconds: clock.seconds, nanos: clock.nanos });
  const manual = inline(crowd, { pacing: 'manual', clock });
  const sim = await startSimulation(manual, { params: { every: 2 }, tickRateHz: 12.5 });
  await sim.queries.load(positions, frames, people);
  const view = openView(sim.share());
  const ticks = Math.min(
    Math.floor((frames - 1) / 2),
    scaled({ tiny: 300, normal: 3000, full: 3000 }),
  );
  const out = [0, 0, 0];
  const at = (frame: number, person: number, axis: number): number =>
    positions[(frame * people + person) * 3 + axis] as number;
  let blended = 0;
  let snapped = 0;
  let offBlend = 0;
  let sumError = 0;
  let worstError = 0;
  for (let tick = 1; tick <= ticks; tick++) {
    // Half a quantum past the tick's due instant: alpha is one half.
    const ns = tick * 80_000_000 + 40_000_000;
    clock.seconds = 1 + Math.floor(ns / 1e9);
    clock.nanos = ns % 1e9;
    manual.runDue();
    const frame = view.frame();
    expect(frame.tick).toBe(tick);
    expect(frame.alpha).toBe(0.5);
    const here = Array.from({ length: people }, (_, p) => p).filter(
      (p) => !Number.isNaN(at(2 * tick, p, 0)),
    );
    expect(frame.count).toBe(here.length);
    const who = frame.blend('person');
    const xyz = frame.blend('position');
    frame.entities.forEach((handle, row) => {
      // A person who has just come shows at once, and `person` is a step: ask for the row's own.
      const person = frame.sample(handle as never, 'person', out) === 'snapped' ? out[0] : who[row];
      const status = frame.sample(handle as never, 'position', out);
      const before = [0, 1, 2].map((axis) => at(2 * tick - 2, person as number, axis));
      const after = [0, 1, 2].map((axis) => at(2 * tick, person as number, axis));
      expect([...xyz.subarray(3 * row, 3 * row + 3)]).toEqual(out.map(Math.fround));
      if (Number.isNaN(before[0] as number) || status === 'snapped') {
        snapped++;
        expect(out).toEqual(after);
        return;
      }
      blended++;
      const linear = [0, 1, 2].map(
        (axis) => ((before[axis] as number) + (after[axis] as number)) / 2,
      );
      for (const axis of [0, 1, 2]) {
        offBlend = Math.max(offBlend, Math.abs((out[axis] as number) - (linear[axis] as number)));
      }
      const error = Math.hypot(
        (out[0] as number) - at(2 * tick - 1, person as number, 0),
        (out[1] as number) - at(2 * tick - 1, person as number, 1),
      );
      if (!Number.isNaN(error)) {
        sumError += error;
        worstError = Math.max(worstError, error);
      }
    });
    frame.release();
  }
  view.close();
  await sim.stop();
  const meanMm = ((1000 * sumError) / blended).toFixed(2);
  process.stdout.write(
    `crowd: ${source}, ${blended} positions blended, ${snapped} snapped; ` +
      `off an independent linear blend by at most ${offBlend.toExponential(1)} m; ` +
      `off the walk by ${meanMm} mm on average, ${(1000 * worstError).toFixed(1)} mm at most\n`,
  );
  expect(blended).toBeGreaterThan(ticks * 5);
  expect(offBlend).toBeLessThan(1e-5);
  expect(sumError / blended).toBeLessThan(0.01);
  expect(worstError).toBeLessThan(0.25);
});

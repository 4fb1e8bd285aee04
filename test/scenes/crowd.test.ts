import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Entity } from 'escapement/sim';
import { expect, test } from 'vitest';
import { crowd, type Recording } from '../../scenes/crowd.sim.ts';
import { scaled } from '../scaled.ts';
import { hashChannels, runScene } from './scene-run.ts';

const data = fileURLToPath(new URL('../../../shared/data/ped_bidirectional', import.meta.url));
/** Half of the recording's 25 Hz: every second frame is played. */
const TICK_RATE_HZ = 12.5;
/** The state of the invented walkers at tick 249. */
const GOLDEN = 'e4a40801000c60cc';

/** Real people, where the recording is there: it is no part of the project. */
function readRecordedPeople(): Recording | undefined {
  if (!existsSync(`${data}.f32.gz`)) {
    process.stdout.write('crowd: no recording in ../shared/data, 1 recording passed over\n');
    return undefined;
  }
  const { frames, entities } = JSON.parse(readFileSync(`${data}.json`, 'utf8')) as {
    frames: number;
    entities: number;
  };
  const positions = new Float32Array(frames * entities * 3);
  new Uint8Array(positions.buffer).set(gunzipSync(readFileSync(`${data}.f32.gz`)));
  return { positions, frames, people: entities };
}

/** Walkers of our own making, who come and go as well: they sway a little as they walk. */
function inventWalkers(): Recording {
  const frames = 601;
  const people = 40;
  const positions = new Float32Array(frames * people * 3).fill(Number.NaN);
  for (let person = 0; person < people; person++) {
    for (let frame = person * 10; frame < Math.min(frames, person * 10 + 180); frame++) {
      const sway = 0.004 * Math.abs((frame % 26) - 13);
      positions.set([frame * 0.052, person / 10 + sway, 0], (frame * people + person) * 3);
    }
  }
  return { positions, frames, people };
}

/** Reads one number of a recording; NaN while absent. */
function at({ positions, people }: Recording, frame: number, person: number, axis: number): number {
  return positions[(frame * people + person) * 3 + axis] as number;
}

/** What playing every second frame came to; lengths in metres. */
interface Comparison {
  blended: number;
  snapped: number;
  /** The most a position is off an independent linear blend of the frames around it. */
  offBlend: number;
  /** How far positions are off the frame in between, that was not played. */
  offWalkSum: number;
  offWalkMax: number;
}

/** Plays every second frame and compares the positions half-way with those left out. */
async function compare(recording: Recording, ticks: number): Promise<Comparison> {
  const { positions, frames, people } = recording;
  const run = await runScene(crowd, { params: { every: 2 }, tickRateHz: TICK_RATE_HZ });
  await run.sim.queries.load(positions, frames, people);
  const result = { blended: 0, snapped: 0, offBlend: 0, offWalkSum: 0, offWalkMax: 0 };
  const out = [0, 0, 0];
  for (let tick = 1; tick <= ticks; tick++) {
    // Half a quantum past the tick's due instant: alpha is one half.
    run.frameAt(tick * 80e6 + 40e6);
    const frame = run.view.frame();
    expect([frame.tick, frame.alpha]).toEqual([tick, 0.5]);
    let here = 0;
    for (let p = 0; p < people; p++) if (!Number.isNaN(at(recording, 2 * tick, p, 0))) here++;
    expect(frame.count).toBe(here);
    const xyz = frame.blend('position');
    frame.entities.forEach((handle, row) => {
      // Nobody becomes another: the step channel says the same at both ticks.
      frame.sample(handle as Entity, 'person', out);
      const person = out[0] as number;
      const status = frame.sample(handle as Entity, 'position', out);
      expect([...xyz.subarray(3 * row, 3 * row + 3)]).toEqual(out.map(Math.fround));
      compareWalker(recording, 2 * tick, person, status === 'snapped', out, result);
    });
    frame.release();
  }
  await run.close();
  return result;
}

function compareWalker(
  recording: Recording,
  later: number,
  person: number,
  isSnapped: boolean,
  shown: readonly number[],
  result: Comparison,
): void {
  const axes = [0, 1, 2];
  const before = axes.map((axis) => at(recording, later - 2, person, axis));
  const after = axes.map((axis) => at(recording, later, person, axis));
  // Tick 0 shows nobody, so whoever is there in tick 1 has just come.
  expect(isSnapped).toBe(later === 2 || Number.isNaN(before[0]));
  if (isSnapped) {
    result.snapped++;
    expect(shown).toEqual(after);
    return;
  }
  result.blended++;
  for (const axis of axes) {
    const linear = ((before[axis] as number) + (after[axis] as number)) / 2;
    result.offBlend = Math.max(result.offBlend, Math.abs((shown[axis] as number) - linear));
  }
  const off = Math.hypot(
    (shown[0] as number) - at(recording, later - 1, person, 0),
    (shown[1] as number) - at(recording, later - 1, person, 1),
  );
  if (Number.isNaN(off)) return;
  result.offWalkSum += off;
  result.offWalkMax = Math.max(result.offWalkMax, off);
}

test('every second frame of recorded people, blended, is where they walked', async () => {
  const recording = readRecordedPeople();
  if (recording === undefined) return;
  const ticks = scaled({ tiny: 300, normal: 1600, full: 1600 });
  const { blended, snapped, offBlend, offWalkSum, offWalkMax } = await compare(recording, ticks);
  const meanMm = ((1000 * offWalkSum) / blended).toFixed(2);
  process.stdout.write(
    `crowd: ${blended} positions of recorded people blended, ${snapped} snapped; ` +
      `off an independent linear blend by at most ${offBlend.toExponential(1)} m; ` +
      `off the walk by ${meanMm} mm on average, ${(1000 * offWalkMax).toFixed(1)} mm at most\n`,
  );
  expect(blended).toBeGreaterThan(ticks * 5);
  // Half a step in the last place of an f32 of some metres.
  expect(offBlend).toBeLessThan(1e-6);
  expect(offWalkSum / blended).toBeLessThan(0.005);
  expect(offWalkMax).toBeLessThan(0.15);
});

test('every second frame of invented walkers, blended, is the linear blend', async () => {
  const { blended, snapped, offBlend, offWalkMax } = await compare(inventWalkers(), 300);
  expect(snapped).toBe(40);
  expect(blended).toBeGreaterThan(3000);
  expect(offBlend).toBeLessThan(2e-6);
  // They turn within a frame: what is cut off there is one frame's sway.
  expect(offWalkMax).toBeLessThan(0.0041);
});

test('a crowd has one state, and nobody walks from the end back to the start', async () => {
  const { positions, frames, people } = inventWalkers();
  const run = await runScene(crowd, { params: { every: 2 }, tickRateHz: TICK_RATE_HZ });
  await run.sim.queries.load(positions, frames, people);
  for (let tick = 1; tick <= 250; tick++) run.frameAt(tick * 80e6);
  expect(run.sim.tick).toBe(250);
  expect(hashChannels(run, ['position', 'person'])).toBe(GOLDEN);
  for (let tick = 251; tick <= 302; tick++) run.frameAt(tick * 80e6);
  const frame = run.view.frame();
  expect(frame.global('rounds')).toBe(1);
  expect(frame.global('frame')).toBe((302 * 2) % frames);
  const out = [0, 0, 0];
  for (const handle of frame.entities) {
    expect(frame.sample(handle as Entity, 'position', out)).toMatch(/ok|snapped/);
    expect(out[0]).toBeLessThan(1);
  }
  frame.release();
  await run.close();
});

test('another recording takes the place of the first, and nobody of that stays', async () => {
  const { positions, frames, people } = inventWalkers();
  const run = await runScene(crowd);
  await run.sim.queries.load(positions, frames, people);
  await run.sim.clock.advanceTicks(200);
  const crowded = run.view.frame();
  expect(crowded.count).toBeGreaterThan(10);
  crowded.release();
  // As long as the first: the next frame comes after the last one shown, as in one recording.
  const waiting = Float32Array.from({ length: frames * 3 }, (_, k) => 7 + (k % 3));
  await run.sim.queries.load(waiting, frames, 1);
  await run.sim.clock.advanceTicks(1);
  const alone = run.view.frame();
  const out = [0, 0, 0];
  expect(alone.count).toBe(1);
  expect(alone.sample(alone.entities[0] as Entity, 'position', out)).toBe('snapped');
  expect(out).toEqual([7, 8, 9]);
  alone.release();
  await run.close();
});

test('a recording that does not fit is refused, and so is a fraction of a frame', async () => {
  const run = await runScene(crowd);
  for (const [numbers, frames, people] of [
    [5, 1, 2],
    [15, -1, -5],
    [0, 0, 0],
    [3, 0.5, 2],
    [4097 * 3, 1, 4097],
  ] as const) {
    await expect(run.sim.queries.load(new Float32Array(numbers), frames, people)).rejects.toThrow(
      /frames x .* people take/,
    );
  }
  await run.close();
  await expect(runScene(crowd, { params: { every: 1.5 } })).rejects.toThrow('setup threw');
});

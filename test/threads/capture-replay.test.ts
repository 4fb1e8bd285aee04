import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { captureFrames, readReplay, startSimulation } from 'escapement';
import { openView } from 'escapement/render';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Flock } from '../../scenes/flock.sim.ts';
import { scaled } from '../scaled.ts';
import { begin, end, type Ended, FLOCK, manifestOf, root } from './capture-process.ts';
import { startProbe, TIERS } from './tier.ts';

/** Films of recorded runs, by the command and over threads. */

const scratch = mkdtempSync(join(tmpdir(), 'escapement-filmed-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const place = (name: string): string => join(scratch, name);

const SIZE = ['--width', '64', '--height', '40'] as const;
const RATE = ['--fps', '24000/1001'] as const;
const HASH_TICKS = 5;
const frames = scaled({ tiny: 8, normal: 24, full: 120 });
/** The first tick after which such a film is over. */
const ticks = Math.ceil(((frames - 1) * 60 * 1001) / 24_000);

/** Records a flock that is led about, `late` ticks after its start. */
async function recordFlock(path: string, late: number): Promise<void> {
  await using sim = await startSimulation<Flock>(() => new Worker(FLOCK), {
    drivenBy: 'host',
    logLevel: 'off',
    seed: 2 ** 40 + 7,
    tickRateHz: 60,
    params: { population: 40 },
  });
  if (late > 0) await sim.clock.advanceTicks(late);
  const periods = { hashEveryTicks: HASH_TICKS, keyframeEveryTicks: 8 };
  const recording = await sim.record(periods);
  for (let tick = 0; tick < ticks; tick++) {
    sim.inputs.pointer({ x: (tick % 9) / 9, y: 0.2, down: tick % 7 === 3, active: true });
    await sim.clock.stepOnce();
  }
  const { bytes } = await recording.stop();
  writeFileSync(path, bytes as Uint8Array);
}

/** Films a recording, small, and expects that to succeed in silence. */
async function film(out: string, replay: string, ...args: readonly string[]): Promise<Ended> {
  const given = [FLOCK, '--replay', replay, ...SIZE, ...RATE, '--out', out, ...args];
  const ended = await end(begin(given));
  expect([ended.code, ended.err]).toEqual([0, '']);
  return ended;
}

/** The hashes of a recording, by tick. */
function hashesOf(path: string): Map<number, string> {
  const replay = readReplay(readFileSync(path));
  const text = (word: number): string => word.toString(16).padStart(8, '0');
  return new Map(
    Array.from({ length: replay.hashCount }, (_, k) => {
      const { tick, high, low } = replay.hashAt(k);
      return [tick, text(high) + text(low)];
    }),
  );
}

describe('escapement capture --replay', () => {
  const run = place('run.replay');
  beforeAll(() => recordFlock(run, 0));

  test('films all of the recorded run, on one thread and on three', async () => {
    const [one, three] = [place('one/'), place('three/')];
    await film(one, run);
    await film(three, run, '--jobs', '3');
    const files = readdirSync(one);
    expect(files).toHaveLength(frames + 1);
    for (const file of files) {
      const same = readFileSync(join(three, file)).equals(readFileSync(join(one, file)));
      expect([file, same]).toEqual([file, true]);
    }
    const manifest = manifestOf(join(one, 'manifest.json'));
    expect(manifest).toMatchObject({ seed: 2 ** 40 + 7, params: { population: 40 }, fromTick: 0 });
    const recorded = hashesOf(run);
    const both = manifest.frames.filter(({ stateTick }) => recorded.has(stateTick));
    // The frames of that rate are seldom at a tick with a hash; two of these are.
    expect(both.length).toBeGreaterThan(1);
    for (const { stateTick, stateHash } of both) {
      expect([stateTick, stateHash]).toEqual([stateTick, recorded.get(stateTick)]);
    }
    // Nobody led the flock there.
    const plain = place('plain/');
    const live = [FLOCK, ...SIZE, ...RATE, '--out', plain, '--frames', String(frames)];
    const same = ['--seed', String(2 ** 40 + 7), '--param', 'population=40'];
    expect(await end(begin([...live, ...same]))).toMatchObject({ code: 0, err: '' });
    const [first, ...rest] = manifestOf(join(plain, 'manifest.json')).frames;
    expect(first).toEqual(manifest.frames[0]);
    expect(rest.at(-1)?.pixelHash).not.toBe(manifest.frames.at(-1)?.pixelHash);
  });

  test('CAP 151: frames that are sought, in no order, are those of the film', async () => {
    const whole = place('whole.webp');
    await film(whole, run);
    const inARow = manifestOf(`${whole}.json`).frames;
    for (const first of [0, frames - 1, 2, 5]) {
      const out = place(`still-${first}/`);
      await film(out, run, '--first', String(first), '--frames', '1');
      expect(manifestOf(join(out, 'manifest.json')).frames).toEqual([inARow[first]]);
    }
  });

  test('begins where a recording begins that was made in mid-run', async () => {
    const [late, out] = [place('late.replay'), place('late/')];
    await recordFlock(late, 50);
    await film(out, late, '--frames', '3');
    const { fromTick, frames: shots } = manifestOf(join(out, 'manifest.json'));
    expect([fromTick, shots[0]?.stateHash]).toEqual([50, hashesOf(late).get(50)]);
  });

  test('refuses what was not recorded, and says how long it is', async () => {
    const [letter, out] = [place('letter.txt'), place('refused.gif')];
    writeFileSync(letter, 'Dear');
    const length = `ticks 0 to ${ticks}, which are ${Number((ticks / 60).toFixed(3))} s`;
    const many = ['--frames', String(frames + 1)];
    const attempts: readonly (readonly [args: readonly string[], code: number, text: string])[] = [
      [[run, ...many], 2, `${length}: ${frames} frames of 24000/1001 a second from tick 0 on`],
      [[run, ...many, '--jobs', '2'], 2, length],
      [[run, '--first', String(frames)], 2, length],
      [[run, '--from', String(ticks + 1)], 2, length],
      [[run, '--seed', '8'], 1, 'seed'],
      [[run, '--param', 'population=41', '--jobs', '2'], 1, 'population'],
      [[place('none.replay')], 2, 'none.replay'],
      [[letter], 1, 'REPLAY_INVALID'],
    ];
    for (const [args, code, text] of attempts) {
      const ended = await end(begin([FLOCK, '--out', out, ...RATE, '--replay', ...args]));
      expect([args, ended.code, ended.err]).toEqual([args, code, expect.stringContaining(text)]);
    }
    expect(readdirSync(scratch).filter((name) => /refused|partial/.test(name))).toEqual([]);
  });
});

test('state outside the world is found out by several threads, and named', async () => {
  const module = place('hidden.sim.mjs');
  const library = pathToFileURL(root('dist/sim-worker/index.js')).href;
  writeFileSync(
    module,
    `import { defineSimulation, position2d, runSimulation } from '${library}';
     let hidden = 0;
     runSimulation(defineSimulation({
       name: 'hidden', tickRateHz: 60, capacity: 2, components: { position: position2d() },
       publish: ['position'], globals: { count: 'u32' }, setup() {},
       systems: [{ name: 'count', run({ globals }) { globals.count = hidden += 3; } }],
     }));`,
  );
  const picture = place('blank.picture.mjs');
  writeFileSync(picture, `export const picture = { width: 4, height: 4, draw() {} };`);
  const args = [module, '--draw', picture, '--frames', '12', '--out'];
  expect(await end(begin([...args, place('hidden.gif'), '--fps', '20']))).toMatchObject({
    code: 0,
  });
  const { code, err } = await end(
    begin([...args, place('never.gif'), '--fps', '20', '--jobs', '2']),
  );
  expect([code, err]).toEqual([1, expect.stringContaining('keeps state outside its world')]);
  expect(readdirSync(scratch)).not.toContain('never.gif');
});

test('a physics engine goes from keyframe to keyframe on several threads', async () => {
  const picture = place('cubes.picture.mjs');
  writeFileSync(
    picture,
    `export const picture = { width: 32, height: 32, draw(pen, frame) {
       pen.fillStyle = 'black';
       pen.fillRect(0, 0, 32, 32);
       pen.fillStyle = 'white';
       const at = frame.blend('position');
       for (let i = 0; i < at.length; i += 3) pen.fillRect(16 + at[i], 30 - at[i + 1], 1.5, 1.5);
     } };`,
  );
  const cubes = [root('build/scenes/cubes.sim.js'), '--param', 'population=8', '--draw', picture];
  const [one, two] = [place('cubes.webp'), place('cubes-2.webp')];
  for (const [out, jobs] of [
    [one, '1'],
    [two, '2'],
  ] as const) {
    const args = [...cubes, ...RATE, '--first', '20', '--frames', '9', '--jobs', jobs];
    expect(await end(begin([...args, '--out', out]))).toMatchObject({ code: 0, err: '' });
  }
  expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
  expect(manifestOf(`${two}.json`)).toEqual(manifestOf(`${one}.json`));
  const pictures = manifestOf(`${one}.json`).frames.map(({ pixelHash }) => pixelHash);
  expect(new Set(pictures).size).toBe(9);
});

test.each(TIERS)('CAP 151: a replay over the %s tier gives each frame again', async (tier) => {
  await using live = await startProbe(tier, {
    drivenBy: 'host',
    params: { population: 20 },
    record: { keyframeEveryTicks: 40 },
  });
  await live.clock.advanceTicks(150);
  const { bytes } = (await live.recording?.stop()) ?? {};
  // Its own clock drives it, and stands: a replay waits for somebody to play it.
  await using sim = await startProbe(tier, { replay: bytes as Uint8Array });
  using view = openView(sim.share());
  const shown: unknown[] = [];
  const film = captureFrames(sim, {
    fps: 40,
    frames: [0, 90, 30, 61],
    view,
    draw: (frame) => void shown.push([frame.time, frame.blend('position')[0]]),
  });
  const indices: number[] = [];
  for await (const { index } of film) indices.push(index);
  expect(indices).toEqual([0, 90, 30, 61]);
  // The probe's first entity moves by one each tick.
  expect(shown).toEqual([0, 90, 30, 61].map((k) => [k / 40, 1.5 * k]));
});

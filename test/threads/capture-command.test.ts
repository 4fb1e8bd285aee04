import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { scaled } from '../scaled.ts';
import { begin, end, type Ended, FLOCK, manifestOf, root } from './capture-process.ts';
import { until } from './tier.ts';

/** `escapement capture` as a process of its own. */

const SMALL = ['--param', 'population=40', '--width', '64', '--height', '40'] as const;

const scratch = mkdtempSync(join(tmpdir(), 'escapement-capture-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Returns a path for a test to write to. */
const place = (name: string): string => join(scratch, name);

/** Films the flock, small, and expects that to succeed in silence. */
async function film(out: string, ...args: readonly string[]): Promise<Ended> {
  const ended = await end(begin([FLOCK, ...SMALL, '--out', out, ...args]));
  expect([ended.code, ended.err]).toEqual([0, '']);
  return ended;
}

describe('escapement capture', () => {
  const count = scaled({ tiny: 6, normal: 12, full: 120 });
  const cut = ['--fps', '24000/1001', '--frames', String(count)] as const;

  test('writes the same film twice, and on several threads', async () => {
    const names = ['one', 'two', 'three'].map((name) => place(`${name}/`));
    const [one = '', two = '', three = ''] = names;
    await film(one, ...cut);
    await film(two, ...cut);
    await film(three, ...cut, '--jobs', '3');
    const files = readdirSync(one);
    expect(files).toEqual([
      ...Array.from({ length: count }, (_, k) => `frame-${String(k).padStart(6, '0')}.png`),
      'manifest.json',
    ]);
    for (const file of files) {
      const bytes = readFileSync(join(one, file));
      const same = [two, three].map((folder) => readFileSync(join(folder, file)).equals(bytes));
      expect([file, same]).toEqual([file, [true, true]]);
    }
    const { frames, ...head } = manifestOf(join(one, 'manifest.json'));
    expect(head).toMatchObject({ simulation: 'flock', fps: '24000/1001', width: 64, height: 40 });
    expect(head.params).toEqual({ population: 40 });
    expect(new Set(frames.map(({ pixelHash }) => pixelHash)).size).toBe(count);
    expect(readdirSync(scratch).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('CAP 151: frames taken by runs of their own are those of the film', async () => {
    const whole = place('whole.webp');
    await film(whole, ...cut);
    const { frames } = manifestOf(`${whole}.json`);
    for (const first of [0, count - 1, 2, 4]) {
      const part = place(`part-${first}/`);
      await film(part, '--fps', '24000/1001', '--first', String(first), '--frames', '1');
      expect(manifestOf(join(part, 'manifest.json')).frames).toEqual([frames[first]]);
    }
  });

  test.each(['gif', 'webp'])(
    'a .%s of two threads is that of one, and says so as JSON',
    async (kind) => {
      const [one, two] = [place(`one.${kind}`), place(`two.${kind}`)];
      await film(one, '--fps', '25', '--frames', '6');
      const { out } = await film(two, '--fps', '25', '--frames', '6', '--jobs', '2', '--json');
      expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
      const events = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect(events.at(-2)).toEqual({ event: 'progress', frame: 6, frames: 6, secondsLeft: 0 });
      expect(events.at(-1)).toEqual({
        event: 'done',
        out: two,
        manifest: `${two}.json`,
        frames: 6,
        bytes: readFileSync(two).length,
      });
    },
  );

  test('a signal ends it, and leaves nothing behind', async () => {
    const folder = place('interrupted');
    mkdirSync(folder);
    for (const jobs of ['1', '2']) {
      const args = ['--frames', '100000', '--jobs', jobs, '--json'];
      const child = begin([FLOCK, ...SMALL, '--out', join(folder, 'a.webp'), ...args]);
      let heard = '';
      child.stdout?.on('data', (bytes: Buffer) => {
        heard += bytes.toString();
      });
      const ended = end(child);
      await until('frames are taken', () => /"frame":[1-9]/.test(heard), 30_000);
      child.kill('SIGINT');
      const { code, err } = await ended;
      expect([jobs, code, err]).toEqual([jobs, 1, expect.stringContaining('was interrupted')]);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test('a signal ends it while the run is recorded for several threads', async () => {
    const folder = place('early');
    mkdirSync(folder);
    const args = ['--frames', '10000000', '--jobs', '2', '--json'];
    const child = begin([FLOCK, ...SMALL, '--out', join(folder, 'a.webp'), ...args]);
    let heard = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      heard += bytes.toString();
    });
    const ended = end(child);
    await until('it has begun', () => heard.includes('"frame":0,'), 30_000);
    child.kill('SIGINT');
    const { code, err } = await ended;
    expect([code, err]).toEqual([1, expect.stringContaining('was interrupted')]);
    expect(heard).not.toMatch(/"frame":[1-9]/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a picture that throws ends it, on several threads too, and leaves nothing', async () => {
    const folder = place('torn');
    mkdirSync(folder);
    const picture = place('torn.picture.mjs');
    writeFileSync(
      picture,
      `export const picture = { width: 8, height: 8, draw(pen, frame, { index }) {
         if (index === 3) throw new Error('out of ink');
       } };`,
    );
    for (const jobs of ['1', '2']) {
      const args = ['--frames', '5', '--draw', picture, '--jobs', jobs];
      const { code, err } = await end(begin([FLOCK, '--out', join(folder, 'a.gif'), ...args]));
      expect([code, err]).toEqual([1, expect.stringContaining('out of ink')]);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test('what cannot be is refused with 2 before anything is written', async () => {
    const folder = place('refused');
    mkdirSync(folder);
    writeFileSync(join(folder, 'letter.txt'), 'Dear');
    const blank = join(folder, 'blank.picture.mjs');
    writeFileSync(blank, 'export const picture = {};');
    const out = join(folder, 'a.gif');
    const attempts: readonly (readonly [args: readonly string[], message: string])[] = [
      [[FLOCK, '--out', `${folder}/`], 'is not empty'],
      [[FLOCK, '--out', `${folder}/`, '--force'], 'is not empty'],
      [[FLOCK, '--out', join(folder, 'nowhere/a.gif')], 'mkdir -p'],
      [[FLOCK, '--out', out, '--param', 'birds=1'], 'population'],
      [[FLOCK, '--out', out, '--param', 'birds=1', '--jobs', '2'], 'population'],
      [[FLOCK, '--out', out, '--draw', blank], 'exports no picture'],
      [[FLOCK, '--out', out, '--draw', join(folder, 'none.mjs')], 'There is no such module'],
      [[root('build/bench/workers/idle.sim.js'), '--out', out], '--draw MODULE'],
    ];
    for (const [args, message] of attempts) {
      const { code, err } = await end(begin([...args, '--frames', '2']));
      expect([args, code, err]).toEqual([args, 2, expect.stringContaining(message)]);
    }
    expect(readdirSync(folder).sort()).toEqual(['blank.picture.mjs', 'letter.txt']);
  });

  test('without ffmpeg a video is refused with 1, and says what to install', async () => {
    const missing = ['--ffmpeg', place('no-ffmpeg')];
    const { code, err } = await end(begin([FLOCK, '--out', place('a.mp4'), ...missing]));
    expect([code, err]).toEqual([1, expect.stringContaining('apt install ffmpeg')]);
  });

  test('a folder of frames is replaced only where that is asked for', async () => {
    const folder = place('again/');
    await film(folder, '--frames', '3');
    const args = [FLOCK, ...SMALL, '--out', folder, '--frames', '2'];
    const { code, err } = await end(begin(args));
    expect([code, err]).toEqual([2, expect.stringContaining('--force')]);
    await film(folder, '--frames', '2', '--force', '--manifest', place('elsewhere.json'));
    expect(readdirSync(folder)).toEqual(['frame-000000.png', 'frame-000001.png']);
    expect(manifestOf(place('elsewhere.json')).frames).toHaveLength(2);
  });

  test('TypeScript is loaded where tsx is, on each thread that needs it', async () => {
    const source = root('scenes/flock.sim.ts');
    const [typed, built] = [place('typed/'), place('built/')];
    const args = [source, ...SMALL, '--out', typed, '--frames', '4', '--jobs', '2'];
    expect(await end(begin(args))).toMatchObject({ code: 0, err: '' });
    await film(built, '--frames', '4');
    expect(manifestOf(join(typed, 'manifest.json'))).toEqual(
      manifestOf(join(built, 'manifest.json')),
    );
  });
});

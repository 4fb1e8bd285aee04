import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { formatTable } from '../../demo/headless/figures.ts';
import { readOptions, UsageError } from '../../demo/headless/options.ts';
import { readRecording } from '../../demo/headless/recording.ts';

const folder = mkdtempSync(join(tmpdir(), 'escapement-headless-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file for one test; returns its path. */
function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('an empty command line runs the flock for ten seconds', () => {
  expect(readOptions(['--headless'])).toEqual({
    scene: 'flock',
    seconds: 10,
    entities: undefined,
    data: undefined,
    seed: 0,
    json: false,
  });
});

test('every option is taken as it is given', () => {
  const argv = '--scene=storm --seconds 0.5 --entities 300 --seed 7 --json'.split(' ');
  expect(readOptions(argv)).toEqual({
    scene: 'storm',
    seconds: 0.5,
    entities: 300,
    data: undefined,
    seed: 7,
    json: true,
  });
});

test.each([
  ['--scene nope', 'there is flock, bounce, storm, crowd, cubes, skeletons'],
  ['--bogus', '--bogus'],
  ['--seconds x', 'a number from 0.1 to 86400'],
  ['--seconds 0', 'a number from 0.1 to 86400'],
  ['--entities 1.5', 'a whole number from 1 to 100000'],
  ['--scene bounce --entities 10001', 'a whole number from 1 to 10000'],
  ['--scene cubes --entities 3001', 'a whole number from 1 to 3000'],
  ['--seed 1.5', 'a whole number from 0'],
  ['--seed -1', 'seed'],
  ['--scene crowd', 'needs a recording'],
  ['--scene flock --data some.f32', 'is for the scene crowd'],
  ['--scene crowd --data some.f32 --entities 5', 'the recording says who is there'],
])('%s is refused', (line, message) => {
  const argv = line.split(' ');
  expect(() => readOptions(argv)).toThrow(UsageError);
  expect(() => readOptions(argv)).toThrow(message);
});

test('a recording is read as it lies, and unpacked where it is packed', () => {
  const positions = Float32Array.of(1, 2, 3, Number.NaN, 5, 6);
  const bytes = new Uint8Array(positions.buffer);
  file('walk.json', '{"frames": 2, "entities": 1}');
  for (const path of [file('walk.f32', bytes), file('walk.f32.gz', gzipSync(bytes))]) {
    expect(readRecording(path)).toEqual({ positions, frames: 2, people: 1 });
  }
});

test('files that make no recording are refused by name', () => {
  const named = file('walk.txt', '');
  const alone = file('alone.f32', '');
  const packed = file('packed.f32.gz', 'not packed');
  file('packed.json', '{"frames": 1, "entities": 1}');
  const short = file('short.f32', 'abc');
  file('short.json', '{"frames": 1, "entities": 1}');
  const broken = file('broken.f32', '');
  file('broken.json', '{');
  const empty = file('empty.f32', '');
  file('empty.json', 'null');
  for (const [path, message] of [
    [named, 'NAME.f32'],
    [alone, 'alone.json'],
    [join(folder, 'absent.f32'), 'absent.f32'],
    [packed, 'packed.f32.gz'],
    [short, '3 bytes, but 1 frames of 1 people take 12'],
    [broken, 'broken.json'],
    [empty, 'no whole numbers'],
  ] as const) {
    expect(() => readRecording(path)).toThrow(UsageError);
    expect(() => readRecording(path)).toThrow(message);
  }
});

test('a table has a row for each figure, in one column of names', () => {
  const figures = { tick: 12, alpha: 0.25, 'tick rate Hz': 119.88, why: 'shared' };
  expect(formatTable(figures)).toBe(
    '  tick          12\n  alpha         0.250\n  tick rate Hz  119.9\n  why           shared\n',
  );
});

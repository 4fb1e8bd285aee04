import { describe, expect, test } from 'vitest';
import { type CaptureArguments, readCaptureArguments } from '../../src/cli/capture-arguments.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

const read = (line: string): CaptureArguments => readCaptureArguments(line.split(' '));

describe('arguments of escapement capture', () => {
  test('by default: 5 s at 60 frames a second, from the beginning, on one thread', () => {
    expect(read('a.js --out a.mp4')).toEqual({
      path: 'a.js',
      picturePath: undefined,
      out: 'a.mp4',
      kind: 'mp4',
      manifestPath: undefined,
      force: false,
      fps: { numerator: 60, denominator: 1 },
      replayPath: undefined,
      fromTick: undefined,
      first: 0,
      count: 300,
      width: undefined,
      height: undefined,
      quality: 90,
      ffmpeg: 'ffmpeg',
      jobs: 1,
      params: new Map(),
      seed: undefined,
      rateHz: undefined,
      logLevel: 'warn',
      startTimeoutMs: 10_000,
      json: false,
    });
  });

  test('of a recording: all of it, unless less is asked for', () => {
    expect(read('a.js --replay b.replay --out a.mp4').count).toBe(undefined);
    expect(read('a.js --replay b.replay --out a.mp4 --seconds 2').count).toBe(120);
    expect(read('a.js --replay b.replay --out a.mp4 --frames 7').count).toBe(7);
  });

  test('everything can be said', () => {
    const said =
      'a.js -o b/ --replay r.replay --draw c.js ' +
      '--fps 24000/1001 --seconds 8 --first 3 --from 60 --width 64 ' +
      '--height 36 --quality 70 --ffmpeg /ff --jobs 4 --manifest m.json --force --param p=1 ' +
      '--seed 9 --rate 30 --log-level off --start-timeout 2 --json';
    expect(read(said)).toMatchObject({
      kind: 'frames',
      picturePath: 'c.js',
      replayPath: 'r.replay',
      fps: { numerator: 24_000, denominator: 1001 },
      count: 192,
      first: 3,
      fromTick: 60,
      width: 64,
      height: 36,
      quality: 70,
      ffmpeg: '/ff',
      jobs: 4,
      manifestPath: 'm.json',
      force: true,
      params: new Map([['p', '1']]),
      seed: 9,
      rateHz: 30,
      logLevel: 'off',
      startTimeoutMs: 2000,
      json: true,
    });
  });

  test.each([
    ['a.mp4', 'mp4', 60],
    ['a.WEBM', 'webm', 60],
    ['a.webp', 'webp', 60],
    ['a.gif', 'gif', 50],
    ['frames/', 'frames', 60],
  ])('--out %s is %s, at %i a second', (out, kind, numerator) => {
    expect(read(`a.js --out ${out}`)).toMatchObject({ kind, fps: { numerator, denominator: 1 } });
  });

  test.each([
    ['--out a.gif', 'takes one module'],
    ['a.js b.js --out a.gif', 'takes one module'],
    ['a.js', 'what kind of film'],
    ['a.js --out a.avi', 'what kind of film'],
    ['a.js --out a.gif --fps 60', '`--fps`'],
    ['a.js --out a.mp4 --fps 29.97', 'Write 30000/1001'],
    ['a.js --out a.mp4 --fps 0', 'no frame rate'],
    ['a.js --out a.mp4 --frames 0', '`--frames`'],
    ['a.js --out a.mp4 --frames 1.5', '`--frames`'],
    ['a.js --out a.mp4 --frames 1 --seconds 1', '--frames and --seconds'],
    ['a.js --out a.mp4 --seconds 1000000', '`--seconds`'],
    ['a.js --out a.mp4 --jobs 0', '`--jobs`'],
    ['a.js --out a.mp4 --quality 101', '`--quality`'],
    ['a.js --out a.mp4 --width 0', '`--width`'],
    ['a.js --out a.mp4 --from -1', 'cannot be read'],
    ['a.js --out a.mp4 --param p', '`--param`'],
    ['a.js --out a.mp4 --what', 'cannot be read'],
  ])('%s is refused', (line, message) => {
    expect(() => read(line)).toThrow(UsageError);
    expect(() => read(line)).toThrow(message);
  });
});

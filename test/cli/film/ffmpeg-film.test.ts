import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { FfmpegFilm } from '../../../src/cli/film/ffmpeg-film.ts';
import { drawStill, HEIGHT, WIDTH } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'escapement-ffmpeg-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that stands where ffmpeg does. */
function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Writes its arguments, a line each, and then what it is fed, to the file that it is to make. */
const ECHO = program('echo', 'for last; do :; done; { printf "%s\\n" "$@"; cat; } > "$last"');
const SHAPE = {
  width: WIDTH,
  height: HEIGHT,
  fps: { numerator: 24_000, denominator: 1001 },
  first: 0,
};

describe('a film that ffmpeg encodes', () => {
  test.each([
    ['mp4', 90, 'libx264', '18'],
    ['mp4', 100, 'libx264', '1'],
    ['webm', 1, 'libvpx-vp9', '63'],
  ] as const)('.%s at quality %i', async (kind, quality, encoder, factor) => {
    const path = join(folder, `${kind}-${quality}`);
    const film = new FfmpegFilm(ECHO, path, kind, quality, SHAPE);
    // More than a pipe holds, so that it has to be waited for.
    const stills = Array.from({ length: 40 }, (_, k) =>
      Buffer.concat([drawStill(k % 5).encodeSync('png'), Buffer.alloc(10_000, k)]),
    );
    for (const still of stills) await film.add(still);
    await film.finish();
    await film.close();
    const written = readFileSync(path);
    const fed = Buffer.concat(stills);
    expect(written.subarray(written.length - fed.length).equals(fed)).toBe(true);
    const args = written
      .subarray(0, written.length - fed.length)
      .toString()
      .split('\n');
    const after = (name: string): string | undefined => args[args.indexOf(name) + 1];
    expect([after('-framerate'), after('-crf'), args.includes(encoder)]).toEqual([
      '24000/1001',
      factor,
      true,
    ]);
    expect(args.slice(-4)).toEqual(['-f', kind, path, '']);
  });

  test('a failure says what ffmpeg said', async () => {
    const failing = program('failing', 'echo "Unknown encoder" >&2; exit 1');
    const film = new FfmpegFilm(failing, join(folder, 'none'), 'mp4', 90, SHAPE);
    const feed = async (): Promise<void> => {
      for (let k = 0; k < 100; k++) await film.add(Buffer.alloc(100_000));
      await film.finish();
    };
    await expect(feed()).rejects.toThrow(/ENCODER_FAILED.*Unknown encoder/);
    await film.close();
  });

  test('closing ends one that hangs', async () => {
    const film = new FfmpegFilm(program('hang', 'exec sleep 600'), '', 'mp4', 90, SHAPE);
    await film.close();
    await film.close();
    await expect(film.add(Buffer.alloc(1))).rejects.toThrow('ENCODER_FAILED');
  });

  test('is refused before anything is drawn where there is no ffmpeg', () => {
    const missing = join(folder, 'not-there');
    expect(() => FfmpegFilm.check(missing, 'mp4')).toThrow(/PACKAGE_MISSING.*apt install ffmpeg/);
    expect(() => FfmpegFilm.check(program('old', 'exit 3'), 'webm')).toThrow('PACKAGE_MISSING');
    FfmpegFilm.check(program('fine', 'exit 0'), 'mp4');
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Film, FilmShape } from '../../../src/cli/film/film.ts';

export const WIDTH = 12;
export const HEIGHT = 7;

/** A picture of a film for tests: plain, and of another colour in each frame. */
export function drawStill(index: number, alpha = 1): Canvas {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext('2d');
  context.fillStyle = `rgba(${40 * index}, 90, 200, ${alpha})`;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = '#ffcc00';
  context.fillRect(index, 2, 2, 2);
  return canvas;
}

/** Writes a film into a file of its own and returns its bytes. */
export async function writeFilm(
  openFilm: (file: FileHandle, shape: FilmShape) => Film,
  stills: readonly Uint8Array[],
  shape: Partial<FilmShape> = {},
): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'escapement-film-'));
  const path = join(folder, 'film');
  const fps = { numerator: 24_000, denominator: 1001 };
  const whole = { width: WIDTH, height: HEIGHT, fps, first: 0, ...shape };
  const film = openFilm(await open(path, 'w'), whole);
  try {
    for (const [k, still] of stills.entries()) await film.add(still, whole.first + k);
    await film.finish();
    await film.close();
    return new Uint8Array(readFileSync(path));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Stores a picture, as plain bytes. */
export function store(canvas: Canvas, kind: 'gif' | 'webp', quality: number): Uint8Array {
  return new Uint8Array(
    kind === 'gif' ? canvas.encodeSync('gif', quality) : canvas.encodeSync('webp', quality),
  );
}

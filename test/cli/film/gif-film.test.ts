import { loadImage, createCanvas } from '@napi-rs/canvas';
import { expect, test } from 'vitest';
import { GifFilm } from '../../../src/cli/film/gif-film.ts';
import { type GifStill, readGifStill } from '../../../src/cli/film/gif-still.ts';
import { readPixels } from '../../../src/main/index.ts';
import { drawStill, HEIGHT, store, WIDTH, writeFilm } from './stage.ts';

const HEAD_BYTES = 13;
const REPEAT_BYTES = 19;
const CONTROL_BYTES = 8;

interface GifFrame extends GifStill {
  readonly delay: number;
  readonly disposal: number;
}

/** Reads a film back: each frame is a GIF of its own behind the same head. */
function readFrames(bytes: Uint8Array): GifFrame[] {
  const head = bytes.subarray(0, HEAD_BYTES);
  const frames: GifFrame[] = [];
  for (let at = HEAD_BYTES + REPEAT_BYTES; bytes[at] !== 0x3b; ) {
    const still = readGifStill(new Uint8Array([...head, ...bytes.subarray(at)]));
    const [, , , flags = 0, low = 0, high = 0] = bytes.subarray(at);
    frames.push({ ...still, delay: low + 256 * high, disposal: flags >> 2 });
    at += CONTROL_BYTES + 10 + still.palette.length + still.data.length;
  }
  return frames;
}

test('a GIF holds each still as it is, for hundredths that add up', async () => {
  const stills = [0, 1, 2, 3, 4].map((k) => store(drawStill(k), 'gif', 10));
  const bytes = await writeFilm((file, shape) => new GifFilm(file, shape), stills);
  const text = new TextDecoder('latin1').decode(bytes);
  expect([text.slice(0, 6), text.slice(16, 27)]).toEqual(['GIF89a', 'NETSCAPE2.0']);
  expect([...bytes.subarray(6, 10)]).toEqual([WIDTH, 0, HEIGHT, 0]);
  expect(bytes.at(-1)).toBe(0x3b);
  const frames = readFrames(bytes);
  // 1001/240 hundredths each: 4.17, 8.34, 12.51, 16.68, 20.85.
  expect(frames.map(({ delay }) => delay)).toEqual([4, 4, 5, 4, 4]);
  expect(frames.map(({ data, palette, width, height }) => [data, palette, width, height])).toEqual(
    stills.map((still) => {
      const { data, palette } = readGifStill(still);
      return [data, palette, WIDTH, HEIGHT];
    }),
  );
});

test('a part of a film that begins later has its own beginning', async () => {
  const stills = [0, 1, 2].map((k) => store(drawStill(k), 'gif', 10));
  const plain = await writeFilm((file, shape) => new GifFilm(file, shape), stills);
  const later = await writeFilm((file, shape) => new GifFilm(file, shape), stills, { first: 100 });
  expect(later).toEqual(plain);
});

test('what is transparent stays so, and does not show the frame before', async () => {
  const stills = [0, 1].map((k) => store(drawStill(k, 0), 'gif', 10));
  const frames = readFrames(await writeFilm((file, shape) => new GifFilm(file, shape), stills));
  for (const [k, frame] of frames.entries()) {
    const { transparent } = readGifStill(stills[k] as Uint8Array);
    expect([frame.transparent, frame.disposal]).toEqual([transparent, 2]);
  }
});

test('another decoder reads its first frame', async () => {
  const stills = [2, 3].map((k) => store(drawStill(k), 'gif', 1));
  const bytes = await writeFilm((file, shape) => new GifFilm(file, shape), stills);
  const context = createCanvas(WIDTH, HEIGHT).getContext('2d');
  context.drawImage(await loadImage(bytes), 0, 0);
  const wanted = readPixels(drawStill(2).getContext('2d'));
  const worst = readPixels(context).map((byte, k) => Math.abs(byte - (wanted[k] as number)));
  expect(Math.max(...worst)).toBeLessThan(8);
});

test.each([
  ['nothing', new Uint8Array()],
  ['a PNG', new Uint8Array(drawStill(0).encodeSync('png'))],
  ['half a GIF', new Uint8Array(drawStill(0).encodeSync('gif')).subarray(0, 40)],
])('%s is no still of a GIF', (_, bytes) => {
  expect(() => readGifStill(bytes)).toThrow('ENCODER_FAILED');
});

test('a GIF has no side beyond 65,535', async () => {
  const still = drawStill(0).encodeSync('gif');
  const wide = { width: 65_536 };
  await expect(writeFilm((file, shape) => new GifFilm(file, shape), [still], wide)).rejects.toThrow(
    'ENCODER_FAILED',
  );
});

import { loadImage, createCanvas } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { WebpFilm } from '../../../src/cli/film/webp-film.ts';
import { readPixels } from '../../../src/main/index.ts';
import { drawStill, HEIGHT, store, WIDTH, writeFilm } from './stage.ts';

interface Chunk {
  readonly name: string;
  readonly payload: Uint8Array;
}

/** Takes a run of RIFF chunks apart. */
function readChunks(bytes: Uint8Array): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at + 4, true);
    const name = new TextDecoder('latin1').decode(bytes.subarray(at, at + 4));
    chunks.push({ name, payload: bytes.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

const u24 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) + 256 * (bytes[at + 1] as number) + 65_536 * (bytes[at + 2] as number);

const write = (stills: readonly Uint8Array[]): Promise<Uint8Array> =>
  writeFilm((file, shape) => new WebpFilm(file, shape), stills);

describe('a WebP that moves', () => {
  test.each([90, 100])(
    'of quality %i holds each still, for milliseconds that add up',
    async (q) => {
      const stills = [0, 1, 2, 3].map((k) => store(drawStill(k), 'webp', q));
      const bytes = await write(stills);
      const [riff] = readChunks(bytes);
      expect([riff?.name, riff?.payload.length]).toEqual(['RIFF', bytes.length - 8]);
      const [head, animation, ...frames] = readChunks(bytes.subarray(12));
      const { name, payload = new Uint8Array() } = head ?? {};
      const size = [u24(payload, 4) + 1, u24(payload, 7) + 1];
      expect([name, payload[0], ...size]).toEqual(['VP8X', 0x02, WIDTH, HEIGHT]);
      expect([animation?.name, ...(animation?.payload ?? [])]).toEqual(['ANIM', 0, 0, 0, 0, 0, 0]);
      // 41.708 ms each: 41.7, 83.4, 125.1, 166.8.
      expect(frames.map((frame) => u24(frame.payload, 12))).toEqual([42, 41, 42, 42]);
      for (const [k, frame] of frames.entries()) {
        const inner = readChunks(frame.payload.subarray(16));
        const still = readChunks((stills[k] as Uint8Array).subarray(12));
        const pictures = still.filter((chunk) => /^(?:VP8 |VP8L|ALPH)$/.test(chunk.name));
        expect([frame.name, inner]).toEqual(['ANMF', pictures]);
      }
    },
  );

  test.each([90, 100])('of quality %i says whether it is transparent', async (quality) => {
    const stills = [0, 1].map((k) => store(drawStill(k, k === 1 ? 0.25 : 1), 'webp', quality));
    const bytes = await write(stills);
    expect(readChunks(bytes.subarray(12))[0]?.payload[0]).toBe(0x12);
  });

  test('without loss, another decoder reads the very pixels of its first frame', async () => {
    const stills = [2, 3].map((k) => store(drawStill(k), 'webp', 100));
    const context = createCanvas(WIDTH, HEIGHT).getContext('2d');
    context.drawImage(await loadImage(await write(stills)), 0, 0);
    expect(readPixels(context)).toEqual(readPixels(drawStill(2).getContext('2d')));
  });

  test('what is no WebP is refused', async () => {
    for (const still of [new Uint8Array(), drawStill(0).encodeSync('png')]) {
      await expect(write([still])).rejects.toThrow('ENCODER_FAILED');
    }
  });
});

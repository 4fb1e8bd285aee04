import { loadZstd } from 'escapement/net';
import { expect, test } from 'vitest';
import { scaled } from '../../scaled.ts';
import { Dice, recordsOf } from './samples.ts';

const zstd = await loadZstd();

test('every level gives a frame that comes back, however long what is in it', () => {
  const dice = new Dice(19);
  const lengths = [1, 255, 256, 65_791, 65_792, scaled({ tiny: 300_000, normal: 1e6, full: 9e6 })];
  for (const length of lengths) {
    const bytes = recordsOf(length, dice);
    for (const level of length > 1e5 ? [1, 19] : Array.from({ length: 19 }, (_, at) => at + 1)) {
      const frame = zstd.compress(bytes, level).slice();
      const isBack = Buffer.compare(zstd.decompress(frame, length), bytes) === 0;
      expect([length, level, isBack]).toEqual([length, level, true]);
    }
  }
});

test('a frame that holds more than it may is refused', () => {
  const frame = zstd.compress(new Uint8Array(1000), 1).slice();
  const inflate = (): Uint8Array => zstd.decompress(frame, 999);
  expect(inflate).toThrow(expect.objectContaining({ fault: 'zstd-failed' }));
  expect(zstd.decompress(frame, 1000).length).toBe(1000);
});

test('bytes of another view, of shared memory too, are what they show', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(3000), 13, 2000);
  shared.set(recordsOf(2000, new Dice(1)));
  const frame = zstd.compress(shared, 3).slice();
  expect(Buffer.compare(zstd.decompress(frame, 2000), shared)).toBe(0);
});

test('it is loaded once', async () => {
  expect(await loadZstd()).toBe(zstd);
});

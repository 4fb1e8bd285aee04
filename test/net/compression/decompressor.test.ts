import { Decompressor, hasEnvelope, loadZstd, type Zstd } from 'escapement/net';
import { expect, test } from 'vitest';
import {
  CHECKSUMMED,
  Dice,
  envelopeOf,
  frameOf,
  recordsOf,
  WatchedZstd,
  wrapped,
  type Block,
} from './samples.ts';

const zstd = await loadZstd();
const KIB = 1024;

/** Opens an envelope around a frame; tells what came of it and whether anything was inflated. */
function open(frame: Uint8Array, declaredBytes: number): readonly [string, inflations: number] {
  const watched = new WatchedZstd(zstd);
  const decompressor = new Decompressor({ zstd: watched });
  return [decompressor.decompress(envelopeOf(frame, declaredBytes)), watched.inflations];
}

const ABC: Block = { type: 'raw', bytes: [65, 66, 67] };
/** Single segment, one byte of size. */
const THREE = [0x20, 3];

test.each<[string, Uint8Array]>([
  ['one byte of size', frameOf(THREE, [ABC])],
  ['four bytes of size', frameOf([0xa0, 3, 0, 0, 0], [ABC])],
  ['eight bytes of size', frameOf([0xe0, 3, 0, 0, 0, 0, 0, 0, 0], [ABC])],
  ['a window of a kibibyte', frameOf([0x80, 0, 3, 0, 0, 0], [ABC])],
  ['a window of 8 MiB', frameOf([0x80, 13 << 3, 3, 0, 0, 0], [ABC])],
  ['dictionary 0', frameOf([0x23, 0, 0, 0, 0, 3], [ABC])],
  ['an empty block before', frameOf(THREE, [{ type: 'raw', bytes: [] }, ABC])],
  ['a block that repeats a byte', frameOf(THREE, [{ type: 'rle', size: 3, bytes: [65] }])],
])('a frame with %s is opened', (_, frame) => {
  expect(open(frame, 3)).toEqual(['zstd', 1]);
});

test('a frame with a checksum is opened, and refused when one of its bits is another', () => {
  const frame = Uint8Array.from(Buffer.from(CHECKSUMMED.frame, 'hex'));
  const decompressor = new Decompressor({ zstd });
  expect(decompressor.decompress(envelopeOf(frame, CHECKSUMMED.content.length))).toBe('zstd');
  expect(Buffer.from(decompressor.output).toString()).toBe(CHECKSUMMED.content);
  frame[frame.length - 1] = (frame.at(-1) as number) ^ 1;
  expect(open(frame, CHECKSUMMED.content.length)).toEqual(['zstd-decompression-failed', 1]);
});

const rle = (size: number): Block => ({ type: 'rle', size, bytes: [65] });

test.each<[string, string, Uint8Array, number]>([
  ['another size', 'zstd-content-size-mismatch', frameOf(THREE, [ABC]), 4],
  [
    'a size above 2^32',
    'zstd-content-size-mismatch',
    frameOf([0xe0, 3, 0, 0, 0, 1, 0, 0, 0], []),
    3,
  ],
  ['no size', 'zstd-content-size-mismatch', frameOf([0, 0x58], [ABC]), 3],
  ['a reserved bit', 'zstd-content-size-mismatch', frameOf([0x28, 3], [ABC]), 3],
  ['half a header', 'zstd-content-size-mismatch', frameOf([0xa0, 3, 0], []), 3],
  ['no block', 'zstd-not-one-frame', frameOf(THREE, []), 3],
  ['a reserved block', 'zstd-not-one-frame', frameOf(THREE, [{ ...ABC, type: 'reserved' }]), 3],
  ['half a block', 'zstd-not-one-frame', frameOf(THREE, [{ ...ABC, size: 4 }]), 3],
  ['no last block', 'zstd-not-one-frame', frameOf(THREE, [ABC, ABC]).subarray(0, -6), 3],
  ['no checksum', 'zstd-not-one-frame', frameOf([0x24, 3], [ABC]), 3],
  ['a byte behind', 'zstd-not-one-frame', Buffer.concat([frameOf(THREE, [ABC]), Buffer.of(0)]), 3],
  [
    'a frame behind',
    'zstd-not-one-frame',
    Buffer.concat([frameOf(THREE, [ABC]), frameOf(THREE, [ABC])]),
    3,
  ],
  [
    'a window of 9 MiB',
    'zstd-window-too-large',
    frameOf([0x80, (13 << 3) | 1, 3, 0, 0, 0], [ABC]),
    3,
  ],
  ['a window of 2 TiB', 'zstd-window-too-large', frameOf([0x80, 31 << 3, 3, 0, 0, 0], [ABC]), 3],
  ['a dictionary', 'zstd-decompression-failed', frameOf([0x21, 9, 3], [ABC]), 3],
  ['too much in it', 'zstd-decompression-failed', frameOf(THREE, [ABC, ABC]), 3],
  ['too little in it', 'zstd-decompression-failed', frameOf([0x20, 4], [ABC]), 4],
])('a frame with %s is refused before it is inflated', (_, fault, frame, declared) => {
  expect(open(frame, declared)).toEqual([fault, 0]);
});

test('a bomb is refused before it is inflated, and takes no memory', () => {
  const declared = 4 * 1024 * KIB;
  const size = [0xa0, 0, 0, 64, 0];
  const blocks = Array.from({ length: 33 }, () => rle(128 * KIB));
  expect(open(frameOf(size, blocks), declared)).toEqual(['zstd-decompression-failed', 0]);
  expect(open(frameOf(size, [rle(2 ** 21 - 1)]), declared)).toEqual([
    'zstd-decompression-failed',
    0,
  ]);
  const one = { ...ABC, type: 'compressed' as const };
  expect(open(frameOf(size, [one]), declared)).toEqual(['zstd-decompression-failed', 0]);
  expect(open(frameOf(size, blocks.slice(1)), declared)).toEqual(['zstd', 1]);
  expect(open(frameOf(size, blocks.slice(1)), declared - 1)).toEqual([
    'zstd-content-size-mismatch',
    0,
  ]);
  const tight = new Decompressor({ zstd, maxUncompressedBytes: declared - 1 });
  const bomb = envelopeOf(frameOf(size, blocks.slice(1)), declared);
  expect(tight.decompress(bomb)).toBe('declared-size-out-of-bounds');
});

test('what was taken out before stays after every fault', () => {
  const decompressor = new Decompressor({ zstd });
  const update = recordsOf(900, new Dice(3));
  decompressor.decompress(wrapped(update, zstd));
  const { output } = decompressor;
  const other = wrapped(recordsOf(900, new Dice(4)), zstd);
  for (let at = 0; at < other.length; at++) {
    const broken = other.slice();
    broken[at] = (broken[at] as number) ^ 0xa5;
    const status = decompressor.decompress(broken);
    if (status === 'zstd') decompressor.decompress(wrapped(update, zstd));
    const isKept = status === 'zstd' || decompressor.output === output;
    expect([at, isKept, Buffer.compare(decompressor.output, update)]).toEqual([at, true, 0]);
    if (status === 'zstd') break;
  }
});

test('case 145: an envelope at an odd place of a larger, dirty buffer is opened the same', () => {
  const update = recordsOf(700, new Dice(13));
  for (const envelope of [wrapped(update, zstd), wrapped(update, undefined)]) {
    const large = new Dice(145).bytes(envelope.length + 40);
    large.set(envelope, 13);
    const view = large.subarray(13, 13 + envelope.length);
    const decompressor = new Decompressor({ zstd });
    const status = new Decompressor({ zstd }).decompress(envelope);
    expect(decompressor.decompress(view)).toBe(status);
    expect(Buffer.compare(decompressor.output, update)).toBe(0);
  }
});

test('a packet is opened by its first bytes, and must hold a zstd frame', () => {
  const decompressor = new Decompressor({ zstd, maxOutputBytes: 1200 });
  const packet = recordsOf(1000, new Dice(5));
  expect(decompressor.unwrapPacket(packet)).toBe('original');
  expect(decompressor.output).toBe(packet);
  expect(decompressor.unwrapPacket(wrapped(packet, zstd))).toBe('zstd');
  expect(Buffer.compare(decompressor.output, packet)).toBe(0);
  expect(decompressor.unwrapPacket(wrapped(packet, undefined))).toBe('packet-encoding-not-allowed');
  expect(decompressor.unwrapPacket(new Uint8Array(1201))).toBe('envelope-size-out-of-bounds');
  expect(decompressor.unwrapPacket(Buffer.from('SNCZ'))).toBe('envelope-size-out-of-bounds');
  expect(decompressor.unwrapPacket(new Uint8Array(0))).toBe('original');
});

test('without zstd a frame is refused by name, and raw envelopes are opened', () => {
  const decompressor = new Decompressor();
  const update = recordsOf(100, new Dice(6));
  expect(decompressor.decompress(wrapped(update, zstd))).toBe('zstd-missing');
  expect(decompressor.decompress(wrapped(update, undefined))).toBe('raw');
  expect(Buffer.compare(decompressor.output, update)).toBe(0);
});

test('a zstd that gives fewer or more bytes than it should is not believed', () => {
  const lying = (count: number): Zstd => ({
    compress: (bytes) => bytes,
    decompress: () => new Uint8Array(count),
  });
  const envelope = wrapped(recordsOf(100, new Dice(7)), zstd);
  for (const count of [0, 99, 101]) {
    const decompressor = new Decompressor({ zstd: lying(count) });
    expect(decompressor.decompress(envelope)).toBe('zstd-decompression-failed');
  }
});

test('limits below 1 are refused', () => {
  const make = (): Decompressor => new Decompressor({ maxOutputBytes: 0 });
  expect(make).toThrow(expect.objectContaining({ fault: 'limits-not-positive' }));
});

test('what begins as an envelope is told by four bytes', () => {
  expect([hasEnvelope(Buffer.from('SNC')), hasEnvelope(Buffer.from('SNCZ'))]).toEqual([
    false,
    true,
  ]);
});

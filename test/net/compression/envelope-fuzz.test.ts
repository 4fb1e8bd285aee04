import { Decompressor, loadZstd } from 'escapement/net';
import { expect, test } from 'vitest';
import { scaled } from '../../scaled.ts';
import { CHECKSUMMED, Dice, envelopeOf, recordsOf, WatchedZstd, wrapped } from './samples.ts';

const RUNS = scaled({ tiny: 5000, normal: 100_000, full: 2_000_000 });
const SEED = Number(process.env['ESCAPEMENT_SEED'] ?? 20_261_130);
const MAX_BYTES = 64 * 1024;

const zstd = await loadZstd();

const FAULTS = new Set([
  'envelope-size-out-of-bounds',
  'identity-invalid',
  'declared-size-out-of-bounds',
  'payload-size-mismatch',
  'raw-size-mismatch',
  'zstd-content-size-mismatch',
  'zstd-not-one-frame',
  'zstd-window-too-large',
  'zstd-decompression-failed',
  'packet-encoding-not-allowed',
]);

/** Valid envelopes of every kind, short ones and one of several blocks. */
function sampleEnvelopes(): Uint8Array[] {
  const dice = new Dice(SEED);
  const frame = Uint8Array.from(Buffer.from(CHECKSUMMED.frame, 'hex'));
  const runs = new Uint8Array(3000).fill(90);
  return [
    wrapped(dice.bytes(64), zstd),
    wrapped(runs, zstd),
    wrapped(recordsOf(400, dice), zstd),
    wrapped(recordsOf(1200, dice), zstd, 3),
    wrapped(recordsOf(1200, dice), zstd, 19),
    wrapped(recordsOf(40_000, dice), zstd),
    envelopeOf(frame, CHECKSUMMED.content.length),
    // A short one in the form with a window: many of its changes stay valid frames.
    envelopeOf(Uint8Array.from(Buffer.from('28b52ffd805803000000190000414243', 'hex')), 3),
  ];
}

/** Numbers at which sizes go wrong. */
const EDGES = [0, 1, 2, 127, 128, 255, 256, 65_535, MAX_BYTES, 131_072, 0x7fff_ffff, 0xffff_ffff];

type Mutation = (bytes: Uint8Array, dice: Dice) => Uint8Array;

/** Lets the header of an envelope say what its bytes are, so that what lies deeper is reached. */
function repaired(bytes: Uint8Array): Uint8Array {
  if (bytes.length >= 17) {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    view.setUint32(0, 0x534e_435a);
    view.setUint32(4, 0x0001_0001);
    view.setUint32(13, bytes.length - 17);
  }
  return bytes;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([first, second]));
}

function setWord(bytes: Uint8Array, at: number, dice: Dice): Uint8Array {
  if (at + 4 > bytes.length) return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const isBig = dice.below(2) === 0;
  const near = view.getUint32(at, !isBig) + dice.below(5) - 2;
  view.setUint32(at, dice.below(2) === 0 ? near : (EDGES[dice.below(12)] as number), !isBig);
  return bytes;
}

const MUTATIONS: readonly Mutation[] = [
  function flipBit(bytes, dice) {
    const at = dice.below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << dice.below(8));
    return bytes;
  },
  function setByte(bytes, dice) {
    bytes[dice.below(bytes.length)] = dice.below(256);
    return bytes;
  },
  function setEnvelopeField(bytes, dice) {
    return setWord(bytes, [0, 4, 8, 9, 13][dice.below(5)] as number, dice);
  },
  function setFrameHeader(bytes, dice) {
    const at = 17 + dice.below(16);
    if (at < bytes.length) bytes[at] = dice.below(256);
    return repaired(bytes);
  },
  function setFrameWord(bytes, dice) {
    return repaired(setWord(bytes, 17 + dice.below(bytes.length), dice));
  },
  function setBlockHeader(bytes, dice) {
    // The first one, behind a header of 5 to 9 bytes.
    const at = 17 + 6 + dice.below(5);
    const word = (dice.below(1 << dice.below(21)) << 3) | dice.below(8);
    for (let place = 0; place < 3 && at + place < bytes.length; place++) {
      bytes[at + place] = word >>> (8 * place);
    }
    return repaired(bytes);
  },
  function cut(bytes, dice) {
    return bytes.slice(0, dice.below(bytes.length + 1));
  },
  function cutAndRepair(bytes, dice) {
    return repaired(bytes.slice(0, 17 + dice.below(bytes.length)));
  },
  function append(bytes, dice) {
    return repaired(joined(bytes, dice.bytes(1 + dice.below(12))));
  },
  function doubleFrame(bytes) {
    return repaired(joined(bytes, bytes.subarray(17)));
  },
  function replaceTail(bytes, dice) {
    const from = dice.below(bytes.length);
    bytes.set(dice.bytes(Math.min(bytes.length - from, 64)), from);
    return repaired(bytes);
  },
];

/** Some run, so that it can be made again from its number alone. */
function mutantOf(run: number, samples: readonly Uint8Array[]): Uint8Array {
  const dice = new Dice(SEED + run * 7919);
  let bytes: Uint8Array = (samples[dice.below(samples.length)] as Uint8Array).slice();
  for (let times = 1 + dice.below(3); times > 0 && bytes.length > 0; times--) {
    bytes = (MUTATIONS[dice.below(MUTATIONS.length)] as Mutation)(bytes, dice);
  }
  return bytes;
}

/**
 * What libzstd itself makes of the payload, of which it is known that it is one frame that says its
 * size: whether it comes to as many bytes.
 */
function isValidForZstd(envelope: Uint8Array): boolean {
  const declared = new DataView(envelope.buffer, envelope.byteOffset).getUint32(9);
  try {
    return zstd.decompress(envelope.subarray(17), declared).length === declared;
  } catch {
    return false;
  }
}

function heldBytes(): number {
  const { external, arrayBuffers } = process.memoryUsage();
  return external + arrayBuffers;
}

test(`case 145: ${RUNS} broken envelopes change nothing, throw nothing and take no memory`, () => {
  const samples = sampleEnvelopes();
  const watched = new WatchedZstd(zstd);
  const options = { zstd: watched, maxUncompressedBytes: MAX_BYTES, maxOutputBytes: MAX_BYTES };
  const decompressor = new Decompressor(options);
  const before = heldBytes();
  const counts = new Map<string, number>();
  for (let run = 0; run < RUNS; run++) {
    const bytes = mutantOf(run, samples);
    const kept = decompressor.output;
    const status =
      run % 2 === 0 ? decompressor.decompress(bytes) : decompressor.unwrapPacket(bytes);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    const { output } = decompressor;
    const isRight = FAULTS.has(status)
      ? output === kept
      : output.length <= MAX_BYTES && (status !== 'original' || output === bytes);
    // What is refused before libzstd sees it, libzstd would have refused as well.
    const isTooStrict = status === 'zstd-decompression-failed' && isValidForZstd(bytes);
    if (!isRight || isTooStrict) {
      throw new Error(
        `seed ${SEED}, run ${run}: ${status} of ${Buffer.from(bytes).toString('hex')}`,
      );
    }
  }
  expect(watched.mostBytes).toBeLessThanOrEqual(MAX_BYTES);
  expect(heldBytes() - before).toBeLessThan(64 * 1024 * 1024);
  const seldom = [...FAULTS].filter((fault) => (counts.get(fault) ?? 0) < RUNS / 5000);
  expect(seldom).toEqual([]);
  for (const sample of samples) expect(['zstd', 'raw']).toContain(decompressor.decompress(sample));
});

test('random bytes behind any part of an envelope are refused', () => {
  const dice = new Dice(SEED);
  const decompressor = new Decompressor({ zstd, maxUncompressedBytes: MAX_BYTES });
  const whole = wrapped(recordsOf(300, dice), zstd);
  const statuses = new Set<string>();
  for (let run = 0; run < RUNS / 10; run++) {
    const bytes = dice.bytes(dice.below(200));
    bytes.set(whole.subarray(0, Math.min(bytes.length, dice.below(40))));
    statuses.add(decompressor.decompress(run % 2 === 0 ? bytes : repaired(bytes)));
  }
  expect([...statuses].filter((status) => !FAULTS.has(status))).toEqual([]);
  expect(decompressor.output.length).toBe(0);
});

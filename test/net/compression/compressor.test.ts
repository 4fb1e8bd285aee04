import fc from 'fast-check';
import {
  Compressor,
  Decompressor,
  hasEnvelope,
  loadZstd,
  type CompressionPolicy,
  type CompressorOptions,
} from 'escapement/net';
import { expect, test } from 'vitest';
import { scaled } from '../../scaled.ts';
import { Dice, recordsOf } from './samples.ts';

const zstd = await loadZstd();
const ENVELOPE = 17;

/** The rules, on the size of the frame alone. */
function modelOf(input: number, framed: number, options: Required<CompressorOptions>): string {
  const { policy, maxUncompressedBytes = 0, maxOutputBytes = 0 } = options;
  if (input === 0 || input > maxUncompressedBytes) return 'input-size-out-of-bounds';
  if (policy === 'always') {
    const payload = Math.min(framed, input);
    if (ENVELOPE + payload > maxOutputBytes) return 'output-too-large';
    return framed < input ? 'zstd' : 'raw';
  }
  const length = ENVELOPE + framed;
  if (length < input && length <= maxOutputBytes) return 'zstd';
  return input > maxOutputBytes ? 'raw-fallback-too-large' : 'original';
}

const policies = fc.constantFrom<CompressionPolicy>('always', 'only-when-smaller');
const levels = fc.integer({ min: 1, max: 19 });
const limits = fc.integer({ min: 1, max: 700 });
const inputs = fc
  .tuple(fc.nat(), fc.nat({ max: 600 }), fc.boolean())
  .map(([seed, count, isNoise]) =>
    isNoise ? new Dice(seed).bytes(count) : recordsOf(count, new Dice(seed)),
  );

test('any input, level, policy and limits come to what the rules say, and come back', () => {
  fc.assert(
    fc.property(inputs, levels, policies, limits, limits, (input, level, policy, most, room) => {
      const options = { policy, level, zstd, maxUncompressedBytes: most, maxOutputBytes: room };
      const framed = input.length === 0 ? 0 : zstd.compress(input, level).length;
      const compressor = new Compressor(options);
      const before = compressor.output;
      const status = compressor.compress(input);
      const wanted = modelOf(input.length, framed, options);
      if (status !== wanted) throw new Error(`${status}, not ${wanted}`);
      const { output } = compressor;
      if (status === 'original') return output === input && compressor.envelopeBytes === 0;
      if (status !== 'zstd' && status !== 'raw') return output === before;
      const back = new Decompressor({ zstd, maxUncompressedBytes: most, maxOutputBytes: room });
      return (
        back.decompress(output) === status &&
        compressor.envelopeBytes === ENVELOPE &&
        compressor.payloadBytes === output.length - ENVELOPE &&
        Buffer.compare(back.output, input) === 0
      );
    }),
    { numRuns: scaled({ tiny: 300, normal: 2000, full: 50_000 }) },
  );
});

test('case 140: what compression does not make smaller is not made larger', () => {
  const dice = new Dice(140);
  const packets = new Compressor({ policy: 'only-when-smaller', zstd });
  const updates = new Compressor({ policy: 'always', zstd });
  for (const noise of [dice.bytes(8), dice.bytes(500)]) {
    expect(packets.compress(noise)).toBe('original');
    expect(packets.output).toBe(noise);
    expect(updates.compress(noise)).toBe('raw');
    expect(updates.output.length).toBe(noise.length + ENVELOPE);
  }
  for (let count = 1; count < 400; count++) {
    const records = recordsOf(count, dice);
    packets.compress(records);
    updates.compress(records);
    const grown = [packets.output.length - count > 0, updates.output.length - count > ENVELOPE];
    expect([count, ...grown]).toEqual([count, false, false]);
  }
});

test('case 140: an update that is compressed already is not compressed again by the packet', () => {
  const updates = new Compressor({ policy: 'always', zstd });
  expect(updates.compress(recordsOf(6000, new Dice(1)))).toBe('zstd');
  const packets = new Compressor({ policy: 'only-when-smaller', zstd });
  for (let begin = 0; begin < updates.output.length; begin += 1175) {
    const packet = new Uint8Array([...Buffer.from('SNPK'), ...new Dice(begin).bytes(21)]);
    const whole = Buffer.concat([packet, updates.output.subarray(begin, begin + 1175)]);
    expect(packets.compress(whole)).toBe('original');
    expect(packets.output).toBe(whole);
  }
});

test('without zstd updates are in raw envelopes and packets as they are; limits hold', () => {
  const records = recordsOf(400, new Dice(2));
  const updates = new Compressor({ policy: 'always', maxOutputBytes: 417 });
  expect(updates.compress(records)).toBe('raw');
  expect(new Decompressor().decompress(updates.output)).toBe('raw');
  expect(updates.compress(recordsOf(401, new Dice(2)))).toBe('output-too-large');
  const packets = new Compressor({ policy: 'only-when-smaller', maxOutputBytes: 400 });
  expect(packets.compress(records)).toBe('original');
  expect(packets.compress(recordsOf(401, new Dice(2)))).toBe('raw-fallback-too-large');
});

test.each<[string, Partial<CompressorOptions>]>([
  ['limits-not-positive', { maxUncompressedBytes: 0 }],
  ['limits-not-positive', { maxOutputBytes: 1.5 }],
  ['limits-not-positive', { maxOutputBytes: Number.NaN, level: 0 }],
  ['level-out-of-range', { level: 0 }],
  ['level-out-of-range', { level: 20 }],
  ['level-out-of-range', { level: 1.5 }],
  ['policy-unknown', { policy: 'sometimes' as CompressionPolicy }],
])('%s: options %o are refused', (fault, options) => {
  const make = (): Compressor => new Compressor({ policy: 'always', zstd, ...options });
  expect(make).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', fault }));
});

test('a zstd whose frames do not say their size is refused at the first frame', () => {
  const sizeless = Uint8Array.from(Buffer.from('28b52ffd0058190000414243', 'hex'));
  const given = { compress: () => sizeless, decompress: () => sizeless };
  const compressor = new Compressor({ policy: 'always', zstd: given });
  const compress = (): string => compressor.compress(new Uint8Array(3));
  expect(compress).toThrow(expect.objectContaining({ fault: 'zstd-frame-unusable' }));
});

test('an envelope in one buffer stays what it is until the next success', () => {
  const compressor = new Compressor({ policy: 'always', zstd, maxUncompressedBytes: 100 });
  compressor.compress(new Uint8Array(100).fill(7));
  const envelope = Buffer.from(compressor.output);
  expect(compressor.compress(new Uint8Array(101))).toBe('input-size-out-of-bounds');
  expect(Buffer.compare(compressor.output, envelope)).toBe(0);
  expect(hasEnvelope(compressor.output)).toBe(true);
});

test('what a compressor has made can be given to it again', () => {
  const compressor = new Compressor({ policy: 'always', zstd });
  const noise = new Dice(1).bytes(300);
  compressor.compress(noise);
  const once = compressor.output.slice();
  expect(compressor.compress(compressor.output)).toBe('raw');
  const decompressor = new Decompressor({ zstd });
  expect(decompressor.decompress(compressor.output)).toBe('raw');
  expect(Buffer.compare(decompressor.output, once)).toBe(0);
  expect(decompressor.decompress(decompressor.output)).toBe('raw');
  expect(Buffer.compare(decompressor.output, noise)).toBe(0);
});

test('what is no bytes is an error of the caller', () => {
  const compressor = new Compressor({ policy: 'always', zstd });
  const compress = (): string => compressor.compress('bytes' as never);
  expect(compress).toThrow(expect.objectContaining({ code: 'VALUE_INVALID', fault: 'not-bytes' }));
});

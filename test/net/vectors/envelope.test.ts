import {
  Compressor,
  Decompressor,
  hasEnvelope,
  loadZstd,
  type CompressorOptions,
} from 'escapement/net';
import { expect, test } from 'vitest';
import { checkZstdFrame } from '../../../src/net/compression/zstd-frame.ts';
import { fromHex, toHex } from './hex.ts';
import { sizeOf } from './packet-vectors.ts';
import { kebab, readVectors, report } from './read-vectors.ts';

/** What lines of `compress` and `decompress` have. */
interface EnvelopeLine {
  readonly input?: string;
  readonly input_is?: string;
  readonly level: number;
  readonly max_uncompressed: number;
  readonly max_output: number;
  readonly policy?: 'Always' | 'OnlyWhenSmaller';
  readonly has_envelope?: boolean;
  readonly error?: string;
  readonly encoding?: 'Raw' | 'Zstd';
  readonly payload_bytes?: number;
  readonly envelope_bytes?: number;
  readonly output_bytes?: number;
  readonly output?: string;
  readonly output_is?: string;
}

/**
 * Bytes by which the frames of two versions of libzstd may differ, where the size of a frame
 * decides what becomes of the input.
 */
const EDGE_BYTES = 8;

const vectors = readVectors();
const zstd = await loadZstd();

/** Byte strings by file and name. */
const named = new Map<string, string>();
for (const { at, record } of vectors) {
  if (record.t === 'input') named.set(`${fileOf(at)} ${String(record.name)}`, String(record.bytes));
}

function fileOf(at: string): string {
  return at.slice(0, at.lastIndexOf(':'));
}

function bytesOf(at: string, literal: string | undefined, name: string | undefined): string {
  const hex = literal ?? named.get(`${fileOf(at)} ${name}`);
  if (hex === undefined) throw new Error(`${at}: no bytes named ${name}`);
  return hex;
}

function linesOf(type: string): { at: string; line: EnvelopeLine }[] {
  return vectors
    .filter(({ record }) => record.t === type)
    .map(({ at, record }) => ({ at, line: record as unknown as EnvelopeLine }));
}

/** Returns what `make` returns, or the fault of what it throws, which is not a wire fault. */
function statusOf(make: () => string): string {
  try {
    return make();
  } catch (error) {
    return (error as { fault: string }).fault;
  }
}

function optionsOf(line: EnvelopeLine): CompressorOptions {
  return {
    zstd,
    level: line.level,
    policy: line.policy === 'Always' ? 'always' : 'only-when-smaller',
    maxUncompressedBytes: sizeOf(line.max_uncompressed),
    maxOutputBytes: sizeOf(line.max_output),
  };
}

function expectedStatus(line: EnvelopeLine): string {
  if (line.error !== undefined) return kebab(line.error);
  if (line.encoding === 'Zstd') return 'zstd';
  return line.envelope_bytes === 0 ? 'original' : 'raw';
}

/** Tells whether the frame is so near to what decides that another version may decide otherwise. */
function isAtEdge(line: EnvelopeLine, input: Uint8Array): boolean {
  if (input.length === 0 || line.level < 1 || line.level > 19) return false;
  const framed = zstd.compress(input, line.level).length;
  const borders =
    line.policy === 'Always'
      ? [input.length, line.max_output - 17]
      : [input.length - 17, line.max_output - 17];
  return borders.some((border) => Math.abs(framed - border) <= EDGE_BYTES);
}

test('bytes become what the vectors say', () => {
  const lines = linesOf('compress');
  const faults: string[] = [];
  for (const { at, line } of lines) {
    const input = fromHex(bytesOf(at, line.input, line.input_is));
    let compressor: Compressor | undefined;
    const status = statusOf(() => {
      compressor = new Compressor(optionsOf(line));
      return compressor.compress(input);
    });
    const wanted = expectedStatus(line);
    if (status !== wanted && !isAtEdge(line, input)) faults.push(`${at}: ${status}, not ${wanted}`);
    if (status !== wanted || line.error !== undefined || compressor === undefined) continue;
    const output = toHex(compressor.output);
    if (status === 'zstd') {
      const back = new Decompressor({ zstd });
      const again = back.decompress(compressor.output);
      if (again !== 'zstd' || toHex(back.output) !== toHex(input)) faults.push(`${at}: way back`);
    } else if (output !== bytesOf(at, line.output, line.output_is)) {
      faults.push(`${at}: other bytes`);
    }
    const sizes = [compressor.envelopeBytes, hasEnvelope(compressor.output)];
    if (String(sizes) !== String([line.envelope_bytes, line.has_envelope])) {
      faults.push(`${at}: envelope of ${compressor.envelopeBytes} bytes`);
    }
    if (compressor.payloadBytes !== line.payload_bytes && status !== 'zstd') {
      faults.push(`${at}: payload of ${compressor.payloadBytes} bytes`);
    }
  }
  report('envelope, compressing', lines.length);
  expect(faults).toEqual([]);
});

/**
 * Tells whether libzstd itself refuses the frame of an envelope. Ours is newer than the original's
 * and finds damage that the older one let pass: of frames with a bit or more inverted, one in 20.
 */
function isDamaged(envelope: Uint8Array): boolean {
  const declared = new DataView(envelope.buffer).getUint32(9);
  const frame = envelope.subarray(17);
  if (checkZstdFrame(frame, 0, declared) !== 'ok') return false;
  return statusOf(() => String(zstd.decompress(frame, declared).length)) === 'zstd-failed';
}

test('envelopes are opened or refused as the vectors say', () => {
  const lines = linesOf('decompress');
  const faults: string[] = [];
  let damaged = 0;
  for (const { at, line } of lines) {
    const input = fromHex(bytesOf(at, line.input, line.input_is));
    let output: Uint8Array | undefined;
    const status = statusOf(() => {
      const decompressor = new Decompressor({
        zstd,
        maxUncompressedBytes: sizeOf(line.max_uncompressed),
        maxOutputBytes: sizeOf(line.max_output),
      });
      const taken: string = decompressor.decompress(input);
      output = decompressor.output;
      return taken;
    });
    const wanted = line.error === undefined ? String(line.encoding) : line.error;
    if (wanted === 'Zstd' && status === 'zstd-decompression-failed' && isDamaged(input)) {
      damaged++;
      continue;
    }
    if (status !== kebab(wanted)) faults.push(`${at}: ${status}, not ${kebab(wanted)}`);
    if (hasEnvelope(input) !== line.has_envelope) faults.push(`${at}: envelope`);
    if (line.error !== undefined) continue;
    const wantedOutput = bytesOf(at, line.output, line.output_is);
    if (output === undefined || toHex(output) !== wantedOutput) faults.push(`${at}: other bytes`);
  }
  report(`envelope, inflating (${damaged} frames that an older zstd took)`, lines.length);
  expect(faults).toEqual([]);
});

test('the envelopes of whole chains hold their updates', () => {
  const lines = vectors.filter(({ record }) => record.t === 'chain');
  const decompressor = new Decompressor({ zstd });
  const faults: string[] = [];
  for (const { at, record } of lines) {
    const status: string = decompressor.decompress(fromHex(String(record.envelope)));
    const isRight = toHex(decompressor.output) === record.update;
    if (status !== kebab(String(record.encoding)) || !isRight) faults.push(`${at}: ${status}`);
  }
  report('envelope, chains', lines.length);
  expect(faults).toEqual([]);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PacketOptions, Packetizer } from '../../../src/net/index.ts';
import { scaled } from '../../scaled.ts';
import { errorOf } from '../error-of.ts';
import { forge } from './packet-steps.ts';

const runs = { numRuns: scaled({ tiny: 100, normal: 500, full: 20_000 }) };

/** What one writes without a thought for memory. */
function plainPackets(groupId: number, bytes: Uint8Array, payload: number): Uint8Array[] {
  const capacity = payload - 25;
  const chunkCount = Math.ceil(bytes.length / capacity);
  return Array.from({ length: chunkCount }, (_, chunk) => {
    const part = bytes.slice(chunk * capacity, (chunk + 1) * capacity);
    const header = { groupId, chunk, chunkCount, groupBytes: bytes.length, chunkBytesOff: 0 };
    const packet = forge(header, part.length);
    packet.set(part, 25);
    return packet;
  });
}

describe('packets of a group', () => {
  test('are those of the plain way, however groups of other lengths came before', () => {
    const anyGroup = fc.record({
      groupId: fc.integer({ min: 1, max: 0xffff_ffff }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
      surplus: fc.constantFrom(0, 1, 40),
    });
    const program = fc.property(
      fc.constantFrom(26, 27, 50, 51, 75, 400),
      fc.array(anyGroup, { minLength: 1, maxLength: 6 }),
      (maxPayloadBytes, groups) => {
        const packetizer = new Packetizer({ maxPayloadBytes, maxGroupBytes: 300 });
        for (const { groupId, bytes, surplus } of groups) {
          const source = new Uint8Array(bytes.length + surplus).fill(0xee);
          source.set(bytes);
          expect(packetizer.prepare(groupId, source, bytes.length)).toBe('prepared');
          const expected = plainPackets(groupId, bytes, maxPayloadBytes);
          const { packetCount, headerBytes, packetBytes } = packetizer;
          const seen = expected.map((_, index) => packetizer.packetAt(index));
          expect(seen).toEqual(expected);
          expect([packetCount, headerBytes]).toEqual([expected.length, 25 * expected.length]);
          expect(packetBytes).toBe(expected.reduce((sum, { length }) => sum + length, 0));
        }
      },
    );
    fc.assert(program, runs);
  });

  test('of the same length are the same views again', () => {
    const packetizer = new Packetizer({ maxPayloadBytes: 100, maxGroupBytes: 4096 });
    packetizer.prepare(1, new Uint8Array(200).fill(1));
    const views = [0, 1, 2].map((index) => packetizer.packetAt(index));
    packetizer.prepare(2, new Uint8Array(200).fill(2));
    expect([0, 1, 2].map((index) => packetizer.packetAt(index) === views[index])).toEqual([
      true,
      true,
      true,
    ]);
    expect(views.map((view) => view.at(-1))).toEqual([2, 2, 2]);
  });

  test('case 139: fill the budget, header included, and one byte more is one packet more', () => {
    const bytes = Uint8Array.from(
      { length: 1176 },
      (_, index) => Math.imul(index, 0x9e3779b1) >>> 24,
    );
    const packetizer = new Packetizer();
    packetizer.prepare(7, bytes, 1175);
    expect([packetizer.packetCount, packetizer.packetAt(0).length]).toEqual([1, 1200]);
    packetizer.prepare(7, bytes);
    const lengths = [0, 1].map((index) => packetizer.packetAt(index).length);
    expect([packetizer.packetCount, lengths]).toEqual([2, [1200, 26]]);
  });
});

describe('a packetizer refuses', () => {
  const bytes = new Uint8Array(10);

  test('a group by a status, and then has no packets', () => {
    const packetizer = new Packetizer({ maxPayloadBytes: 30, maxGroupBytes: 9 });
    packetizer.prepare(1, bytes, 9);
    expect(packetizer.packetCount).toBe(2);
    expect(packetizer.prepare(2, bytes)).toBe('group-size-out-of-bounds');
    expect([packetizer.packetCount, packetizer.packetBytes]).toEqual([0, 0]);
    expect(errorOf(() => packetizer.packetAt(0))).toBe('VALUE_INVALID/packet-index-range');
  });

  test.each([
    [
      'a fraction as an id',
      'group-id-range',
      (packetizer: Packetizer) => packetizer.prepare(1.5, bytes),
    ],
    ['an id below 0', 'group-id-range', (packetizer: Packetizer) => packetizer.prepare(-1, bytes)],
    [
      'an id above 32 bits',
      'group-id-range',
      (packetizer: Packetizer) => packetizer.prepare(2 ** 32, bytes),
    ],
    [
      'a length beyond the bytes',
      'group-length-range',
      (packetizer: Packetizer) => packetizer.prepare(1, bytes, 11),
    ],
    [
      'a length below 0',
      'group-length-range',
      (packetizer: Packetizer) => packetizer.prepare(1, bytes, -1),
    ],
    [
      'a list',
      'not-bytes',
      (packetizer: Packetizer) => packetizer.prepare(1, [1] as unknown as Uint8Array),
    ],
    [
      'a packet that is not there',
      'packet-index-range',
      (packetizer: Packetizer) => packetizer.packetAt(1),
    ],
  ])('%s by an error, and keeps its packets', (_, fault, work) => {
    const packetizer = new Packetizer();
    packetizer.prepare(3, bytes);
    expect(errorOf(() => work(packetizer))).toBe(`VALUE_INVALID/${fault}`);
    expect([packetizer.packetCount, packetizer.packetAt(0).length]).toEqual([1, 35]);
  });

  test.each([
    ['unknown-option', { maxChunk: 4 }],
    ['unknown-option', { toString: 4 }],
    ['option-invalid', { enabled: 1 }],
    ['option-invalid', { maxChunks: 1.5 }],
    ['option-invalid', { maxPayloadBytes: '1200' }],
    ['option-invalid', { maxGroupBytes: null }],
    ['option-invalid', { timeoutMs: Number.NaN }],
    ['option-invalid', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['byte-limits-not-positive', { maxPayloadBytes: -1, maxChunks: 0 }],
    ['incomplete-budget-invalid', { maxIncompleteBytes: 0 }],
    ['group-limit-too-large', { maxGroupBytes: 2 ** 22 + 1, timeoutMs: 0 }],
    ['timeout-not-positive', { timeoutMs: -0.5, maxPayloadBytes: 25 }],
    ['payload-too-small-for-header', { maxPayloadBytes: 25 }],
    ['group-limit-above-capacity', { maxPayloadBytes: 1200, maxChunks: 3569 }],
  ])('options as %s: %j', (fault, options) => {
    const work = (): unknown => new Packetizer(options as PacketOptions);
    expect(errorOf(work)).toBe(`OPTION_INVALID/${fault}`);
  });

  test('options with what was given, what is allowed, and what to do', () => {
    const work = (): unknown => new Packetizer({ maxPayloadBytes: 1048 });
    expect(work).toThrow(
      'Packets could not carry the longest group. Given: maxGroupBytes 4194304. ' +
        'Allowed: up to (maxPayloadBytes - 25) * maxChunks, which is 4190208. ' +
        'Lower it, or raise maxPayloadBytes or maxChunks.',
    );
  });
});

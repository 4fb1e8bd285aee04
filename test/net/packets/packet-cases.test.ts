import { describe, expect, test } from 'vitest';
import { Packetizer, Reassembler } from '../../../src/net/index.ts';
import { forge, type Header } from './packet-steps.ts';

const options = { maxPayloadBytes: 1200, maxGroupBytes: 256 * 1175, maxChunks: 256 };

/** The right header of a group of three chunks, 3000 bytes. */
const right: Header = { groupId: 5, chunk: 0, chunkCount: 3, groupBytes: 3000, chunkBytesOff: 0 };

const bounds = 'packet-fields-out-of-bounds';

const bytes = Uint8Array.from({ length: 3000 }, (_, index) => index * 7);

function packetsOf(groupId: number): Uint8Array[] {
  const packetizer = new Packetizer(options);
  packetizer.prepare(groupId, bytes);
  return [0, 1, 2].map((index) => packetizer.packetAt(index).slice());
}

describe('case 142: sizes that do not agree', () => {
  test.each([
    ['a chunk of no bytes', 'chunk-size-inconsistent', {}, 0],
    ['more bytes said than there', bounds, { chunkBytesOff: 64_360 }, 1175],
    ['4 GiB said', bounds, { chunkBytesOff: 0xffff_ffff - 1175 }, 1175],
    ['another total', 'chunk-count-inconsistent', { groupBytes: 1000 }, 1175],
    ['the index at the count', bounds, { chunk: 3 }, 1175],
    ['a count of 0', bounds, { chunkCount: 0 }, 1175],
    ['a chunk that would lie on the next', 'chunk-size-inconsistent', { chunk: 2 }, 1175],
    ['a group of 4 GiB', bounds, { groupBytes: 0xffff_ffff, chunkCount: 0xffff }, 1175],
    ['a group of 0', bounds, { groupBytes: 0 }, 1175],
    ['group 0', bounds, { groupId: 0 }, 1175],
  ])('%s: refused, nothing is allocated, what is committed stays', (_, fault, wrong, length) => {
    const reassembler = new Reassembler(options);
    reassembler.commit(4);
    expect(reassembler.accept(forge({ ...right, ...wrong }, length), 0)).toBe('invalid');
    expect(reassembler.fault).toBe(fault);
    const { bufferBytes, incompleteGroups } = reassembler.stats();
    expect([bufferBytes, incompleteGroups, reassembler.committedGroupId]).toEqual([0, 0, 4]);
  });

  test('the last byte of a group of any length goes where it belongs', () => {
    const packetizer = new Packetizer(options);
    for (const length of [1, 2, 1174, 1175, 1176, 2349, 2350, 2351, 256 * 1175]) {
      const reassembler = new Reassembler(options);
      const group = new Uint8Array(length).fill(1);
      group[length - 1] = 2;
      packetizer.prepare(1, group);
      for (let i = packetizer.packetCount - 1; i >= 0; i--) {
        reassembler.accept(packetizer.packetAt(i), 0);
      }
      expect(Buffer.compare(reassembler.completed(), group)).toBe(0);
    }
  });
});

describe('case 143: floods of first packets, and forged ones', () => {
  test('10,000 groups of 65,535 packets are refused by the count, and take no memory', () => {
    const reassembler = new Reassembler(options);
    for (let groupId = 1; groupId <= 10_000; groupId++) {
      const header = { ...right, groupId, chunkCount: 0xffff, groupBytes: 0xffff * 1175 };
      expect(reassembler.accept(forge(header, 1175), 0)).toBe('invalid');
    }
    const { invalid, bufferBytes } = reassembler.stats();
    expect([invalid, bufferBytes]).toEqual([10_000, 0]);
  });

  test('10,000 groups of a legal count: some are held, none is put out, memory is bounded', () => {
    const limits = { ...options, maxGroupsInFlight: 8, maxIncompleteBytes: 600_000 };
    const reassembler = new Reassembler(limits);
    for (let groupId = 1; groupId <= 10_000; groupId++) {
      const header = { ...right, groupId, chunkCount: 256, groupBytes: 256 * 1175 };
      const expected = groupId === 1 ? 'incomplete' : 'limit-exceeded';
      expect(reassembler.accept(forge(header, 1175), groupId / 10_000)).toBe(expected);
    }
    const { incompleteGroups, incompleteBytes, bufferBytes, maxBufferBytes } = reassembler.stats();
    expect([incompleteGroups, incompleteBytes]).toEqual([1, 256 * 1175]);
    expect(bufferBytes).toBeLessThanOrEqual(maxBufferBytes);
    expect(maxBufferBytes).toBeLessThan(4 * 600_000);
  });

  test('memory that groups of all lengths leave behind stays within the same bound', () => {
    const limits = { ...options, maxGroupsInFlight: 64, maxIncompleteBytes: 64 * 5000 };
    const reassembler = new Reassembler(limits);
    let most = 0;
    for (let groupId = 1; groupId <= 3000; groupId++) {
      const groupBytes = 1176 + ((groupId * 7919) % 300_000) / (groupId % 7 === 0 ? 1 : 90);
      const whole = Math.floor(groupBytes);
      const chunkCount = Math.ceil(whole / 1175);
      reassembler.accept(forge({ ...right, groupId, chunkCount, groupBytes: whole }, 1175), 0);
      if (groupId % 50 === 0) reassembler.commit(groupId);
      most = Math.max(most, reassembler.stats().bufferBytes);
    }
    expect(most).toBeLessThanOrEqual(reassembler.stats().maxBufferBytes);
    expect(most).toBeGreaterThan(limits.maxIncompleteBytes / 2);
  });

  test('a forged total may cost its group, but never changes or cuts one', () => {
    const reassembler = new Reassembler(options);
    const [first, second, third] = packetsOf(5) as [Uint8Array, Uint8Array, Uint8Array];
    reassembler.accept(first, 0);
    const forged = forge({ ...right, chunk: 1, chunkCount: 2, groupBytes: 2000 }, 825);
    expect([reassembler.accept(forged, 0), reassembler.fault]).toEqual([
      'invalid',
      'metadata-conflict',
    ]);
    const statuses = [second, third, first].map((packet) => reassembler.accept(packet, 0));
    expect(statuses).toEqual(['incomplete', 'incomplete', 'complete']);
    expect(reassembler.completed()).toEqual(bytes);
  });
});

test('case 145: packets are read through the view, at any offset', () => {
  const reassembler = new Reassembler(options);
  const statuses = packetsOf(9).map((packet) => {
    const dirty = new Uint8Array(packet.length + 40).fill(0x4e);
    dirty.set(packet, 13);
    return reassembler.accept(dirty.subarray(13, 13 + packet.length), 0);
  });
  expect(statuses).toEqual(['incomplete', 'incomplete', 'complete']);
  expect(reassembler.completed()).toEqual(bytes);
});

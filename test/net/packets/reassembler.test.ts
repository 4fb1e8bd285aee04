import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createLossyLink,
  type IncompleteGroup,
  Packetizer,
  Reassembler,
} from '../../../src/net/index.ts';
import { scaled } from '../../scaled.ts';
import { anyGroups, anyLimits, anySteps, forge, type PacketStep } from './packet-steps.ts';
import { type Limits, type Outcome, ReassemblyModel } from './reassembly-model.ts';

const runs = { numRuns: scaled({ tiny: 200, normal: 2000, full: 50_000 }) };

/** Cuts each group into packets of its own; group n has id n + 1. */
function cut(limits: Limits, groups: readonly Uint8Array[]): Uint8Array[][] {
  const { maxPayloadBytes } = limits;
  const packetizer = new Packetizer({ maxPayloadBytes, maxGroupBytes: 90 });
  return groups.map((bytes, index) => {
    packetizer.prepare(index + 1, bytes);
    return Array.from({ length: packetizer.packetCount }, (_, chunk) =>
      packetizer.packetAt(chunk).slice(),
    );
  });
}

/** Returns the bytes that a step sends, or nothing if it sends none. */
function bytesOf(step: PacketStep, packets: readonly Uint8Array[][]): Uint8Array | undefined {
  if (step.kind === 'forged') return forge(step.header, step.bytes);
  if (step.kind !== 'packet' && step.kind !== 'altered') return undefined;
  const group = packets[step.group % packets.length] ?? [];
  const packet = group[step.chunk % group.length];
  if (packet === undefined || step.kind === 'packet') return packet;
  const altered = new Uint8Array(Math.max(0, packet.length + step.grow));
  altered.set(packet.subarray(0, altered.length));
  if (step.at < altered.length) altered[step.at] = (altered[step.at] as number) ^ step.xor;
  return altered;
}

/** The same bytes in the middle of others. */
function inside(bytes: Uint8Array): Uint8Array {
  const dirty = new Uint8Array(bytes.length + 20).fill(0x53);
  dirty.set(bytes, 13);
  return dirty.subarray(13, 13 + bytes.length);
}

function outcomeOf(reassembler: Reassembler, packet: Uint8Array, nowMs: number): Outcome {
  const status = reassembler.accept(packet, nowMs);
  const { fault, groupId } = reassembler;
  return { status, fault, groupId, completed: [...reassembler.completed()] };
}

function stateOf(reassembler: Reassembler): unknown {
  const { bufferBytes: _, maxBufferBytes: __, ...stats } = reassembler.stats();
  return [reassembler.committedGroupId, reassembler.incompleteGroups(), stats];
}

function modelStateOf({ committed, parts, counts, refusals }: ReassemblyModel): unknown {
  const groups = parts.map(
    ({ id, bytes, count, chunks, first }): IncompleteGroup => ({
      groupId: id,
      bytes,
      chunks: count,
      received: chunks.size,
      firstMs: first,
    }),
  );
  const { latest, ...others } = counts;
  const { limit, ...refused } = refusals;
  const incompleteBytes = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    committed,
    groups,
    {
      ...others,
      ...refused,
      latestCompletedBytes: latest,
      limitExceeded: limit,
      incompleteGroups: parts.length,
      incompleteBytes,
    },
  ];
}

describe('a receiver of packets', () => {
  test('does what a plain one does, whatever comes in whatever order', () => {
    const program = fc.property(anyLimits, anyGroups, anySteps, (limits, groups, steps) => {
      const packets = cut(limits, groups);
      const reassembler = new Reassembler(limits);
      const model = new ReassemblyModel(limits);
      let nowMs = 0;
      for (const step of steps) {
        const bytes = bytesOf(step, packets);
        if (bytes !== undefined) {
          const seen = outcomeOf(reassembler, inside(bytes), nowMs);
          expect(seen).toEqual(model.accept(bytes, nowMs));
        } else if (step.kind === 'wait') nowMs += step.byMs;
        else if (step.kind === 'expire') {
          reassembler.expire(nowMs);
          model.expire(nowMs);
        } else if (step.kind === 'commit') {
          reassembler.commit(step.group);
          model.commit(step.group);
        } else if (step.kind === 'clear') {
          reassembler.clear();
          model.clear();
        }
        expect(stateOf(reassembler)).toEqual(modelStateOf(model));
        const { bufferBytes, maxBufferBytes } = reassembler.stats();
        expect(bufferBytes).toBeLessThanOrEqual(maxBufferBytes);
      }
    });
    fc.assert(program, runs);
  });

  test('hands over every group that came whole over a bad link, and no other bytes', () => {
    const conditions = { loss: 0.05, duplicate: 0.2, reorder: 0.3, delayMs: 20, jitterMs: 15 };
    const link = createLossyLink({ seed: 11, conditions });
    const packetizer = new Packetizer({ maxPayloadBytes: 200, maxGroupBytes: 4096 });
    const reassembler = new Reassembler({ maxPayloadBytes: 200, maxGroupBytes: 4096 });
    const bytesOfGroup = (id: number): Uint8Array =>
      Uint8Array.from({ length: 1 + ((id * 97) % 900) }, (_, index) => id + index * 3);
    const whole = new Set<number>();
    const arrived = new Map<number, Set<number>>();
    for (let tick = 1; tick <= 400; tick++) {
      packetizer.prepare(tick, bytesOfGroup(tick));
      for (let i = 0; i < packetizer.packetCount; i++) link.a.send(packetizer.packetAt(i));
      link.advanceTo(tick * 16);
      link.b.receive((packet) => {
        const id = new DataView(packet.buffer, packet.byteOffset).getUint32(9);
        const known = arrived.get(id) ?? new Set();
        arrived.set(id, known.add(packet[14] as number));
        if (reassembler.accept(packet, link.nowMs) !== 'complete') return;
        expect(reassembler.completedGroupId).toBe(id);
        expect(reassembler.completed()).toEqual(bytesOfGroup(id));
        expect(known.size).toBe(Math.ceil(bytesOfGroup(id).length / 175));
        whole.add(id);
        reassembler.commit(id);
      });
    }
    expect(whole.size).toBeGreaterThan(200);
    expect(reassembler.stats().invalid).toBe(0);
  });

  test('keeps a part of the committed group, drops older ones, and never goes back', () => {
    const limits = { maxPayloadBytes: 35, maxGroupBytes: 30 };
    const packetizer = new Packetizer(limits);
    const reassembler = new Reassembler(limits);
    const idsHere = (): number[] => reassembler.incompleteGroups().map(({ groupId }) => groupId);
    for (const groupId of [3, 5, 4]) {
      packetizer.prepare(groupId, new Uint8Array(30));
      reassembler.accept(packetizer.packetAt(0), 0);
    }
    reassembler.commit(4);
    expect([reassembler.committedGroupId, idsHere()]).toEqual([4, [5, 4]]);
    reassembler.commit(3);
    expect([reassembler.committedGroupId, idsHere()]).toEqual([4, [5, 4]]);
    reassembler.commit(6);
    expect([reassembler.committedGroupId, idsHere()]).toEqual([6, []]);
  });

  test('takes groups up to exactly the bytes and the count that it may hold', () => {
    const limits = { maxPayloadBytes: 35, maxGroupBytes: 30, maxIncompleteBytes: 60 };
    const packetizer = new Packetizer(limits);
    const reassembler = new Reassembler({ ...limits, maxGroupsInFlight: 3 });
    const statuses = [30, 29, 1, 2].map((length, index) => {
      packetizer.prepare(index + 1, new Uint8Array(length));
      return reassembler.accept(packetizer.packetAt(0), 0);
    });
    expect(statuses).toEqual(['incomplete', 'incomplete', 'complete', 'limit-exceeded']);
  });

  test('uses its memory again, also that of long groups for short ones', () => {
    const limits = { maxPayloadBytes: 1025, maxGroupBytes: 16_000, maxIncompleteBytes: 16_000 };
    const packetizer = new Packetizer(limits);
    const reassembler = new Reassembler({ ...limits, maxGroupsInFlight: 2 });
    const buffers = new Set<Uint8Array>();
    for (let groupId = 1; groupId <= 300; groupId++) {
      packetizer.prepare(groupId, new Uint8Array(groupId <= 3 ? 16_000 : 1500 + groupId));
      for (let i = 0; i < packetizer.packetCount; i++) {
        reassembler.accept(packetizer.packetAt(i), 0);
      }
      buffers.add(reassembler.completedBuffer);
    }
    expect(buffers.size).toBe(1);
  });

  test('without headers takes a packet for a group', () => {
    const options = { enabled: false, maxPayloadBytes: 50, maxGroupBytes: 40 };
    const packetizer = new Packetizer(options);
    const reassembler = new Reassembler(options);
    packetizer.prepare(9, Uint8Array.of(1, 2, 3));
    expect(packetizer.packetAt(0)).toEqual(Uint8Array.of(1, 2, 3));
    expect(reassembler.accept(packetizer.packetAt(0), 0)).toBe('complete');
    expect([reassembler.completed(), reassembler.completedPacketBytes]).toEqual([
      Uint8Array.of(1, 2, 3),
      3,
    ]);
    expect(reassembler.accept(new Uint8Array(41), 0)).toBe('invalid');
    expect([reassembler.fault, reassembler.completedBytes]).toEqual([
      'raw-payload-out-of-bounds',
      0,
    ]);
  });

  test.each([
    ['a time that is none', (to: Reassembler) => to.accept(new Uint8Array(30), Number.NaN)],
    ['an endless time', (to: Reassembler) => to.expire(Number.POSITIVE_INFINITY)],
    ['a buffer in place of bytes', (to: Reassembler) => to.accept({} as Uint8Array, 0)],
    ['a group that is no u32', (to: Reassembler) => to.commit(-1)],
  ])('refuses %s as an error of the caller, and counts nothing', (_, work) => {
    const reassembler = new Reassembler();
    expect(() => work(reassembler)).toThrow('VALUE_INVALID');
    expect(reassembler.stats().received).toBe(0);
  });
});

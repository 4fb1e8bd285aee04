import { describe, expect, test } from 'vitest';
import { definePipeline } from '../../../src/net/pipeline/pipeline.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';
import { HEADER_BYTES } from '../../../src/net/wire/update-header.ts';
import type { CodedReplica } from '../../../src/net/entropy/coded-replica.ts';
import { scaled } from '../../scaled.ts';
import { toPlain } from '../entropy/population.ts';
import { CodedClient, CodedServer, CODINGS, type Held } from './coded-ends.ts';
import { mixedRecord } from './mixed-record.ts';
import { mutate, putWord } from './mutate.ts';
import { chanceOf, change, populate, rowsOf } from './populations.ts';

describe.each(CODINGS)('case 145: bytes from outside, coded %s', (_, options) => {
  const pipeline = definePipeline({ ...options, record: mixedRecord });
  const chance = chanceOf(20_261);
  const server = new CodedServer(pipeline);
  const client = new CodedClient(pipeline);
  const world = populate(pipeline, [2, 5, 9, 70_000], chance).canonical;
  const { bytes: first } = server.send(world);
  world.tick = 4;
  const { bytes: second } = server.send(change(world, [2, 5, 9, 10, 70_000], chance).canonical, 1);
  const now = change(world, [2, 7, 9, 4_000_000_000], chance).canonical;
  now.tick = 9;
  const { bytes: whole } = server.send(now);
  const { bytes: patch } = server.send(now, 2);
  expect([client.receive(first), client.receive(second)]).toEqual(['ok', 'ok']);
  const held = client.results.get(2) as Held;
  const given = { sequence: 2, snapshot: held.snapshot, coded: held.extra };
  const { result, state } = client;
  result.coded = client.create().extra;

  test('never throw and change nothing unless they are good', () => {
    const before = JSON.stringify([rowsOf(held.snapshot), toPlain(held.extra as CodedReplica)]);
    const seen = new Map<string, number>();
    const count = scaled({ tiny: 5000, normal: 50_000, full: 1_000_000 });
    for (let index = 0; index < count; index++) {
      const packet = mutate(index % 2 === 0 ? patch : whole, chance);
      const isPatch = packet[16] === 1;
      state.latestRemoteSequence = 2;
      const status = decodeUpdate(pipeline, state, packet, isPatch ? given : undefined, result);
      seen.set(status, 1 + (seen.get(status) ?? 0));
      if (status === 'ok') continue;
      expect(state.latestRemoteSequence).toBe(2);
      expect(result.update.upserts.count + result.update.deleteCount).toBe(0);
    }
    const after = JSON.stringify([rowsOf(held.snapshot), toPlain(held.extra as CodedReplica)]);
    expect(after).toBe(before);
    expect(result.update.upserts.ids.length).toBeLessThan(10_000);
    expect(seen.size).toBeGreaterThan(10);
    for (const status of ['ok', 'coded-count-mismatch', 'field-value-invalid']) {
      expect([status, (seen.get(status) ?? 0) > 0]).toEqual([status, true]);
    }
  });

  test('are refused when the counts of the header are not those of the records', () => {
    const statusOf = (source: Uint8Array, at: number, value: number): string => {
      const packet = source.slice();
      putWord(packet, at, value);
      state.latestRemoteSequence = 2;
      const isPatch = packet[16] === 1;
      return decodeUpdate(pipeline, state, packet, isPatch ? given : undefined, result);
    };
    expect(statusOf(patch, 33, 4)).toBe('ok');
    expect(statusOf(patch, 37, 3)).toBe('ok');
    for (const value of [0, 1, 5, 0x7fff_ffff, 0xffff_ffff]) {
      expect(statusOf(patch, 33, value)).toBe('coded-count-mismatch');
      expect(statusOf(patch, 37, value)).toBe('coded-count-mismatch');
    }
    expect(statusOf(whole, 33, 3)).toBe('coded-count-mismatch');
    expect(statusOf(whole, 33, 0xffff_ffff)).toBe('invalid-payload-bounds');
    expect(statusOf(whole, 37, 1)).toBe('invalid-payload-bounds');
    expect(statusOf(patch, 17, 2 ** 21)).toBe('coded-tick-out-of-range');
    expect(statusOf(patch, 17, 2 ** 21 - 1)).toBe('ok');
  });

  test('are read where their view begins', () => {
    const dirty = new Uint8Array(patch.length + 40).fill(0xa5);
    dirty.set(patch, 13);
    const view = dirty.subarray(13, 13 + patch.length);
    const found = [patch, view].map((packet) => {
      state.latestRemoteSequence = 2;
      const status = decodeUpdate(pipeline, state, packet, given, result);
      return [status, rowsOf(result.update.upserts)];
    });
    expect(found[0]?.[0]).toBe('ok');
    expect(found[1]).toEqual(found[0]);
    expect(view.byteOffset + HEADER_BYTES).toBe(13 + HEADER_BYTES);
  });
});

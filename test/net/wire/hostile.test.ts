import { describe, expect, test } from 'vitest';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import { definePipeline, type Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import type { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { DecodeResult } from '../../../src/net/wire/decode-result.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';
import { HEADER_BYTES } from '../../../src/net/wire/update-header.ts';
import { scaled } from '../../scaled.ts';
import { mixedRecord } from './mixed-record.ts';
import { mutate, putWord } from './mutate.ts';
import {
  bytesOf,
  chanceOf,
  change,
  planAll,
  planChanges,
  populate,
  rowsOf,
} from './populations.ts';

const { Delta, DeltaFieldMask, BitPacking, Quantization, OctHeading } = Technique;

/** A receiver with packets that it would take, one of each kind. */
interface Target {
  readonly name: string;
  readonly pipeline: Pipeline;
  readonly baseline: Snapshot;
  readonly packets: readonly Uint8Array[];
}

const targets: Target[] = [
  ['raw', definePipeline({ techniques: Delta })],
  ['packed', definePipeline({ techniques: Delta | Quantization | OctHeading | BitPacking })],
  ['masked', definePipeline({ techniques: Delta | DeltaFieldMask | Quantization | OctHeading })],
  ['own', definePipeline({ record: mixedRecord, techniques: Delta | BitPacking })],
  ['own masked', definePipeline({ record: mixedRecord, techniques: Delta | DeltaFieldMask })],
].map(([name, pipeline]) => makeTarget(name as string, pipeline as Pipeline));

function makeTarget(name: string, pipeline: Pipeline): Target {
  const chance = chanceOf(name.length);
  const { table, canonical: baseline } = populate(pipeline, [2, 5, 9, 70_000], chance);
  const now = change(baseline, [2, 7, 9, 4_000_000_000], chance);
  const patch = bytesOf(pipeline, planChanges(baseline, now, 6, 4));
  return { name, pipeline, baseline, packets: [bytesOf(pipeline, planAll(table, 6)), patch] };
}

describe('case 145: bytes from outside', () => {
  test.each(targets)('never throw and change nothing unless they are good: $name', (target) => {
    const { pipeline, baseline, packets } = target;
    const chance = chanceOf(20_261);
    const state = { latestRemoteSequence: 5 };
    const result = new DecodeResult(pipeline);
    const held = JSON.stringify(rowsOf(baseline));
    const given = { sequence: 4, snapshot: baseline };
    const seen = new Map<string, number>();
    const count = scaled({ tiny: 4000, normal: 100_000, full: 2_000_000 });
    for (let index = 0; index < count; index++) {
      const packet = mutate(packets[index % packets.length] as Uint8Array, chance);
      const isPatch = packet[16] === 1;
      state.latestRemoteSequence = 5;
      const status = decodeUpdate(pipeline, state, packet, isPatch ? given : undefined, result);
      seen.set(status, 1 + (seen.get(status) ?? 0));
      if (status === 'ok') continue;
      expect(state.latestRemoteSequence).toBe(5);
      expect(result.update.upserts.count + result.update.deleteCount).toBe(0);
    }
    expect(JSON.stringify(rowsOf(baseline))).toBe(held);
    expect(result.update.upserts.ids.length).toBeLessThan(1000);
    expect(seen.size).toBeGreaterThan(8);
    expect(seen.get('ok') ?? 0).toBeGreaterThan(0);
  });

  test.each(targets)(
    'are read where their view begins: $name',
    ({ pipeline, baseline, packets }) => {
      for (const packet of packets) {
        const dirty = new Uint8Array(packet.length + 40).fill(0xa5);
        dirty.set(packet, 13);
        const view = dirty.subarray(13, 13 + packet.length);
        const found = [packet, view].map((source) => {
          const result = new DecodeResult(pipeline);
          const given = source[16] === 1 ? { sequence: 4, snapshot: baseline } : undefined;
          const status = decodeUpdate(pipeline, { latestRemoteSequence: 0 }, source, given, result);
          return [status, rowsOf(result.update.upserts)];
        });
        expect(found[0]?.[0]).toBe('ok');
        expect(found[1]).toEqual(found[0]);
      }
    },
  );
});

describe('case 142: sizes that do not add up', () => {
  test.each(targets)('are refused before any memory is taken: $name', ({ pipeline, packets }) => {
    const result = new DecodeResult(pipeline);
    const state = { latestRemoteSequence: 5 };
    for (const at of [33, 37, 41]) {
      for (const value of [0xffff_ffff, 0x8000_0000, 0x1000_0000]) {
        for (const source of packets) {
          for (const length of [HEADER_BYTES, source.length]) {
            const packet = source.slice(0, length);
            putWord(packet, 41, length - HEADER_BYTES);
            putWord(packet, at, value);
            const status = decodeUpdate(pipeline, state, packet, undefined, result);
            expect(['invalid-payload-size', 'invalid-payload-bounds']).toContain(status);
          }
        }
      }
    }
    expect(state.latestRemoteSequence).toBe(5);
    expect([result.update.upserts.ids.length, result.update.deletes.length]).toEqual([0, 0]);
    expect(result.table.ids.length).toBe(0);
  });
});

describe('an own record', () => {
  const pipeline = definePipeline({ record: mixedRecord, techniques: BitPacking });
  const whole = definePipeline({ record: mixedRecord });

  function statusOf(target: Pipeline, edit: (packet: Uint8Array) => void): string {
    const { table } = populate(target, [2, 5, 9], chanceOf(1));
    const packet = bytesOf(target, planAll(table, 6));
    edit(packet);
    const result = new DecodeResult(target);
    const status = decodeUpdate(target, { latestRemoteSequence: 0 }, packet, undefined, result);
    return `${status} ${result.detail}`;
  }

  test('is refused when a token is none of its field, with the name of the field', () => {
    const at = HEADER_BYTES + 4;
    expect(statusOf(whole, () => undefined)).toBe('ok ');
    expect(statusOf(whole, (packet) => packet.fill(0xb5, at, at + 1))).toBe(
      'field-value-invalid place',
    );
    expect(statusOf(whole, (packet) => packet.fill(0xff, at + 2, at + 4))).toBe(
      'field-value-invalid speed',
    );
    expect(statusOf(whole, (packet) => packet.fill(3, at + 7, at + 8))).toBe(
      'field-value-invalid state',
    );
    expect(statusOf(whole, (packet) => packet.fill(0x40, at + 8, at + 9))).toBe(
      'field-value-invalid facing',
    );
  });

  test('is refused when a bit without a meaning is not zero', () => {
    const at = HEADER_BYTES + 4;
    expect(statusOf(whole, (packet) => packet.fill(0x20, at + 6, at + 7))).toBe(
      'padding-not-zero ',
    );
    expect((3 * pipeline.recordBits) % 8).toBeGreaterThan(0);
    expect(
      statusOf(pipeline, (packet) => {
        packet[packet.length - 1] = (packet[packet.length - 1] as number) | 1;
      }),
    ).toBe('padding-not-zero ');
  });
});

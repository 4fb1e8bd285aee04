import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import { definePipeline, type Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import { uint } from '../../../src/net/record/integer-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';
import { DecodeResult } from '../../../src/net/wire/decode-result.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';
import { HEADER_BYTES } from '../../../src/net/wire/update-header.ts';
import { scaled } from '../../scaled.ts';
import { anyRecord } from '../record/any-record.ts';
import {
  bytesOf,
  chanceOf,
  change,
  planAll,
  planChanges,
  populate,
  rowOf,
  rowsOf,
} from './populations.ts';

const runs = { numRuns: scaled({ tiny: 100, normal: 1000, full: 50_000 }) };
const { Delta, DeltaFieldMask, BitPacking, Quantization, OctHeading } = Technique;

const anyIds = fc
  .uniqueArray(
    fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 2 ** 32 - 1 })),
    {
      maxLength: 12,
    },
  )
  .map((ids) => ids.toSorted((a, b) => a - b));

const anyOwn: fc.Arbitrary<Pipeline> = fc
  .tuple(anyRecord, fc.constantFrom(0, BitPacking), fc.constantFrom(Delta, Delta | DeltaFieldMask))
  .map(([record, packing, delta]) => definePipeline({ record, techniques: packing | delta }));

const anyReference: fc.Arbitrary<Pipeline> = fc
  .tuple(
    fc.constantFrom(
      0,
      Quantization,
      Quantization | OctHeading,
      Quantization | OctHeading | BitPacking,
    ),
    fc.constantFrom(Delta, Delta | DeltaFieldMask),
  )
  .map(([representation, delta]) => definePipeline({ techniques: representation | delta }));

const anyPipeline = fc.oneof(anyReference, anyOwn);

describe('any record', () => {
  test('comes out of a complete update as canonical values, in the bits that are told', () => {
    fc.assert(
      fc.property(anyPipeline, anyIds, fc.nat(), (pipeline, ids, seed) => {
        const { table, canonical } = populate(pipeline, ids, chanceOf(seed));
        const bytes = bytesOf(pipeline, planAll(table, 9));
        expect(bytes.length).toBe(HEADER_BYTES + Math.ceil((ids.length * pipeline.recordBits) / 8));
        const state = { latestRemoteSequence: 8 };
        const result = new DecodeResult(pipeline);
        expect(decodeUpdate(pipeline, state, bytes, undefined, result)).toBe('ok');
        expect(state.latestRemoteSequence).toBe(9);
        expect(result.update.upserts.tick).toBe(3 * 2 ** 32 + 4_000_000_000);
        expect(rowsOf(result.update.upserts)).toEqual(rowsOf(canonical));
        expect(result.update.kind).toBe(0);
      }),
      runs,
    );
  });

  test('comes out of a patch as it is now, with or without the fields that did not change', () => {
    fc.assert(
      fc.property(anyPipeline, anyIds, anyIds, fc.nat(), (pipeline, before, after, seed) => {
        const chance = chanceOf(seed);
        const { canonical: baseline } = populate(pipeline, before, chance);
        const now = change(baseline, after, chance);
        const plan = planChanges(baseline, now, 7, 4);
        const bytes = bytesOf(pipeline, plan);
        const state = { latestRemoteSequence: 4 };
        const result = new DecodeResult(pipeline);
        const held = rowsOf(baseline);
        const given = { sequence: 4, snapshot: baseline };
        expect(decodeUpdate(pipeline, state, bytes, given, result)).toBe('ok');
        const { upserts, deletes, deleteCount } = result.update;
        expect(rowsOf(upserts)).toEqual([...plan.rows].map((row) => rowOf(now.canonical, row)));
        expect([...deletes.subarray(0, deleteCount)]).toEqual([...plan.deletes]);
        expect(rowsOf(baseline)).toEqual(held);
      }),
      runs,
    );
  });
});

test.each([1, 7, 8, 15, 16, 31])(
  'a record of %d fields has a selector for all of them',
  (count) => {
    const names = Array.from({ length: count }, (_, index) => `f${index}`);
    const record = defineRecord({
      fields: Object.fromEntries(names.map((name) => [name, uint(9)])),
    });
    const pipeline = definePipeline({ record, techniques: Delta | DeltaFieldMask });
    const chance = chanceOf(count);
    const { canonical: baseline } = populate(pipeline, [1, 2, 3], chance);
    const now = change(baseline, [1, 2, 3, 4], chance);
    const bytes = bytesOf(pipeline, planChanges(baseline, now, 2, 1));
    const result = new DecodeResult(pipeline);
    const state = { latestRemoteSequence: 1 };
    const given = { sequence: 1, snapshot: baseline };
    expect(decodeUpdate(pipeline, state, bytes, given, result)).toBe('ok');
    expect(rowOf(result.update.upserts, result.update.upserts.count - 1)).toEqual(
      rowOf(now.canonical, 3),
    );
    expect(pipeline.records.selectorBytes).toBe(count < 8 ? 1 : count < 16 ? 2 : 4);
  },
);

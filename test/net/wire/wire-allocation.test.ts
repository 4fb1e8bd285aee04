import { describe, expect, test } from 'vitest';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import { definePipeline, type Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import { bytes } from '../../../src/net/record/bytes-field.ts';
import { direction } from '../../../src/net/record/direction-field.ts';
import { float32, quantised } from '../../../src/net/record/float-field.ts';
import { bool, int } from '../../../src/net/record/integer-field.ts';
import { orientation } from '../../../src/net/record/orientation-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';
import { turn } from '../../../src/net/record/turn-field.ts';
import { decodeTokens, encodeTokens } from '../../../src/net/snapshot/snapshot-tokens.ts';
import { ByteBuffer } from '../../../src/net/wire/byte-buffer.ts';
import { DecodeResult } from '../../../src/net/wire/decode-result.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';
import { writeUpdate } from '../../../src/net/wire/write-update.ts';
import { bytesLeft } from '../../heap-growth.ts';
import { scaled } from '../../scaled.ts';
import { chanceOf, change, planAll, planChanges, populate } from './populations.ts';

const calls = scaled({ tiny: 6000, normal: 10_000, full: 20_000 });
const { Delta, DeltaFieldMask, BitPacking, Quantization, OctHeading } = Technique;

const record = defineRecord({
  fields: {
    place: quantised({ min: [-9, -9, -9], max: [9, 9, 9], precision: 0.01 }),
    speed: float32(),
    level: int(5),
    isOpen: bool(),
    facing: direction(7),
    attitude: orientation(9),
    yaw: turn({ bits: 9 }),
    note: bytes(6),
  },
});

const pipelines: [string, Pipeline][] = [
  ['raw', definePipeline({ techniques: Delta })],
  ['quantised', definePipeline({ techniques: Delta | Quantization })],
  ['packed', definePipeline({ techniques: Delta | Quantization | OctHeading | BitPacking })],
  ['masked', definePipeline({ techniques: Delta | DeltaFieldMask | Quantization | OctHeading })],
  ['own', definePipeline({ record, techniques: Delta | BitPacking })],
  ['own masked', definePipeline({ record, techniques: Delta | DeltaFieldMask })],
];

describe('once everything has grown', () => {
  test.each(pipelines)('writing and decoding leave nothing on the heap: %s', (_, pipeline) => {
    const chance = chanceOf(5);
    const ids = Array.from({ length: 16 }, (_, index) => 3 * index + 1);
    const { table, canonical } = populate(pipeline, ids, chance);
    const now = change(canonical, ids.slice(5), chance);
    // A tick whose lower half passes 2^31 is a double, which an engine may box as it likes.
    const full = { ...planAll(table, 1), tickLow: 5 };
    const patch = { ...planChanges(canonical, now, 2, 1), tickLow: 6 };
    const out = new ByteBuffer();
    writeUpdate(pipeline, full, out);
    const whole = out.toBytes();
    writeUpdate(pipeline, patch, out);
    const changed = out.toBytes();
    const result = new DecodeResult(pipeline);
    const state = { latestRemoteSequence: 0 };
    const given = { sequence: 1, snapshot: canonical };
    let good = 0;
    const work = (): void => {
      encodeTokens(canonical, table);
      decodeTokens(table, canonical);
      writeUpdate(pipeline, full, out);
      writeUpdate(pipeline, patch, out);
      state.latestRemoteSequence = 0;
      if (decodeUpdate(pipeline, state, whole, undefined, result) === 'ok') good++;
      if (decodeUpdate(pipeline, state, changed, given, result) === 'ok') good++;
      if (decodeUpdate(pipeline, state, changed, given, result) === 'stale-sequence') good++;
    };
    expect(bytesLeft(calls, work)).toBe(0);
    expect(good % 3).toBe(0);
    expect(good).toBeGreaterThan(3 * calls);
  });
});

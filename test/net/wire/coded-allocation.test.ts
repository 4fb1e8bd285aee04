import { describe, expect, test } from 'vitest';
import { codedExtra } from '../../../src/net/delivery/coded-extra.ts';
import { RetainedResult } from '../../../src/net/delivery/retained-result.ts';
import type { CodedReplica } from '../../../src/net/entropy/coded-replica.ts';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import { definePipeline } from '../../../src/net/pipeline/pipeline.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import { direction } from '../../../src/net/record/direction-field.ts';
import { quantised } from '../../../src/net/record/float-field.ts';
import { int } from '../../../src/net/record/integer-field.ts';
import { orientation } from '../../../src/net/record/orientation-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { ByteBuffer } from '../../../src/net/wire/byte-buffer.ts';
import { CodedRecords } from '../../../src/net/wire/coded-records.ts';
import { DecodeResult } from '../../../src/net/wire/decode-result.ts';
import { decodeUpdate } from '../../../src/net/wire/decode-update.ts';
import { writeCodedUpdate } from '../../../src/net/wire/write-update.ts';
import { bytesLeft } from '../../heap-growth.ts';
import { scaled } from '../../scaled.ts';
import { CODINGS } from './coded-ends.ts';
import { chanceOf, change, planAll, planChanges, populate } from './populations.ts';

const calls = scaled({ tiny: 1500, normal: 3000, full: 6000 });

const record = defineRecord({
  fields: {
    place: quantised({ min: [-9, -9, -9], max: [9, 9, 9], precision: 0.01 }),
    level: int(5),
    facing: direction(7),
    attitude: orientation(9),
  },
});

describe.each(CODINGS)('once everything has grown, coded %s', (_, options) => {
  const pipeline = definePipeline({ ...options, record });

  test('writing and decoding leave nothing on the heap', () => {
    const chance = chanceOf(5);
    const ids = Array.from({ length: 16 }, (_, index) => 3 * index + 1);
    const { table, canonical } = populate(pipeline, ids, chance);
    const now = change(canonical, ids.slice(5), chance);
    const full = { ...planAll(table, 1), tickHigh: 0, tickLow: 5 };
    const patch = { ...planChanges(canonical, now, 2, 1), tickHigh: 0, tickLow: 6 };
    canonical.tick = 5;
    const coding = CodedRecords.of(pipeline) as CodedRecords;
    const [first, second] = [coding.createReplica(), coding.createReplica()];
    const out = new ByteBuffer();
    writeCodedUpdate(pipeline, coding, full, null, first, out);
    const whole = out.toBytes();
    writeCodedUpdate(pipeline, coding, patch, first, second, out);
    const changed = out.toBytes();
    const result = new DecodeResult(pipeline);
    const state = { latestRemoteSequence: 0 };
    const given = { sequence: 1, snapshot: canonical, coded: first };
    let good = 0;
    const work = (): void => {
      writeCodedUpdate(pipeline, coding, full, null, first, out);
      writeCodedUpdate(pipeline, coding, patch, first, second, out);
      state.latestRemoteSequence = 0;
      if (decodeUpdate(pipeline, state, whole, undefined, result) === 'ok') good++;
      if (decodeUpdate(pipeline, state, changed, given, result) === 'ok') good++;
    };
    expect(bytesLeft(calls, work)).toBe(0);
    expect(good % 2).toBe(0);
    expect(good).toBeGreaterThan(2 * calls);
  });

  test('encoding for a client leaves nothing on the heap', () => {
    const { shape } = pipeline;
    const encoder = new UpdateEncoder(pipeline);
    const hooks = codedExtra(pipeline);
    const tick = new TickSource(shape);
    const state = new ClientReplicationState();
    const population = new Snapshot(shape);
    population.copyFrom(populate(pipeline, [1, 2, 3, 4, 5, 6, 7, 8, 9], chanceOf(1)).canonical);
    const levels = population.columns[1]?.values as Int32Array;
    const results = [0, 1].map(() => new RetainedResult<CodedReplica | undefined>(shape, hooks));
    const baseline = {
      sequence: 0,
      snapshot: results[1]?.snapshot as Snapshot,
      trusted: true,
      coded: results[1]?.extra,
    };
    const request = {
      baseline: null as typeof baseline | null,
      result: results[0]?.snapshot as Snapshot,
      resultCoded: results[0]?.extra,
    };
    const work = (): void => {
      population.tickLow++;
      population.count = population.tickLow % 8 === 0 ? 8 : 9;
      for (let row = 0; row < 5; row++) levels[row] = (population.tickLow + row) & 15;
      tick.load(population);
      const update = encoder.encode(tick, state, request);
      update.commit();
      request.result = baseline.snapshot;
      request.resultCoded = baseline.coded;
      baseline.snapshot = update.resulting;
      baseline.coded = update.coded ?? undefined;
      baseline.sequence = update.plan.sequence;
      request.baseline = baseline;
    };
    expect(bytesLeft(calls, work)).toBe(0);
    expect(baseline.sequence).toBe(state.nextSequence - 1);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import { definePipeline, type Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import { quantised } from '../../../src/net/record/float-field.ts';
import { uint } from '../../../src/net/record/integer-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';
import type { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { HEADER_BYTES } from '../../../src/net/wire/update-header.ts';
import { scaled } from '../../scaled.ts';
import { toPlain } from '../entropy/population.ts';
import { anyRecord } from '../record/any-record.ts';
import { CodedClient, CodedServer, CODINGS, type Held } from './coded-ends.ts';
import { chanceOf, change, populate, rowsOf } from './populations.ts';

const runs = { numRuns: scaled({ tiny: 60, normal: 600, full: 20_000 }) };

const anyCoding = fc.constantFrom(...CODINGS.map(([, options]) => options));

const anyPipeline: fc.Arbitrary<Pipeline> = fc
  .tuple(anyRecord, anyCoding, fc.constantFrom(0, Technique.Incremental))
  .map(([record, options, turns]) =>
    definePipeline({
      ...options,
      record,
      techniques: (options.techniques ?? 0) | turns,
      maxEntitiesPerUpdate: 3,
    }),
  );

const anyIds = fc
  .uniqueArray(
    fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 2 ** 32 - 1 })),
    { maxLength: 12 },
  )
  .map((ids) => ids.toSorted((a, b) => a - b));

/** An update: who is there, whether it comes, how old its baseline is, ticks since the last. */
const anyStep = fc.record({
  ids: anyIds,
  arrives: fc.boolean(),
  back: fc.nat(3),
  ticks: fc.constantFrom(1, 2, 3, 1000, 2 ** 32),
});

/** Everything that must be equal on both sides. */
function plainOf({ sequence, snapshot, extra }: Held): unknown {
  return {
    sequence,
    tick: snapshot.tick,
    rows: rowsOf(snapshot),
    coded: extra === undefined ? null : toPlain(extra),
  };
}

describe('coded updates of any record', () => {
  test('give the client what the server has, whatever was lost', () => {
    fc.assert(
      fc.property(
        anyPipeline,
        fc.array(anyStep, { minLength: 1, maxLength: 12 }),
        fc.nat(),
        (pipeline, steps, seed) => {
          const chance = chanceOf(seed);
          const server = new CodedServer(pipeline);
          const client = new CodedClient(pipeline);
          let world: Snapshot = populate(pipeline, [], chance).canonical;
          let tick = 0;
          for (const { ids, arrives, back, ticks } of steps) {
            world = change(world, ids, chance).canonical;
            world.tick = tick += ticks;
            const acknowledged = [...client.results.keys()].at(-1 - back) ?? 0;
            const { update, bytes } = server.send(world, acknowledged);
            const { sequence, rowCount, deleteCount } = update.plan;
            if (!arrives) continue;
            expect(client.receive(bytes)).toBe('ok');
            const { upserts } = client.result.update;
            expect([upserts.count, client.result.update.deleteCount]).toEqual([
              rowCount,
              deleteCount,
            ]);
            const held = client.results.get(sequence) as Held;
            expect(plainOf(held)).toEqual(plainOf(server.results.get(sequence) as Held));
          }
        },
      ),
      runs,
    );
  });

  test('take ticks up to the last safe integer', () => {
    for (const [, options] of CODINGS) {
      const record = defineRecord({ fields: { level: uint(5) } });
      const pipeline = definePipeline({ ...options, record });
      const server = new CodedServer(pipeline);
      const client = new CodedClient(pipeline);
      const world = populate(pipeline, [1, 2], chanceOf(1)).canonical;
      world.tick = 0;
      expect(client.receive(server.send(world).bytes)).toBe('ok');
      world.tick = Number.MAX_SAFE_INTEGER;
      expect(client.receive(server.send(world, 1).bytes)).toBe('ok');
      world.tickHigh = 2 ** 21;
      expect(() => server.send(world, 2)).toThrow('too great');
    }
  });
});

test.each(CODINGS)('reports tell what was coded, field by field: %s', (_, options) => {
  const record = defineRecord({
    fields: { place: quantised({ min: [0, 0], max: [9, 9], bits: 12 }), level: uint(5) },
  });
  const pipeline = definePipeline({ ...options, record });
  const server = new CodedServer(pipeline);
  const world = populate(pipeline, [1, 2, 3, 4], chanceOf(3)).canonical;
  const first = server.send(world);
  expect(first.update.representation).toEqual({ layout: pipeline.layout, recordBits: 61 });
  world.count = 3;
  const level = world.columns[1]?.values as Uint32Array;
  level[1] = (level[1] as number) ^ 1;
  const { update, bytes } = server.send(world, 1);
  const { delta, plan } = update;
  expect([plan.rowCount, plan.deleteCount]).toEqual([1, 1]);
  expect([delta.maskedRecords, delta.wholeRecords, ...delta.inclusions]).toEqual([1, 0, 0, 1]);
  expect(delta.upsertBytes).toBe(bytes.length - HEADER_BYTES);
  expect(delta.completeBytes).toBe(8);
  expect(bytes.length).toBeLessThan(HEADER_BYTES + 8);
});

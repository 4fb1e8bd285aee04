import { expect, it } from 'vitest';
import { HandleCodec } from '../../src/shared/entity.ts';
import { mapRoster } from '../../src/shared/world-map.ts';
import { EntityTable } from '../../src/sim-worker/entity-table.ts';
import { Structure } from '../../src/sim-worker/structure.ts';
import { WorldGuard } from '../../src/sim-worker/world-guard.ts';
import { createWorld } from '../../src/sim-worker/index.ts';
import { logBench } from './log-bench.ts';

const CAPACITY = 2 ** 20;

it('tells of used-up slots from 1 % of the capacity on, and never issues them again', () => {
  const { records, log } = logBench();
  const schema = { capacity: CAPACITY, components: [] };
  const map = mapRoster(schema as unknown as Parameters<typeof mapRoster>[0]);
  const table = new EntityTable(CAPACITY, new ArrayBuffer(map.bytes), 0, map);
  const structure = new Structure(table, [], new WorldGuard(CAPACITY, 0, log.for('ecs')));
  const { generationMax, indexBits } = new HandleCodec(CAPACITY);
  const due = Math.ceil(CAPACITY / 100);
  // Every slot has one life left.
  for (let slot = 0; slot <= due; slot++) {
    table.handles[slot] = (((generationMax - 1) << indexBits) | slot) >>> 0;
  }
  for (let slot = 0; slot < due; slot++) {
    expect(records).toEqual([]);
    const index = table.reserve();
    structure.enliven(index);
    structure.end(index);
  }
  expect(table.retiredCount).toBe(due);
  expect(records.map(({ event, fields }) => [event, fields])).toEqual([
    ['slots_retired', { retired_count: due, capacity: CAPACITY }],
  ]);
  expect(table.reserve()).toBe(due);
});

it('tells of nothing while every slot has lives left', () => {
  const { records, log } = logBench();
  const world = createWorld({ capacity: 64, components: {}, log: log.for('ecs') });
  for (let i = 0; i < 1000; i++) world.despawn(world.spawn());
  expect([records, world.retiredCount]).toEqual([[], 0]);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { referenceRecord } from '../../../src/net/record/reference-record.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { scaled } from '../../scaled.ts';
import { leanRecord } from './lean-record.ts';

const bounds = { min: [-8192, -8192, -8192], max: [8192, 8192, 8192] };
const shape = referenceRecord({ bounds, isOctahedral: true });

const anyEntity = fc.record({
  id: fc.integer({ min: 1, max: 15 }),
  classification: fc.integer({ min: 1, max: 3 }),
  place: fc.integer({ min: -9000, max: 9000 }),
  angle: fc.integer({ min: 0, max: 6 }),
});
type Entity = { id: number; classification: number; place: number; angle: number };
const anyPopulation = fc
  .uniqueArray(anyEntity, { selector: ({ id }) => id, maxLength: 15 })
  .map((rows) => rows.sort((left, right) => left.id - right.id));

test('what is carried over from tick to tick is what a fresh load makes', () => {
  fc.assert(
    fc.property(fc.array(anyPopulation, { minLength: 1, maxLength: 6 }), (populations) => {
      const tick = new TickSource(shape);
      for (const [index, population] of populations.entries()) {
        const snapshot = snapshotOf(population, index);
        tick.load(snapshot);
        const fresh = new TickSource(shape);
        fresh.load(snapshot);
        expect(contentOf(tick)).toEqual(contentOf(fresh));
      }
    }),
    { numRuns: scaled({ tiny: 40, normal: 300, full: 5000 }) },
  );
});

describe('a load', () => {
  const first = [
    { id: 3, classification: 1, place: 10, angle: 0 },
    { id: 5, classification: 2, place: 20, angle: 1 },
  ];

  test('quantises only what has changed', () => {
    const tick = new TickSource(shape);
    tick.load(snapshotOf(first, 1));
    expect(tick.requantisedRows).toBe(8);
    tick.load(snapshotOf(first, 2));
    expect(tick.requantisedRows).toBe(0);
    const moved = first.map((entity) => ({ ...entity, place: entity.id === 3 ? 11 : 20 }));
    tick.load(snapshotOf(moved, 3));
    expect(tick.requantisedRows).toBe(1);
  });

  test.each([
    ['an id is 0', { id: 0 }, 'snapshot-invalid/world-id-zero'],
    ['a value is not finite', { place: Number.NaN }, 'snapshot-invalid/world-position-not-finite'],
    ['a class is 0', { classification: 0 }, 'snapshot-invalid/world-classification-zero'],
  ])('that is refused since %s keeps what there was', (_, change, fault) => {
    const tick = new TickSource(shape);
    tick.load(snapshotOf(first, 1));
    const before = contentOf(tick);
    const broken = [{ ...(first[0] as Entity), ...change }, first[1] as Entity];
    expect(() => tick.load(snapshotOf(broken, 2))).toThrow(
      expect.objectContaining({ code: 'SNAPSHOT_INVALID', fault }) as Error,
    );
    expect(contentOf(tick)).toEqual(before);
  });

  test('of nothing, or of another record, is refused', () => {
    const tick = new TickSource(shape);
    expect(() => tick.load(null as never)).toThrow(
      expect.objectContaining({ fault: 'snapshot-missing' }) as Error,
    );
    expect(() => tick.load(new Snapshot(leanRecord()))).toThrow(
      expect.objectContaining({ fault: 'snapshot-foreign' }) as Error,
    );
    expect(tick.loaded).toBe(false);
  });

  test('refuses a count that its arrays do not hold, though the ids it has are the same', () => {
    const many = Array.from({ length: 300 }, (_, i) => ({ ...(first[0] as Entity), id: i + 1 }));
    const tick = new TickSource(shape);
    for (let turn = 1; turn < 3; turn++) tick.load(snapshotOf(many, turn));
    const before = contentOf(tick);
    const short = snapshotOf(many, 3);
    short.ids = short.ids.slice(0, 256);
    expect(() => tick.load(short)).toThrow(
      expect.objectContaining({ fault: 'snapshot-invalid/world-size-mismatch' }) as Error,
    );
    expect(contentOf(tick)).toEqual(before);
  });

  test('looks at the order of ids', () => {
    const tick = new TickSource(shape);
    const second = [first[1] as Entity, first[0] as Entity];
    expect(() => tick.load(snapshotOf(second, 1))).toThrow(
      expect.objectContaining({ fault: 'snapshot-invalid/world-id-order' }) as Error,
    );
  });
});

test('case 131: a position beyond the range is clamped and counted, never wrapped', () => {
  const tick = new TickSource(shape);
  const places = [8192, 8192.5, 1e9, -1e9];
  const entities = places.map((place, i) => ({ id: i + 1, classification: 1, place, angle: 0 }));
  tick.load(snapshotOf(entities, 1));
  const decoded = places.map((_, row) => tick.canonical.columns[1]?.values[row * 3]);
  expect(decoded).toEqual([8192, 8192, 8192, -8192]);
  expect(tick.clampedValues).toBe(3);
  const broken = [{ ...(entities[0] as Entity), place: Number.NaN }];
  expect(() => tick.load(snapshotOf(broken, 2))).toThrow(
    expect.objectContaining({ fault: 'snapshot-invalid/world-position-not-finite' }) as Error,
  );
});

test('a grid of cells without a size is refused', () => {
  expect(() => new TickSource(shape, { cellSize: 0 })).toThrow(
    expect.objectContaining({ fault: 'cell-size-invalid' }) as Error,
  );
});

function snapshotOf(entities: readonly Entity[], tick: number): Snapshot {
  const snapshot = new Snapshot(shape, entities.length);
  snapshot.tick = tick;
  snapshot.count = entities.length;
  for (const [row, { id, classification, place, angle }] of entities.entries()) {
    snapshot.ids[row] = id;
    snapshot.columns[0]?.values.set([classification], row);
    snapshot.columns[1]?.values.set([place, 0, 0], row * 3);
    snapshot.columns[2]?.values.set([Math.cos(angle), 0, Math.sin(angle)], row * 3);
    snapshot.columns[3]?.values.set([id], row);
  }
  return snapshot;
}

function contentOf({ source, canonical, tokens }: TickSource): unknown {
  const { count } = source;
  return {
    tick: source.tick,
    counts: [count, canonical.count, tokens.count],
    ids: [source, canonical, tokens].map(({ ids }) => Array.from(ids.subarray(0, count))),
    tokens: Array.from(tokens.tokens.subarray(0, count * tokens.laneCount)),
    columns: [source, canonical].map(({ columns }) =>
      columns.map(({ bits }, field) =>
        Array.from(bits.subarray(0, count * (shape.fields[field]?.codec.width ?? 0))),
      ),
    ),
  };
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstNotUnit } from '../../../src/net/snapshot/row-scan.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { validateSnapshot } from '../../../src/net/snapshot/snapshot-check.ts';
import { validateUpdate } from '../../../src/net/snapshot/update-check.ts';
import { scaled } from '../../scaled.ts';
import { referenceShape } from '../reference-shape.ts';
import { anyEntities, type PlainEntity, shipShape, shipsOf, updateOf } from './any-snapshot.ts';

const runs = { numRuns: scaled({ tiny: 200, normal: 400, full: 50_000 }) };

const KEBAB: Record<string, string> = { spinAxis: 'spin-axis' };

/** The first fault of ids and reserved numbers, row by row, as the rules tell it. */
function idFault(entities: readonly PlainEntity[]): string | undefined {
  for (const [row, { id, values }] of entities.entries()) {
    if (id === 0) return 'id-zero';
    if (values[0]?.[0] === 0) return 'kind-zero';
    if (row > 0 && id <= (entities[row - 1]?.id ?? 0)) return 'id-order';
  }
  return undefined;
}

/** The first fault of the floats of one row. */
function valueFault({ values }: PlainEntity): string | undefined {
  for (const { name, index, check, codec } of shipShape.fields) {
    const numbers = (values[index] ?? []).map(Math.fround);
    if (codec.scalar !== 'f32') continue;
    if (!numbers.every(Number.isFinite)) return `${KEBAB[name] ?? name}-not-finite`;
    if (check === 'unit' && Math.abs(Math.hypot(...numbers) - 1) > 0.01)
      return `${KEBAB[name] ?? name}-not-unit`;
  }
  return undefined;
}

function worldModel(entities: readonly PlainEntity[]): string {
  const fault = idFault(entities) ?? entities.map(valueFault).find((found) => found !== undefined);
  return fault === undefined ? 'ok' : `world-${fault}`;
}

function updateModel(kind: number, upserts: readonly PlainEntity[], deletes: number[]): string {
  if (kind !== 0 && kind !== 1) return 'update-kind-unknown';
  if (kind === 0 && deletes.length > 0) return 'full-replace-with-deletes';
  const ids = idFault(upserts);
  if (ids !== undefined) return `upsert-${ids}`;
  for (const [row, id] of deletes.entries()) {
    if (id === 0) return 'delete-id-zero';
    if (row > 0 && id <= (deletes[row - 1] ?? 0)) return 'delete-id-order';
  }
  for (const upsert of upserts) {
    const fault = valueFault(upsert);
    if (fault !== undefined) return `upsert-${fault}`;
    if (deletes.includes(upsert.id)) return 'upsert-and-delete-same-id';
  }
  return 'ok';
}

/** What a stranger may put in the place of a number: field, part, number. */
const anyDamage = fc.record({
  row: fc.nat({ max: 9 }),
  field: fc.constantFrom(-1, 0, 1, 2, 3, 5),
  value: fc.constantFrom(0, 3, Number.NaN, Number.POSITIVE_INFINITY, 0.5),
});

const anyDamaged = fc
  .tuple(anyEntities, fc.array(anyDamage, { maxLength: 3 }))
  .map(([entities, damages]) =>
    damages.reduce<PlainEntity[]>(
      (list, { row, field, value }) =>
        list.map((entity, at) => {
          if (at !== row % list.length) return entity;
          if (field < 0) return { ...entity, id: Number.isInteger(value) ? value : 0 };
          // Kinds are whole numbers.
          const put = field === 0 && !Number.isInteger(value) ? 0 : value;
          const values = entity.values.map((numbers, index) =>
            index === field ? [put, ...numbers.slice(1)] : numbers,
          );
          return { ...entity, values };
        }),
      entities,
    ),
  );

describe('the first fault is named', () => {
  test('of a population', () => {
    fc.assert(
      fc.property(anyDamaged, (entities) => {
        expect(validateSnapshot(shipsOf(1, entities))).toBe(worldModel(entities));
      }),
      runs,
    );
  });

  test('of an update', () => {
    const anyKind = fc.constantFrom(0, 1, 1, 1, 1, 1, 2);
    const anyDeletes = fc.array(fc.nat({ max: 14 }), { maxLength: 3 });
    fc.assert(
      fc.property(anyKind, anyDamaged, anyDeletes, fc.boolean(), (kind, upserts, ids, tidy) => {
        const deletes = tidy ? [...new Set(ids)].sort((a, b) => a - b).filter(Boolean) : ids;
        expect(validateUpdate(updateOf(kind, 1, upserts, deletes))).toBe(
          updateModel(kind, upserts, deletes),
        );
      }),
      runs,
    );
  });

  test.each([-1, 1.5, 3, Number.NaN])('of a count of %s where there is room for two', (count) => {
    const snapshot = new Snapshot(shipShape, 2);
    snapshot.count = count;
    expect(validateSnapshot(snapshot)).toBe('world-size-mismatch');
    const update = updateOf(1, 1, [], []);
    update.deleteCount = count;
    expect(validateUpdate(update)).toBe('update-size-mismatch');
  });

  test('of columns that are shorter than the ids', () => {
    const snapshot = new Snapshot(shipShape, 2);
    snapshot.count = 2;
    snapshot.ids = Uint32Array.of(1, 2);
    snapshot.columns = snapshot.columns.map(({ values, bits }, field) => ({
      values,
      bits: field === 3 ? bits.subarray(1) : bits,
    }));
    expect(validateSnapshot(snapshot)).toBe('world-size-mismatch');
  });
});

test('a length passes where its f32 root is within a hundredth of 1, on both sides', () => {
  const word = new Uint32Array(1);
  const square = new Float32Array(word.buffer);
  const one = new Float32Array(4);
  const passes = (bits: number): boolean => {
    word[0] = bits;
    // Squares that add up to that one: a power of two, and what is left.
    const rest = Math.fround((square[0] as number) - 0.25);
    one.set([0.5, Math.fround(Math.sqrt(rest)), 0, 0]);
    const [a, b] = [Math.fround(0.25), Math.fround((one[1] as number) * (one[1] as number))];
    const root = Math.fround(Math.sqrt(Math.fround(a + b)));
    const expected = Math.abs(Math.fround(root - 1)) <= Math.fround(0.01);
    const found = firstNotUnit(one, 4, 1) === 1;
    expect({ bits, found }).toEqual({ bits, found: expected });
    return found;
  };
  const around = (bits: number): number[] => Array.from({ length: 81 }, (_, i) => bits - 40 + i);
  const verdicts = [...around(0x3f7a_e7d5), ...around(0x3f82_92a3)].map(passes);
  expect(new Set(verdicts)).toEqual(new Set([true, false]));
});

test('a heading may be off by a hundredth, on both sides', () => {
  const snapshot = new Snapshot(referenceShape(), 1);
  snapshot.count = 1;
  snapshot.ids[0] = 1;
  snapshot.columns[0]?.values.set([1]);
  const verdict = (length: number): string => {
    snapshot.columns[2]?.values.set([0, length, 0]);
    return validateSnapshot(snapshot);
  };
  const lengths = [0.9901, 1.0099, 0.9899, 1.0101, 0];
  expect(lengths.map(verdict)).toEqual([
    'ok',
    'ok',
    'world-heading-not-unit',
    'world-heading-not-unit',
    'world-heading-not-unit',
  ]);
});

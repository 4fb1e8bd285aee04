import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reconstruct, reconstructValid } from '../../../src/net/snapshot/reconstruct.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { SnapshotKind } from '../../../src/net/snapshot/snapshot-update.ts';
import { scaled } from '../../scaled.ts';
import { referenceShape } from '../reference-shape.ts';
import {
  anyEntities,
  anyIds,
  contentsOf,
  type PlainEntity,
  shipShape,
  shipsOf,
  updateOf,
} from './any-snapshot.ts';

const runs = { numRuns: scaled({ tiny: 200, normal: 400, full: 50_000 }) };

/** What a patch makes of a population, by a map. */
function patched(
  baseline: readonly PlainEntity[],
  upserts: readonly PlainEntity[],
  deletes: readonly number[],
): PlainEntity[] {
  const all = new Map([...baseline, ...upserts].map((entity) => [entity.id, entity]));
  for (const id of deletes) all.delete(id);
  return [...all.values()].sort((a, b) => a.id - b.id);
}

const anyTick = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe('a reconstruction', () => {
  test('of a patch is what a map makes of it, whatever the output held', () => {
    fc.assert(
      fc.property(
        anyEntities,
        anyEntities,
        anyIds,
        anyEntities,
        anyTick,
        (before, upserts, ids, old, tick) => {
          const deletes = ids.filter((id) => upserts.every((upsert) => upsert.id !== id));
          const baseline = shipsOf(5, before);
          const update = updateOf(SnapshotKind.Patch, tick, upserts, deletes);
          const expected = contentsOf(shipsOf(tick, patched(before, upserts, deletes)));
          for (const apply of [reconstruct, reconstructValid]) {
            const out = shipsOf(9, old);
            expect(apply(baseline, update, out)).toBe('ok');
            expect(contentsOf(out)).toEqual(expected);
          }
          expect(contentsOf(baseline)).toEqual(contentsOf(shipsOf(5, before)));
        },
      ),
      runs,
    );
  });

  test('of a full replacement is its upserts, with a baseline or without', () => {
    fc.assert(
      fc.property(anyEntities, anyEntities, anyEntities, anyTick, (before, all, old, tick) => {
        const update = updateOf(SnapshotKind.FullReplace, tick, all, []);
        for (const baseline of [null, shipsOf(5, before)]) {
          const out = shipsOf(9, old);
          expect(reconstruct(baseline, update, out)).toBe('ok');
          expect(contentsOf(out)).toEqual(contentsOf(update.upserts));
        }
      }),
      runs,
    );
  });

  const ship = (id: number, kind = 1): PlainEntity => ({
    id,
    values: [[kind], [1, 2, 3], [1, 0], [0, 0, 0, 1], [7], [90], [1, -1], [5]],
  });
  const patch = updateOf(SnapshotKind.Patch, 6, [ship(2)], [4]);
  const full = updateOf(SnapshotKind.FullReplace, 6, [ship(2)], []);
  const bad = shipsOf(5, [ship(3, 0)]);

  test.each([
    ['patch-needs-baseline', null, patch],
    ['baseline-invalid/world-kind-zero', bad, patch],
    ['baseline-invalid/world-kind-zero', bad, full],
    ['upsert-id-order', bad, updateOf(SnapshotKind.Patch, 6, [ship(2), ship(2)], [])],
    ['update-kind-unknown', null, updateOf(2, 6, [], [])],
  ])('that ends with %s leaves the output alone', (status, baseline, update) => {
    const out = shipsOf(9, [ship(1), ship(8)]);
    expect(reconstruct(baseline, update, out)).toBe(status);
    expect(contentsOf(out)).toEqual(contentsOf(shipsOf(9, [ship(1), ship(8)])));
  });

  test('into one of its inputs, or another record, is refused', () => {
    const baseline = shipsOf(5, [ship(3)]);
    const other = new Snapshot(referenceShape());
    const refused = { fault: 'output-is-input', code: 'SNAPSHOT_INVALID' };
    expect(() => reconstruct(baseline, patch, baseline)).toThrow(expect.objectContaining(refused));
    expect(() => reconstruct(baseline, patch, patch.upserts)).toThrow(
      expect.objectContaining(refused),
    );
    expect(() => reconstruct(baseline, patch, other)).toThrow(
      expect.objectContaining({ fault: 'shape-mismatch' }),
    );
    expect(() => reconstruct(other, patch, new Snapshot(shipShape))).toThrow(
      expect.objectContaining({ fault: 'shape-mismatch' }),
    );
  });
});

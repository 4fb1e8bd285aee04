import type { SnapshotRules } from '../../src/net/pipeline/tick-source.ts';
import type { FieldColumn } from '../../src/net/record/field-codec.ts';
import type { Snapshot } from '../../src/net/snapshot/snapshot.ts';

const f = Math.fround;

/** What a snapshot of the reference record must keep to, in the order of the original. */
export const plainRules: SnapshotRules = {
  check(snapshot: Snapshot): string | null {
    let before = 0;
    for (let row = 0; row < snapshot.count; row++) {
      const id = snapshot.ids[row] as number;
      if (id === 0) return 'world-id-zero';
      if (snapshot.columns[0]?.values[row] === 0) return 'world-classification-zero';
      if (id <= before) return 'world-id-order';
      before = id;
    }
    for (let row = 0; row < snapshot.count; row++) {
      if (!isFinite(snapshot, 1, row)) return 'world-position-not-finite';
      if (!isFinite(snapshot, 2, row)) return 'world-heading-not-finite';
      if (!isUnit(snapshot.columns[2] as FieldColumn, row)) return 'world-heading-not-unit';
    }
    return null;
  },
  holds({ index }, column, rows, count) {
    for (let i = 0; i < count; i++) {
      const row = rows[i] as number;
      if (index === 0 && column.values[row] === 0) return false;
      if ((index === 1 || index === 2) && !isFiniteAt(column, row)) return false;
      if (index === 2 && !isUnit(column, row)) return false;
    }
    return true;
  },
};

function isFinite(snapshot: Snapshot, field: number, row: number): boolean {
  return isFiniteAt(snapshot.columns[field] as FieldColumn, row);
}

function isFiniteAt({ values }: FieldColumn, row: number): boolean {
  return values.slice(row * 3, row * 3 + 3).every(Number.isFinite);
}

function isUnit({ values }: FieldColumn, row: number): boolean {
  const [x = 0, y = 0, z = 0] = values.slice(row * 3, row * 3 + 3);
  const length = f(Math.sqrt(f(f(f(x * x) + f(y * y)) + f(z * z))));
  return Math.abs(f(length - 1)) <= f(0.01);
}

import type { FieldColumn } from '../record/field-codec.ts';
import type { FieldShape } from '../record/record-shape.ts';
import { isFiniteRow, isUnitRow, isZeroRow } from './row-scan.ts';
import type { Snapshot } from './snapshot.ts';
import { validateSnapshot } from './snapshot-check.ts';

/** What is checked of a population before it is used. */
export interface SnapshotRules {
  /** Returns the first rule that a snapshot breaks, such as `world-id-order`, or null. */
  check(snapshot: Snapshot): string | null;
  /**
   * Says whether the values of some rows of a field keep the rules. Left out: each load checks all
   * rows of all fields.
   */
  holds?(field: FieldShape, column: FieldColumn, rows: Uint32Array, count: number): boolean;
}

/** The rules of `validateSnapshot`. */
export const STANDARD_RULES: SnapshotRules = {
  check(snapshot) {
    const fault = validateSnapshot(snapshot);
    return fault === 'ok' ? null : fault;
  },
  holds({ check, codec }, { bits, values }, rows, count) {
    const { width, scalar } = codec;
    if (check === 'nonzero') {
      for (let i = 0; i < count; i++) if (isZeroRow(bits, width, rows[i] as number)) return false;
    }
    if (scalar !== 'f32' || (check !== 'finite' && check !== 'unit')) return true;
    for (let i = 0; i < count; i++) {
      const row = rows[i] as number;
      if (!isFiniteRow(bits, width, row)) return false;
      if (check === 'unit' && !isUnitRow(values as Float32Array, width, row)) return false;
    }
    return true;
  },
};

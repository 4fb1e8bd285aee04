import fc from 'fast-check';
import { expect, test } from 'vitest';
import { referenceRecord } from '../../../src/net/record/reference-record.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { STANDARD_RULES } from '../../../src/net/snapshot/snapshot-rules.ts';
import { scaled } from '../../scaled.ts';

const shape = referenceRecord();
const anyNumber = fc.constantFrom(0, 0.5, 1, -1, 0.994, 1.006, 1.02, Number.NaN, Infinity);
const anyRow = fc.array(anyNumber, { minLength: 8, maxLength: 8 });

test('rows that are looked at alone keep the rules when the whole snapshot does', () => {
  const program = fc.property(fc.array(anyRow, { maxLength: 4 }), (rows) => {
    const snapshot = new Snapshot(shape, rows.length);
    snapshot.count = rows.length;
    rows.forEach((numbers, row) => {
      snapshot.ids[row] = row + 1;
      let from = 0;
      for (const { index, codec } of shape.fields) {
        const values = numbers.slice(from, from + codec.width);
        snapshot.columns[index]?.values.set(values, row * codec.width);
        from += codec.width;
      }
    });
    const every = Uint32Array.from(rows, (_, row) => row);
    const holds = shape.fields.every((field) => {
      const column = snapshot.columns[field.index] as Snapshot['columns'][number];
      return STANDARD_RULES.holds?.(field, column, every, rows.length);
    });
    expect(holds).toBe(STANDARD_RULES.check(snapshot) === null);
  });
  fc.assert(program, { numRuns: scaled({ tiny: 500, normal: 5000, full: 100_000 }) });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytes, defineRecord, getBytes, putBytes, Snapshot } from '../../../src/net/index.ts';
import type { FieldColumn } from '../../../src/net/index.ts';

/** A column of notes of up to `max` bytes, for `rows` entities. */
function notes(max: number, rows: number): FieldColumn {
  const { shape } = defineRecord({ fields: { note: bytes(max) } });
  return new Snapshot(shape, rows).columns[0] as FieldColumn;
}

test('any bytes that are put into a row come out of it, up to the length of the field', () => {
  const anyNote = fc.uint8Array({ maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), anyNote, anyNote, (max, first, second) => {
      const column = notes(max, 2);
      expect(putBytes(column, max, 1, first)).toBe(Math.min(first.length, max));
      putBytes(column, max, 0, second);
      putBytes(column, max, 1, second);
      const out = new Uint8Array(max);
      const count = getBytes(column, max, 1, out);
      expect([...out.subarray(0, count)]).toEqual([...second.subarray(0, max)]);
    }),
  );
});

test('a length that is beyond the field does not lead into the next row', () => {
  const column = notes(4, 2);
  putBytes(column, 4, 0, Uint8Array.of(1, 2, 3, 4));
  putBytes(column, 4, 1, Uint8Array.of(5, 6, 7, 8));
  column.bits[0] = 9;
  const out = new Uint8Array(16);
  expect(getBytes(column, 4, 0, out)).toBe(4);
  expect([...out.subarray(0, 6)]).toEqual([1, 2, 3, 4, 0, 0]);
});

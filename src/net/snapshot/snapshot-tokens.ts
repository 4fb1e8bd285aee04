import { assert } from '../../shared/assert.ts';
import type { FieldColumn } from '../record/field-codec.ts';
import type { FieldShape } from '../record/record-shape.ts';
import type { TokenTable } from '../record/token-table.ts';
import type { Snapshot } from './snapshot.ts';

/** Rows that are worked on at once: their tokens stay in the first cache from field to field. */
const BLOCK = 256;

/**
 * Fills a table with the tokens of a snapshot: what its records say on the wire. Returns how many
 * values lay outside of their fields and were clamped. Throws SNAPSHOT_INVALID for a value that is
 * not a number.
 */
export function encodeTokens(snapshot: Snapshot, table: TokenTable): number {
  const { shape, count, ids } = snapshot;
  assert(table.laneCount === shape.lanes.length, 'the table has the lanes of the record');
  table.count = 0;
  table.reserve(count);
  for (let row = 0; row < count; row++) table.ids[row] = ids[row] as number;
  const { tokens, laneCount } = table;
  let clamped = 0;
  for (let first = 0; first < count; first += BLOCK) {
    const last = first + BLOCK < count ? first + BLOCK : count;
    for (let index = 0; index < shape.fields.length; index++) {
      const { codec, lane } = shape.fields[index] as FieldShape;
      const column = snapshot.columns[index] as FieldColumn;
      clamped += codec.encode(column, first, last, tokens, laneCount, lane);
    }
  }
  table.count = count;
  return clamped;
}

/** Fills a snapshot with the canonical values of a table: what a receiver makes of its records. */
export function decodeTokens(table: TokenTable, snapshot: Snapshot): void {
  const { shape } = snapshot;
  assert(table.laneCount === shape.lanes.length, 'the table has the lanes of the record');
  const { count } = table;
  snapshot.reserve(count);
  snapshot.count = count;
  snapshot.lineage = null;
  for (let row = 0; row < count; row++) snapshot.ids[row] = table.ids[row] as number;
  const { tokens, laneCount } = table;
  for (let first = 0; first < count; first += BLOCK) {
    const last = first + BLOCK < count ? first + BLOCK : count;
    for (let index = 0; index < shape.fields.length; index++) {
      const { codec, lane } = shape.fields[index] as FieldShape;
      const column = snapshot.columns[index] as FieldColumn;
      codec.decode(tokens, laneCount, lane, first, last, column);
    }
  }
}

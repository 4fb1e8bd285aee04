import { NetError } from '../net-error.ts';
import type { RecordShape } from './record-shape.ts';

/** What holds values of a record. */
interface OfRecord {
  readonly shape: RecordShape;
}

/** Throws SNAPSHOT_INVALID, `shape-mismatch`, unless both are of the same record. */
export function checkSameRecord(one: OfRecord, other: OfRecord): void {
  if (one.shape === other.shape) return;
  throw new NetError('SNAPSHOT_INVALID', 'shape-mismatch', 'Two snapshots differ in record.', {
    given: `fields ${namesOf(one)}; fields ${namesOf(other)}`,
    allowed: 'snapshots that are made with one shape, the same object',
    fix: 'Make all snapshots that meet with the shape of their pipeline.',
  });
}

function namesOf({ shape }: OfRecord): string {
  return shape.fields.map(({ name }) => name).join(', ');
}

import { fitsItsCount, RowFault } from './row-fault.ts';
import type { RowFaultName } from './row-fault.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * What can be wrong with a snapshot. Beside the ids, each fault names a field of the record, in
 * kebab-case; with the reference record these are `world-classification-zero`,
 * `world-position-not-finite`, `world-heading-not-finite` and `world-heading-not-unit`.
 */
export type SnapshotFault = 'world-size-mismatch' | `world-${RowFaultName}`;

const fault = new RowFault();

/**
 * Looks for the first fault of a snapshot and returns `ok` or its name. The order is that of the
 * original: sizes of the columns; then row by row id 0, a reserved number 0, an id that does not
 * ascend; then row by row and field by field floats that are not finite, vectors not of length 1.
 * Only a fault allocates.
 */
export function validateSnapshot(snapshot: Snapshot): 'ok' | SnapshotFault {
  if (!fitsItsCount(snapshot)) return 'world-size-mismatch';
  fault.findInIds(snapshot);
  if (!fault.found) fault.findInValues(snapshot);
  return fault.found ? `world-${fault.name}` : 'ok';
}

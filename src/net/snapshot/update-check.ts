import { fitsItsCount, RowFault } from './row-fault.ts';
import type { RowFaultName } from './row-fault.ts';
import { firstShared, firstUnordered, firstZero } from './row-scan.ts';
import { SnapshotKind } from './snapshot-update.ts';
import type { SnapshotUpdate } from './snapshot-update.ts';

/** What can be wrong with an update; for the names of fields see {@link SnapshotFault}. */
export type UpdateFault =
  | 'update-kind-unknown'
  | 'update-size-mismatch'
  | 'full-replace-with-deletes'
  | 'delete-id-zero'
  | 'delete-id-order'
  | 'upsert-and-delete-same-id'
  | `upsert-${RowFaultName}`;

const fault = new RowFault();

/**
 * Looks for the first fault of an update, taken alone, and returns `ok` or its name. The order is
 * that of the original: the kind; deletes in a full replacement; ids and reserved numbers of the
 * upserts, row by row; the ids of the deletes; then, row by row, upserts with floats that are not
 * finite or not of length 1, or that are deleted as well. Only a fault allocates.
 */
export function validateUpdate(update: SnapshotUpdate): 'ok' | UpdateFault {
  const { kind, upserts, deletes, deleteCount } = update;
  if (kind !== SnapshotKind.FullReplace && kind !== SnapshotKind.Patch)
    return 'update-kind-unknown';
  const deletesFit = Number.isInteger(deleteCount) && deleteCount >= 0;
  if (!deletesFit || deleteCount > deletes.length || !fitsItsCount(upserts))
    return 'update-size-mismatch';
  if (kind === SnapshotKind.FullReplace && deleteCount > 0) return 'full-replace-with-deletes';
  fault.findInIds(upserts);
  if (fault.found) return `upsert-${fault.name}`;
  const zero = firstZero(deletes, 1, deleteCount);
  if (firstUnordered(deletes, zero) < zero) return 'delete-id-order';
  if (zero < deleteCount) return 'delete-id-zero';
  fault.findInValues(upserts);
  if (firstShared(upserts.ids, fault.row, deletes, deleteCount) < fault.row)
    return 'upsert-and-delete-same-id';
  return fault.found ? `upsert-${fault.name}` : 'ok';
}

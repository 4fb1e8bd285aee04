import { gatherRows } from './gather-rows.ts';
import { checkOutput } from './output-check.ts';
import { RowSources } from './row-sources.ts';
import type { Snapshot } from './snapshot.ts';
import { validateSnapshot } from './snapshot-check.ts';
import type { SnapshotFault } from './snapshot-check.ts';
import { SnapshotKind } from './snapshot-update.ts';
import type { SnapshotUpdate } from './snapshot-update.ts';
import { validateUpdate } from './update-check.ts';
import type { UpdateFault } from './update-check.ts';

/** What came of a reconstruction; all but `ok` left the output as it was. */
export type ReconstructStatus =
  | 'ok'
  | UpdateFault
  | 'patch-needs-baseline'
  | `baseline-invalid/${SnapshotFault}`;

/** A row of the baseline by its index, one of the upserts by the complement of it. */
const sources = new RowSources();

/**
 * Applies an update to a baseline and writes the snapshot that follows from it, with the tick of
 * the update. Both are checked first, the update before the baseline, which must be valid even
 * where a full replacement does not need it. An upsert replaces an entity or adds one; the delete
 * of an id that the baseline does not have is ignored. A patch on `null` is refused.
 *
 * `out` is of the same record and none of the inputs; it is written only if the answer is `ok`.
 *
 * @throws NetError `shape-mismatch` or `output-is-input` if it is not.
 */
export function reconstruct(
  baseline: Snapshot | null,
  update: SnapshotUpdate,
  out: Snapshot,
): ReconstructStatus {
  checkOutput(out, update.upserts);
  if (baseline !== null) checkOutput(out, baseline);
  const updateFault = validateUpdate(update);
  if (updateFault !== 'ok') return updateFault;
  if (baseline !== null) {
    const fault = validateSnapshot(baseline);
    if (fault !== 'ok') return `baseline-invalid/${fault}`;
  }
  return reconstructValid(baseline, update, out);
}

/**
 * Does the same as {@link reconstruct} for an update and a baseline that are known to be valid:
 * none of the three is looked at. For what comes out of a decoder, and for snapshots made here.
 */
export function reconstructValid(
  baseline: Snapshot | null,
  update: SnapshotUpdate,
  out: Snapshot,
): 'ok' | 'patch-needs-baseline' {
  const { kind, upserts } = update;
  if (kind === SnapshotKind.FullReplace) {
    out.copyFrom(upserts);
    return 'ok';
  }
  if (baseline === null) return 'patch-needs-baseline';
  mergeRows(baseline, update);
  gatherRows(baseline, upserts, sources, out);
  out.tickHigh = upserts.tickHigh;
  out.tickLow = upserts.tickLow;
  return 'ok';
}

/** Finds where each row of the result comes from. */
function mergeRows(baseline: Snapshot, update: SnapshotUpdate): void {
  const { upserts, deletes, deleteCount } = update;
  sources.reserve(baseline.count + upserts.count);
  const { rows } = sources;
  const oldIds = baseline.ids;
  const newIds = upserts.ids;
  let count = 0;
  let upsert = 0;
  let gone = 0;
  for (let row = 0; row < baseline.count; row++) {
    const id = oldIds[row] as number;
    while (upsert < upserts.count && (newIds[upsert] as number) < id) rows[count++] = ~upsert++;
    while (gone < deleteCount && (deletes[gone] as number) < id) gone++;
    if (upsert < upserts.count && newIds[upsert] === id) rows[count++] = ~upsert++;
    else if (gone >= deleteCount || deletes[gone] !== id) rows[count++] = row;
  }
  while (upsert < upserts.count) rows[count++] = ~upsert++;
  sources.count = count;
}

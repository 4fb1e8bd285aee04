import type { RecordShape } from '../record/record-shape.ts';
import { Snapshot } from './snapshot.ts';

/** What an update does, as it stands on the wire. */
export const SnapshotKind: {
  /** The upserts are the whole population. */
  readonly FullReplace: 0;
  /** The upserts and deletes change a baseline. */
  readonly Patch: 1;
} = { FullReplace: 0, Patch: 1 };

/**
 * What leads from one snapshot to the next: rows that are new or have changed, and ids that are
 * gone. It grows when it must and never shrinks.
 */
export class SnapshotUpdate {
  /** One of {@link SnapshotKind}; any other number is refused by the checks. */
  kind: number = SnapshotKind.Patch;
  /** The rows that are set, whole; their tick is that of the update. */
  readonly upserts: Snapshot;
  deleteCount = 0;
  /** Ids that are gone, in strictly ascending order. Made anew by `reserveDeletes`. */
  deletes: Uint32Array = new Uint32Array(0);

  constructor(shape: RecordShape) {
    this.upserts = new Snapshot(shape);
  }

  /** Makes room for `count` deletes; keeps those that are there. */
  reserveDeletes(count: number): void {
    if (count <= this.deletes.length) return;
    const deletes = new Uint32Array(Math.max(count, this.deletes.length * 2, 16));
    deletes.set(this.deletes.subarray(0, this.deleteCount));
    this.deletes = deletes;
  }

  /** Empties it and sets its tick to 0; the kind stays. */
  clear(): void {
    this.upserts.clear();
    this.deleteCount = 0;
  }
}

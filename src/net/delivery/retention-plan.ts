import type { Snapshot } from '../snapshot/snapshot.ts';

/**
 * Whether a result can be kept.
 *
 * - `accepted`: it can; send the update, then commit.
 * - `retention-pressure`: not beside the acknowledged result, or too many rows to recover.
 * - `too-large`: it alone takes more than `maxBytes`.
 */
export type RetentionVerdict = 'accepted' | 'retention-pressure' | 'too-large';

/** The ids of no upserts. */
export const NO_IDS: Uint32Array = new Uint32Array(0);

/** What a commit will do: made before an update is sent, done after it was. */
export class RetentionPlan {
  isAccepted = false;
  /** Submitted results that go, from the oldest on. */
  evictions = 0;
  /** Where the rows to recover are. */
  rows: Snapshot | undefined;
  /** The ids of the rows to recover: the first `idCount`. */
  ids: Uint32Array = NO_IDS;
  idCount = 0;

  accept(evictions: number, rows: Snapshot, ids: Uint32Array, idCount: number): void {
    this.isAccepted = true;
    this.evictions = evictions;
    this.rows = rows;
    this.ids = ids;
    this.idCount = idCount;
  }

  clear(): void {
    this.isAccepted = false;
    this.evictions = 0;
    this.rows = undefined;
    this.ids = NO_IDS;
    this.idCount = 0;
  }
}

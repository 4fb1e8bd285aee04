import type { CodedReplica } from '../entropy/coded-replica.ts';
import { NetError } from '../net-error.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { Snapshot } from '../snapshot/snapshot.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import { TokenTable } from '../record/token-table.ts';
import type { UpdatePlan } from '../wire/update-plan.ts';
import type { ClientReplicationState } from './client-state.ts';
import { DeltaReport, InterestReport, LodReport, QualityReport, SizeReport } from './reports.ts';
import type { Representation } from './reports.ts';

/** Why there is no update: it is not its tick, or nobody said where the client looks from. */
export type SkipReason = 'send-interval' | 'aoi-source-missing';

/**
 * What an encode gives. There is one for each encoder: the next encode overwrites it, whether it
 * succeeds or not.
 */
export class EncodeResult {
  /** Null: an update was made. Otherwise nothing has changed and the rest is of no use. */
  skipped: SkipReason | null = null;
  /** What the update says: its kind, sequence, baseline, deletes, rows. */
  readonly plan: UpdatePlan;
  /** The update; only the first `byteCount` bytes. */
  bytes: Uint8Array = new Uint8Array(0);
  byteCount = 0;
  /** The population that the client will hold once it has the update. */
  resulting: Snapshot;
  /** What is to be kept beside it if the pipeline has a `coding`; else null. */
  coded: CodedReplica | null = null;
  /** Ids to recover that were not to be sent anyway, before delta. */
  recoveryAdded = 0;
  readonly interest: InterestReport = new InterestReport();
  readonly delta: DeltaReport;
  readonly lod: LodReport = new LodReport();
  readonly quality: QualityReport = new QualityReport();
  readonly size: SizeReport = new SizeReport();
  readonly representation: Representation;
  #state: ClientReplicationState | null = null;

  constructor(shape: RecordShape, representation: Representation) {
    this.resulting = new Snapshot(shape);
    this.delta = new DeltaReport(shape.fields.length);
    this.representation = representation;
    this.plan = {
      kind: SnapshotKind.FullReplace,
      tickHigh: 0,
      tickLow: 0,
      sequence: 0,
      baselineSequence: 0,
      deletes: new Uint32Array(0),
      deleteCount: 0,
      table: new TokenTable(shape.lanes.length),
      rows: new Uint32Array(0),
      rowCount: 0,
      masks: new Uint32Array(0),
    };
  }

  /**
   * Makes the client's state what follows from this update. Call it when all bytes were accepted.
   * Throws a {@link NetError} `nothing-to-commit` after a call that was skipped or failed.
   */
  commit(): void {
    if (this.#state === null)
      throw new NetError('STATE_INVALID', 'nothing-to-commit', 'There is no update to commit.', {
        fix: 'Commit once, after an encode that emitted.',
      });
    this.#state.commit();
    this.#state = null;
  }

  /** Leaves the client's state as it was. The next encode does so by itself. */
  discard(): void {
    this.#state?.discard();
    this.#state = null;
  }

  /** Empties it. @internal */
  begin(): void {
    this.#state = null;
    this.skipped = null;
    this.byteCount = 0;
    this.recoveryAdded = 0;
    this.interest.clear();
    this.delta.clear();
    this.lod.clear();
    this.quality.clear();
    this.size.set(0, 0);
  }

  /** Says that there is no update. @internal */
  skip(reason: SkipReason): this {
    this.skipped = reason;
    return this;
  }

  /** Says whose update it is. @internal */
  offer(state: ClientReplicationState): this {
    this.#state = state;
    state.offerPending();
    return this;
  }
}

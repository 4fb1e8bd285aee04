import type { Pipeline } from '../pipeline/pipeline.ts';
import { TokenTable } from '../record/token-table.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { SnapshotUpdate } from '../snapshot/snapshot-update.ts';
import { MaskedReading, type MaskedStatus } from './masked-records.ts';
import { type HeaderStatus, UpdateHeader } from './update-header.ts';

/** What became of the bytes of an update: `ok`, or the first rule that is broken. */
export type DecodeStatus =
  | Exclude<HeaderStatus, 'unsupported-pipeline'>
  | MaskedStatus
  | 'baseline-sequence-without-snapshot'
  | 'baseline-for-full-replace'
  | 'baseline-sequence-mismatch'
  | 'baseline-invalid'
  | 'masked-patch-needs-baseline'
  | 'field-value-invalid'
  | 'update-invalid';

/** The side of a receiver of one peer's updates. */
export interface ReceiverState {
  /** The sequence of the newest update that was decoded; 0 before the first. */
  latestRemoteSequence: number;
}

/** The snapshot that a patch is thought to change. */
export interface DecodeBaseline {
  /** The sequence of the update that led to it. */
  readonly sequence: number;
  /** undefined: only the sequence is known, which is refused. */
  readonly snapshot: Snapshot | undefined;
  /** It was checked when it was made, as what a reconstruction gives: it is not checked again. */
  readonly isTrusted?: boolean;
}

/** What a decoding gives, and the room it needs. One is kept and filled again and again. */
export class DecodeResult {
  status: DecodeStatus = 'truncated';
  /**
   * For `update-invalid` and `baseline-invalid` the rule, such as `upsert-id-order`; for
   * `field-value-invalid` the name of the field; else ''.
   */
  detail = '';
  /** The header as it stands in the bytes, whatever the status is. */
  readonly header: UpdateHeader = new UpdateHeader();
  /** What the update does; empty unless the status is `ok`. */
  readonly update: SnapshotUpdate;
  /** The tokens of the upserts. */
  readonly table: TokenTable;
  /** The masks of the upserts, after a patch with field masks. */
  readonly reading: MaskedReading = new MaskedReading();

  constructor(pipeline: Pipeline) {
    this.update = new SnapshotUpdate(pipeline.shape);
    this.table = new TokenTable(pipeline.shape.lanes.length);
  }
}

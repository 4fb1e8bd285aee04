import type { Pipeline } from '../pipeline/pipeline.ts';
import type { CodedReplica } from '../entropy/coded-replica.ts';
import { TokenTable } from '../record/token-table.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { SnapshotUpdate } from '../snapshot/snapshot-update.ts';
import { CodedRecords, type CodedRecordsStatus } from './coded-records.ts';
import { MaskedReading, type MaskedStatus } from './masked-records.ts';
import { type HeaderStatus, UpdateHeader } from './update-header.ts';

/** What became of the bytes of an update: `ok`, or the first rule that is broken. */
export type DecodeStatus =
  | Exclude<HeaderStatus, 'unsupported-pipeline'>
  | MaskedStatus
  | CodedRecordsStatus
  | 'baseline-sequence-without-snapshot'
  | 'baseline-for-full-replace'
  | 'baseline-sequence-mismatch'
  | 'baseline-invalid'
  | 'masked-patch-needs-baseline'
  | 'coded-patch-needs-baseline'
  | 'baseline-without-coded'
  | 'baseline-coded-foreign'
  | 'baseline-coded-mismatch'
  | 'result-without-coded'
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
  /** For a pipeline with a `coding`: what the decoding that led to it put into `coded`. */
  readonly coded?: CodedReplica | null | undefined;
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
  /**
   * With a `coding`: takes what a later patch is decoded from, to be kept beside the snapshot.
   * There is one from the start; one that is kept has to be replaced, before the next call, by one
   * that is free. Empty after a status that is not `ok`, unless header or baseline are at fault.
   */
  coded: CodedReplica | null | undefined;
  /** The decoder of a pipeline with a `coding`. @internal */
  readonly coding: CodedRecords | undefined;
  /** The tokens of the upserts. */
  readonly table: TokenTable;
  /** The masks of the upserts, after a patch with field masks. */
  readonly reading: MaskedReading = new MaskedReading();

  constructor(pipeline: Pipeline) {
    this.update = new SnapshotUpdate(pipeline.shape);
    this.table = new TokenTable(pipeline.shape.lanes.length);
    this.coding = CodedRecords.of(pipeline);
    this.coded = this.coding?.createReplica();
  }
}

import type { CodedReplica } from '../entropy/coded-replica.ts';
import type { CodedRecords } from '../wire/coded-records.ts';
import type { UpdatePlan } from '../wire/update-plan.ts';
import type { Representation } from './reports.ts';

/** Turns the plan of an update into bytes. */
export interface UpdateWriter {
  readonly representation: Representation;
  /** Bytes before the deletes. */
  readonly headerBytes: number;
  /** What was written last; longer than that, and made anew when there is no room. */
  readonly bytes: Uint8Array;
  /** Present if records are coded. */
  readonly coding?: CodedRecords | undefined;
  /**
   * Writes an update; returns how many bytes it has. If records are coded, `held` is what is kept
   * beside the baseline, null for a complete update, and `result` is filled; else both are null.
   */
  write(plan: UpdatePlan, held: CodedReplica | null, result: CodedReplica | null): number;
}

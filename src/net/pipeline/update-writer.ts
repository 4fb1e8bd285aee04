import type { Snapshot } from '../snapshot/snapshot.ts';
import type { UpdatePlan } from '../wire/update-plan.ts';
import type { Representation } from './reports.ts';

/** Turns the plan of an update into bytes. */
export interface UpdateWriter {
  readonly representation: Representation;
  /** Bytes before the deletes. */
  readonly headerBytes: number;
  /** What was written last; longer than that, and made anew when there is no room. */
  readonly bytes: Uint8Array;
  /** Writes an update; returns how many bytes it has. `baseline` is null for a complete update. */
  write(plan: UpdatePlan, baseline: Snapshot | null): number;
}

import type { FieldCodec } from './field-codec.ts';
import type { Lane } from './lane.ts';

/**
 * What every value of a field must fulfil in a valid snapshot.
 *
 * - `none`: any bits will do.
 * - `nonzero`: no number of it is 0; for whole numbers whose 0 is reserved.
 * - `finite`: no number of it is NaN or infinite.
 * - `unit`: finite, and as a vector of a length within 0.01 of 1.
 *
 * Whole numbers are always finite and never a direction: for them `finite` and `unit` ask nothing.
 */
export type FieldCheck = 'none' | 'nonzero' | 'finite' | 'unit';

/**
 * How a field goes from one snapshot to the next.
 *
 * - `step`: not at all; the value of the later one holds.
 * - `lerp`: in a straight line, number by number; whole numbers are rounded half away from zero.
 * - `direction`: in a straight line, then brought to length 1. Floats only.
 * - `rotation`: a unit quaternion (x, y, z, w), on the shorter way. Floats only.
 * - `circular`: on the shorter way round a circle of `turn`; exactly half a turn goes the negative
 *   way.
 */
export type FieldBlend = 'step' | 'lerp' | 'direction' | 'rotation' | 'circular';

/** One field of a record with its place among the fields and lanes. */
export interface FieldShape {
  readonly name: string;
  /** Its place among the fields, which is its bit in a field mask. */
  readonly index: number;
  readonly codec: FieldCodec;
  /** Its first lane among those of the record. */
  readonly lane: number;
  readonly check: FieldCheck;
  readonly blend: FieldBlend;
  /** For `circular`: a full turn in the numbers of the field, such as 256. 0 for other blends. */
  readonly turn: number;
}

/** What one entity is in a replication: its fields, in order, and the lanes they make up. */
export interface RecordShape {
  readonly fields: readonly FieldShape[];
  readonly lanes: readonly Lane[];
  /** The field that says where an entity is: two or three floats. -1: none, so no interest. */
  readonly position: number;
}

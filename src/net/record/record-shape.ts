import type { FieldCodec } from './field-codec.ts';
import type { Lane } from './lane.ts';

/** One field of a record with its place among the fields and lanes. */
export interface FieldShape {
  readonly name: string;
  /** Its place among the fields, which is its bit in a field mask. */
  readonly index: number;
  readonly codec: FieldCodec;
  /** Its first lane among those of the record. */
  readonly lane: number;
}

/** What one entity is in a replication: its fields, in order, and the lanes they make up. */
export interface RecordShape {
  readonly fields: readonly FieldShape[];
  readonly lanes: readonly Lane[];
  /** The field that says where an entity is: two or three floats. -1: none, so no interest. */
  readonly position: number;
}

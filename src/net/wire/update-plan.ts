import type { TokenTable } from '../record/token-table.ts';

/** In a mask: the entity is not in the baseline, so all its fields are sent. */
export const SPAWN_MASK = 0x8000_0000;

/**
 * What an update says, before it becomes bytes: the border between selecting and representing.
 * Arrays are longer than their counts and are reused from update to update.
 */
export interface UpdatePlan {
  /** One of `SnapshotKind`. */
  kind: number;
  tickHigh: number;
  tickLow: number;
  /** 1 to 2^32 - 1. */
  sequence: number;
  /** 0: there is none. */
  baselineSequence: number;
  /** Ids that are gone, ascending. */
  deletes: Uint32Array;
  deleteCount: number;
  /** The tokens of the whole population of this tick. */
  table: TokenTable;
  /** The rows of the table that are sent, ascending. */
  rows: Uint32Array;
  rowCount: number;
  /**
   * For a patch with field masks, for each of the rows: the fields that are sent, bit f for field
   * f, or {@link SPAWN_MASK} alone. Unused otherwise.
   */
  masks: Uint32Array;
}

/** The rows of one bulk call: which slots, in which order. Reused between calls. */
export interface RowList {
  /** Slot indices, the first `count` of them; each one's columns may be read. */
  live: Uint32Array;
  count: number;
  /** Whether they are all that are seen, in order. */
  isAll: boolean;
  /** Whether they are 0, 1, 2, ... without a gap. */
  dense: boolean;
  /** Whether each is larger than the one before. */
  ascending: boolean;
  /** Whether all of them are seen; if not, `given` has the slots that were asked for. */
  isSeen: boolean;
  given: Uint32Array;
}

const NONE: Uint32Array = new Uint32Array(0);

/** Makes a list without rows. */
export function emptyRows(): RowList {
  return {
    live: NONE,
    count: 0,
    isAll: false,
    dense: false,
    ascending: true,
    isSeen: true,
    given: NONE,
  };
}

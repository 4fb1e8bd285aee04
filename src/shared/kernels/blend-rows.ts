import type { Column } from '../schema.ts';

/** The rows of one blend of one channel: from where, to where, for whom, how far. */
export interface BlendRows {
  /** Columns of the earlier and the later tick, by slot index. */
  earlier: Column;
  later: Column;
  /** Position between them, in [0, 1]. */
  alpha: number;
  /** Slot indices, ascending, the first `count` of them. */
  live: Uint32Array;
  count: number;
  /** Whether `live` is 0, 1, 2, ... and no row needs a second look. */
  dense: boolean;
  /** Stamps of both ticks by slot index; only looked at when `checkStamps`. */
  earlierStamps: Uint32Array;
  laterStamps: Uint32Array;
  checkStamps: boolean;
  /** Bits of the entities that have the component; only looked at when `checkPresence`. */
  presence: Uint32Array;
  checkPresence: boolean;
  /** Bits of the entities that opted out of blending; only looked at when `checkUnblended`. */
  unblended: Uint32Array;
  checkUnblended: boolean;
}

/*
 * Threads    the simulation thread writes, readers read while they pin the record.
 * Memory     one record: 16 words, then doubles; the offsets below are from its first byte.
 * Ordering   plain accesses; `current` publishes them, the hazard protocol keeps them still.
 * Progress   no code here, only places.
 * Invariant  a record is rewritten only when no hazard and not `current` names it.
 */

/** Word fields of a record (index of a 32-bit word from the record's start). */
export const RECORD_WORD = {
  tickLow: 0,
  tickHigh: 1,
  epoch: 2,
  flags: 3,
  /** Slots of T-2, T-1, T. */
  slot: 4,
  /** Rosters of T-2, T-1, T. */
  roster: 7,
  mode: 10,
  /** Raised whenever the roster of T differs from the one published before. */
  rosterVersion: 11,
  anchorNanos: 12,
  skippedPublications: 13,
  inputsDropped: 14,
  eventsDropped: 15,
} as const;

/** Double fields of a record (index of a 64-bit double from the record's start). */
export const RECORD_DOUBLE = {
  anchorSeconds: 8,
  /** Part of a nanosecond beyond `anchorNanos`, in [0, 1). */
  anchorFraction: 9,
  /** Wall nanoseconds of one quantum at the present speed. */
  quantumWallNs: 10,
  /** Alpha itself, used when nothing runs by the clock. */
  alpha: 11,
  alphaNumerator: 12,
  alphaDenominator: 13,
  publishedSeconds: 14,
  publishedNanos: 15,
  latenessP50Ns: 16,
  latenessP99Ns: 17,
  /** 99th percentile of published - due: what readers stand behind. */
  delayP99Ns: 18,
  tickTimeP50Ns: 19,
  tickTimeP99Ns: 20,
  ticksDropped: 21,
  realizedSpeed: 22,
  speed: 23,
  startSeconds: 24,
  startNanos: 25,
  quantumSeconds: 26,
  latenessMaxNs: 27,
  lockstepSteps: 28,
  quantumNumerator: 29,
  quantumDenominator: 30,
  /** The tick at which the epoch began. */
  epochStart: 31,
} as const;

/** Bits of a record's `flags`. */
export const RECORD_FLAG = {
  /** The clock runs: alpha follows from the anchor. Else `alpha` holds. */
  running: 1,
  /** (T-1, T) are consecutive ticks of one epoch. */
  pair: 2,
  /** (T-2, T-1) are consecutive ticks of one epoch. */
  earlierPair: 4,
} as const;

/** Clock modes as carried in a record: a mode's place here is its code, so new ones come last. */
export const MODE_CODES = ['live', 'paused', 'stepping', 'lockstep', 'replay'] as const;

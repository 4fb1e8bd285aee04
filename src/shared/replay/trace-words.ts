/** Kinds of records in a trace ring. */
export const TRACE = {
  /** Tick (low, high), the input's place in the schema, its words. */
  input: 0,
  /** Tick (low, high), the hash (high, low). */
  hash: 1,
  /** Tick (low, high): everything up to it has been written. */
  mark: 2,
  /** Tick (low, high): nothing after it could be kept, for want of room. */
  lost: 3,
  /** Tick (low, high): the run goes on at another tick, and the recording ends with this one. */
  cut: 4,
} as const;

/** Words before an input's own. */
export const TRACE_HEADER_WORDS = 3;

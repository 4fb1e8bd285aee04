/** How long one process of the bench `replicate` goes on, in ticks. */
export interface ReplicateRun {
  readonly contender: string;
  readonly entities: number;
  /** Where the packets of the first ticks go from the encoding to the decoding process. */
  readonly file: string;
  /** Ticks that warm both sides up. */
  readonly warmTicks: number;
  /** Ticks whose packets are written for the decoding process, the warming ones among them. */
  readonly sentTicks: number;
  /** Rounds that are timed, of {@link TICKS_A_ROUND} ticks. */
  readonly rounds: number;
  /** Ticks for which the heap is watched. */
  readonly heapTicks: number;
}

/** So many that what a library leaves to the collector is paid for within most rounds. */
export const TICKS_A_ROUND = 8;

/** What the encoding process found; times in milliseconds a tick. */
export interface Encoded {
  readonly bytesPerTick: number;
  readonly bytesPerMoved: number;
  readonly takeMs: number;
  readonly encodeMs: number;
  readonly handPackedMs: number;
  readonly ratio: number;
}

/** What the decoding process found. */
export interface Decoded {
  readonly decodeMs: number;
  readonly positionM: number;
  readonly headingDegrees: number;
}

/** What the process that watches the heap found. */
export interface Allocated {
  readonly allocatedBytes: number;
}

/** Reads the one argument of a process of the bench. */
export function parseRun(): ReplicateRun {
  return JSON.parse(process.argv[2] ?? '') as ReplicateRun;
}

/** Sends what was found to the parent, which then lets go. */
export function answer(found: Encoded | Decoded | Allocated): void {
  process.send?.(found);
}

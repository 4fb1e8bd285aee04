/** What a `Reassembler` has counted, and what it holds. */
export interface ReassemblyStats {
  /** Packets that came. */
  readonly received: number;
  /** Packets that were taken. */
  readonly unique: number;
  /** Packets that were here already. */
  readonly duplicate: number;
  /** Groups of which only a part is here. */
  readonly incompleteGroups: number;
  /** Their bytes when they are whole. */
  readonly incompleteBytes: number;
  /** Bytes of the group completed last. */
  readonly latestCompletedBytes: number;
  /** Groups completed. */
  readonly completed: number;
  /** Groups dropped because their time was up. */
  readonly expired: number;
  /** Packets refused as invalid. */
  readonly invalid: number;
  /** Packets of groups that are not newer than the committed one. */
  readonly stale: number;
  /** Packets that would have opened one group too many. */
  readonly limitExceeded: number;
  /** Bytes of all buffers for groups, those kept for reuse included. */
  readonly bufferBytes: number;
  /** What `bufferBytes` never exceeds: 3 times `maxIncompleteBytes`, and about 1 KiB a group. */
  readonly maxBufferBytes: number;
}

/** A group of which only a part is here. */
export interface IncompleteGroup {
  readonly groupId: number;
  /** Bytes of the whole group. */
  readonly bytes: number;
  /** Packets of the whole group. */
  readonly chunks: number;
  /** Packets of it that are here. */
  readonly received: number;
  /** When the first of them came, in milliseconds. */
  readonly firstMs: number;
}

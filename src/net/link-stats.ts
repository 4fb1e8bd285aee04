/**
 * What one direction of a link has counted. For its packets holds at any time:
 * sent + duplicated = delivered + lost + overflowed + inFlight.
 */
export interface LinkStats {
  /** Packets taken on. */
  readonly sent: number;
  /** Their bytes. */
  readonly sentBytes: number;
  /** Packets shown to the receiver. */
  readonly delivered: number;
  /** Their bytes. */
  readonly deliveredBytes: number;
  /** Packets on their way, or there and not yet received. */
  readonly inFlight: number;
  /** Their bytes. */
  readonly inFlightBytes: number;
  /** Datagrams that were lost on the way. */
  readonly lost: number;
  /** Datagrams dropped because too many bytes waited to leave. */
  readonly overflowed: number;
  /** Second copies made. */
  readonly duplicated: number;
  /** Datagrams held back. */
  readonly reordered: number;
  /** Datagrams of which a bit was inverted. */
  readonly corrupted: number;
  /** Times that a reliable message was sent again. */
  readonly retransmitted: number;
  /** Calls of `send` refused as `too-large`. */
  readonly tooLarge: number;
  /** Calls of `send` refused as `full`. */
  readonly full: number;
}

/** The counts of a direction as it goes: all but what is on its way. */
export type LinkCounts = {
  -readonly [Name in Exclude<keyof LinkStats, 'inFlight' | 'inFlightBytes'>]: number;
};

/** Returns counts that stand at 0. */
export function createLinkCounts(): LinkCounts {
  return {
    sent: 0,
    sentBytes: 0,
    delivered: 0,
    deliveredBytes: 0,
    lost: 0,
    overflowed: 0,
    duplicated: 0,
    reordered: 0,
    corrupted: 0,
    retransmitted: 0,
    tooLarge: 0,
    full: 0,
  };
}

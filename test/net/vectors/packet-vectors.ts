import type { PacketOptions, Packetizer, Reassembler } from '../../../src/net/index.ts';

/** Settings as the vectors give them: only what differs from the defaults. */
export interface SettingsRow {
  readonly enabled: boolean;
  readonly max_payload?: number;
  readonly max_group?: number;
  readonly max_chunks?: number;
  readonly max_in_flight?: number;
  readonly max_incomplete?: number;
  readonly timeout_ns?: string;
}

/**
 * Returns the options that the vectors mean. Nanoseconds are given as milliseconds, one for one:
 * times are compared and nothing else, and so every boundary is exact.
 */
export function optionsOf(row: SettingsRow): PacketOptions {
  return {
    enabled: row.enabled,
    maxPayloadBytes: sizeOf(row.max_payload),
    maxGroupBytes: sizeOf(row.max_group),
    maxChunks: sizeOf(row.max_chunks),
    maxGroupsInFlight: sizeOf(row.max_in_flight),
    maxIncompleteBytes: sizeOf(row.max_incomplete),
    timeoutMs: Number(row.timeout_ns ?? 5_000_000_000),
  };
}

/** The original's sizes have 64 bits; beyond 53 all are as good as endless. */
export function sizeOf<Size extends number | undefined>(size: Size): Size | number {
  return size === undefined ? size : Math.min(size, Number.MAX_SAFE_INTEGER);
}

/** Returns copies of all packets of the group prepared last. */
export function packetsOf(packetizer: Packetizer): Uint8Array[] {
  return Array.from({ length: packetizer.packetCount }, (_, index) =>
    packetizer.packetAt(index).slice(),
  );
}

/** Returns the state of a reassembler as the `after` of the vectors, times by `timeText`. */
export function afterOf(reassembler: Reassembler, timeText: (ms: number) => string): unknown[] {
  const stats = reassembler.stats();
  return [
    reassembler.committedGroupId,
    reassembler
      .incompleteGroups()
      .map(({ groupId, bytes, chunks, received, firstMs }) => [
        groupId,
        bytes,
        chunks,
        received,
        timeText(firstMs),
      ]),
    [
      stats.received,
      stats.unique,
      stats.duplicate,
      stats.incompleteGroups,
      stats.incompleteBytes,
      stats.latestCompletedBytes,
      stats.completed,
      stats.expired,
      stats.invalid,
      stats.stale,
    ],
  ];
}

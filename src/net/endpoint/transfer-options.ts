import type { Zstd } from '../compression/zstd.ts';
import { NetError } from '../net-error.ts';
import type { PacketOptions } from '../packets/packet-options.ts';

/** How updates travel. Both ends must be given the same, but for `level`. */
export interface TransferOptions {
  /** How updates are cut into packets. */
  readonly packets?: PacketOptions | undefined;
  /** Puts whole updates into envelopes, compressed where it makes them smaller. Default false. */
  readonly compressUpdates?: boolean | undefined;
  /** Compresses each packet that gets smaller by it. Default false. */
  readonly compressPackets?: boolean | undefined;
  /**
   * What compresses and inflates: see `loadZstd`. Without it, updates travel in raw envelopes and
   * packets as they are, and what was compressed is refused.
   */
  readonly zstd?: Zstd | undefined;
  /** The level of compression, 1 to 19. Default 1. */
  readonly level?: number | undefined;
}

/**
 * Refuses what cannot be told apart: a packet that is an update in an envelope, and one that is in
 * an envelope itself. Throws OPTION_INVALID, `compression-ambiguous`.
 */
export function checkTransfer({
  packets,
  compressUpdates,
  compressPackets,
}: TransferOptions): void {
  if (packets?.enabled !== false || compressUpdates !== true || compressPackets !== true) return;
  throw new NetError('OPTION_INVALID', 'compression-ambiguous', 'Envelopes could be mistaken.', {
    given: 'packets without headers, compressUpdates and compressPackets',
    allowed: 'two of the three',
    fix: 'Leave out compressPackets: a packet without a header is a whole update.',
  });
}

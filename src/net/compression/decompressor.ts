import { checkEnvelope, declaredBytesOf, ENVELOPE_BYTES, hasEnvelope } from './envelope.ts';
import type { EnvelopeEncoding, EnvelopeFault } from './envelope.ts';
import { resolveLimits } from './limits.ts';
import type { CompressionLimits, ResolvedLimits } from './limits.ts';
import { checkZstdFrame } from './zstd-frame.ts';
import type { ZstdFrameFault } from './zstd-frame.ts';
import type { Zstd } from './zstd.ts';

/** Options of a decompressor. */
export interface DecompressorOptions extends CompressionLimits {
  /** What inflates; without it an envelope with a zstd frame is refused as `zstd-missing`. */
  readonly zstd?: Zstd | undefined;
}

/** Why an envelope was refused. */
export type DecompressFault =
  | EnvelopeFault
  | ZstdFrameFault
  | 'zstd-missing'
  | 'packet-encoding-not-allowed';

/** What was taken out of an envelope, or why not; `original`: of a packet that is in none. */
export type DecompressStatus = EnvelopeEncoding | 'original' | DecompressFault;

const NOTHING = new Uint8Array(0);

/**
 * Takes updates, or packets, out of envelopes. It never throws, whatever the bytes, and takes no
 * more memory than its limits say: sizes and the headers of all blocks are checked before anything
 * is inflated. Its buffer is reused: `output` is good until the next call that succeeds.
 */
export class Decompressor {
  readonly #limits: ResolvedLimits;
  readonly #zstd: Zstd | undefined;
  #buffer: Uint8Array = NOTHING;
  #output: Uint8Array = NOTHING;

  /** Throws OPTION_INVALID with the fault `limits-not-positive`. */
  constructor(options: DecompressorOptions = {}) {
    this.#limits = resolveLimits(options);
    this.#zstd = options.zstd;
  }

  /**
   * What the last successful call took out. A packet without an envelope is not copied: it is the
   * array given.
   */
  get output(): Uint8Array {
    return this.#output;
  }

  /** Takes an update out of its envelope, which it must be in. After a fault nothing changes. */
  decompress(bytes: Uint8Array): EnvelopeEncoding | DecompressFault {
    const { maxUncompressedBytes, maxOutputBytes } = this.#limits;
    const encoding = checkEnvelope(bytes, maxUncompressedBytes, maxOutputBytes);
    if (encoding === 'raw') this.#keep(bytes.subarray(ENVELOPE_BYTES));
    return encoding === 'zstd' ? this.#inflate(bytes) : encoding;
  }

  /**
   * Takes a packet out of its envelope if it begins as one, which must hold a zstd frame: nobody
   * sends a packet in a raw one. Any other packet is `original`, if it is not longer than
   * `maxOutputBytes`. After a fault nothing changes.
   */
  unwrapPacket(packet: Uint8Array): DecompressStatus {
    if (!hasEnvelope(packet)) {
      if (packet.length > this.#limits.maxOutputBytes) return 'envelope-size-out-of-bounds';
      this.#output = packet;
      return 'original';
    }
    const { maxUncompressedBytes, maxOutputBytes } = this.#limits;
    const encoding = checkEnvelope(packet, maxUncompressedBytes, maxOutputBytes);
    if (encoding === 'raw') return 'packet-encoding-not-allowed';
    return encoding === 'zstd' ? this.#inflate(packet) : encoding;
  }

  #inflate(envelope: Uint8Array): 'zstd' | ZstdFrameFault | 'zstd-missing' {
    const declared = declaredBytesOf(envelope);
    const frame = checkZstdFrame(envelope, ENVELOPE_BYTES, declared);
    if (frame !== 'ok') return frame;
    if (this.#zstd === undefined) return 'zstd-missing';
    let content: Uint8Array;
    try {
      content = this.#zstd.decompress(envelope.subarray(ENVELOPE_BYTES), declared);
    } catch {
      return 'zstd-decompression-failed';
    }
    if (content.length !== declared) return 'zstd-decompression-failed';
    this.#keep(content);
    return 'zstd';
  }

  #keep(content: Uint8Array): void {
    const { length } = content;
    if (length > this.#buffer.length) this.#buffer = new Uint8Array(length);
    this.#buffer.set(content);
    this.#output = this.#buffer.subarray(0, length);
  }
}

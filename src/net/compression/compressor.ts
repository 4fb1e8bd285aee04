import { checkBytes } from '../argument-checks.ts';
import { NetError } from '../net-error.ts';
import { ENVELOPE_BYTES, putEnvelope } from './envelope.ts';
import type { EnvelopeEncoding } from './envelope.ts';
import { resolveLimits } from './limits.ts';
import type { CompressionLimits } from './limits.ts';
import { checkZstdFrame } from './zstd-frame.ts';
import type { Zstd } from './zstd.ts';

/**
 * When bytes are put into an envelope. `always`: for whole updates; where zstd does not make them
 * smaller, the envelope is a raw one. `only-when-smaller`: for packets; an envelope is made only
 * when it, all of it, is smaller than the packet and fits, and the packet stays as it is otherwise.
 */
export type CompressionPolicy = 'always' | 'only-when-smaller';

/** Options of a compressor. */
export interface CompressorOptions extends CompressionLimits {
  readonly policy: CompressionPolicy;
  /** What compresses; without it nothing gets smaller, and all else is the same. */
  readonly zstd?: Zstd | undefined;
  /** 1, the fastest, to 19. Default 1. */
  readonly level?: number | undefined;
}

/** Why bytes were not compressed. */
export type CompressFault =
  | 'input-size-out-of-bounds'
  | 'output-too-large'
  | 'raw-fallback-too-large';

/**
 * What became of bytes: an envelope with a zstd frame, an envelope with the bytes themselves, the
 * original without an envelope, or a fault.
 */
export type CompressStatus = EnvelopeEncoding | 'original' | CompressFault;

const LEVEL_MAX = 19;
const U32_MAX = 0xffff_ffff;
const NOTHING = new Uint8Array(0);

/**
 * Puts encoded updates, or packets, into envelopes. Its buffer is reused: `output` is good until
 * the next call that succeeds.
 */
export class Compressor {
  readonly #policy: CompressionPolicy;
  readonly #zstd: Zstd | undefined;
  readonly #level: number;
  readonly #maxInputBytes: number;
  readonly #maxOutputBytes: number;
  #buffer: Uint8Array = NOTHING;
  #output: Uint8Array = NOTHING;
  #payloadBytes = 0;

  /**
   * Throws OPTION_INVALID with the fault `limits-not-positive`, `level-out-of-range` or
   * `policy-unknown`.
   */
  constructor(options: CompressorOptions) {
    const { maxUncompressedBytes, maxOutputBytes } = resolveLimits(options);
    this.#maxInputBytes = Math.min(maxUncompressedBytes, U32_MAX);
    this.#maxOutputBytes = maxOutputBytes;
    this.#level = checkedLevel(options.level ?? 1);
    this.#policy = checkedPolicy(options.policy);
    this.#zstd = options.zstd;
  }

  /** What the last successful call made. The original is not copied: it is the array given. */
  get output(): Uint8Array {
    return this.#output;
  }

  /** Bytes of `output` without the envelope. */
  get payloadBytes(): number {
    return this.#payloadBytes;
  }

  /** Bytes of the envelope beside its payload: 17, or 0 for an original. */
  get envelopeBytes(): number {
    return this.#output.length - this.#payloadBytes;
  }

  /**
   * Compresses an update or a packet. After a fault `output` is what it was. Throws VALUE_INVALID,
   * `not-bytes`, for anything but bytes; STATE_INVALID, `zstd-frame-unusable`, when the zstd that
   * was given makes frames that no receiver takes; and what that zstd itself throws.
   */
  compress(bytes: Uint8Array): CompressStatus {
    checkBytes(bytes);
    if (bytes.length === 0 || bytes.length > this.#maxInputBytes) return 'input-size-out-of-bounds';
    const frame = this.#zstd?.compress(bytes, this.#level);
    if (frame !== undefined) assertUsable(frame, bytes.length);
    return this.#policy === 'always' ? this.#wrap(bytes, frame) : this.#wrapSmaller(bytes, frame);
  }

  #wrap(bytes: Uint8Array, frame: Uint8Array | undefined): CompressStatus {
    const isSmaller = frame !== undefined && frame.length < bytes.length;
    const payload = isSmaller ? frame : bytes;
    if (ENVELOPE_BYTES + payload.length > this.#maxOutputBytes) return 'output-too-large';
    return this.#put(isSmaller ? 'zstd' : 'raw', bytes.length, payload);
  }

  #wrapSmaller(bytes: Uint8Array, frame: Uint8Array | undefined): CompressStatus {
    if (frame !== undefined) {
      const length = ENVELOPE_BYTES + frame.length;
      if (length < bytes.length && length <= this.#maxOutputBytes) {
        return this.#put('zstd', bytes.length, frame);
      }
    }
    if (bytes.length > this.#maxOutputBytes) return 'raw-fallback-too-large';
    this.#output = bytes;
    this.#payloadBytes = bytes.length;
    return 'original';
  }

  #put(encoding: EnvelopeEncoding, inputBytes: number, payload: Uint8Array): EnvelopeEncoding {
    const length = ENVELOPE_BYTES + payload.length;
    if (length > this.#buffer.length) this.#buffer = new Uint8Array(2 * length);
    putEnvelope(this.#buffer, encoding, inputBytes, payload);
    this.#output = this.#buffer.subarray(0, length);
    this.#payloadBytes = payload.length;
    return encoding;
  }
}

function assertUsable(frame: Uint8Array, contentBytes: number): void {
  const status = checkZstdFrame(frame, 0, contentBytes);
  if (status === 'ok') return;
  throw new NetError('STATE_INVALID', 'zstd-frame-unusable', 'zstd gave an unusable frame.', {
    given: status,
    allowed: `one frame whose header says ${contentBytes} bytes, no dictionary, a window to 8 MiB`,
    fix: 'Let the given zstd write the content size (ZSTD_c_contentSizeFlag, pledged size).',
  });
}

function checkedLevel(level: number): number {
  if (Number.isInteger(level) && level >= 1 && level <= LEVEL_MAX) return level;
  throw new NetError('OPTION_INVALID', 'level-out-of-range', 'This is no level of compression.', {
    given: `level: ${String(level)}`,
    allowed: 'a whole number from 1 to 19',
    fix: 'Leave level out for 1, the fastest.',
  });
}

function checkedPolicy(policy: CompressionPolicy): CompressionPolicy {
  if (policy === 'always' || policy === 'only-when-smaller') return policy;
  throw new NetError('OPTION_INVALID', 'policy-unknown', 'There is no such policy.', {
    given: `policy: ${String(policy)}`,
    allowed: `'always' for whole updates, 'only-when-smaller' for packets`,
    fix: 'Name one of the two.',
  });
}

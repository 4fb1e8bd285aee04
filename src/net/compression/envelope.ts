import { getU32, putU32 } from '../big-endian.ts';

/*
 * An envelope, big-endian:
 *
 *   0   u32  0x534E435A, "SNCZ"
 *   4   u16  protocol, 1
 *   6   u16  schema, 1
 *   8   u8   encoding: 0 raw, 1 zstd
 *   9   u32  bytes of what is in it
 *   13  u32  bytes of the payload
 *   17       the payload
 */

/** Bytes of an envelope beside its payload. */
export const ENVELOPE_BYTES = 17;

const MAGIC = 0x534e_435a;
/** Protocol and schema. */
const VERSIONS = 0x0001_0001;

/** How the payload of an envelope holds the bytes. */
export type EnvelopeEncoding = 'raw' | 'zstd';

/** What is wrong with an envelope. */
export type EnvelopeFault =
  | 'envelope-size-out-of-bounds'
  | 'identity-invalid'
  | 'declared-size-out-of-bounds'
  | 'payload-size-mismatch'
  | 'raw-size-mismatch';

/** Tells whether bytes begin as an envelope does. They need not be a valid one. */
export function hasEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && getU32(bytes, 0) === MAGIC;
}

/** Returns the bytes that an envelope says are in it. */
export function declaredBytesOf(envelope: Uint8Array): number {
  return getU32(envelope, 9);
}

/** Checks all of an envelope but the payload of one with zstd; returns how it holds the bytes. */
export function checkEnvelope(
  bytes: Uint8Array,
  maxUncompressedBytes: number,
  maxEnvelopeBytes: number,
): EnvelopeEncoding | EnvelopeFault {
  const { length } = bytes;
  if (length < ENVELOPE_BYTES || length > maxEnvelopeBytes) return 'envelope-size-out-of-bounds';
  const encoding = bytes[8] as number;
  if (!hasEnvelope(bytes) || getU32(bytes, 4) !== VERSIONS || encoding > 1) {
    return 'identity-invalid';
  }
  const declared = declaredBytesOf(bytes);
  const payload = getU32(bytes, 13);
  if (declared === 0 || payload === 0 || declared > maxUncompressedBytes) {
    return 'declared-size-out-of-bounds';
  }
  if (payload !== length - ENVELOPE_BYTES) return 'payload-size-mismatch';
  if (encoding === 1) return 'zstd';
  return declared === payload ? 'raw' : 'raw-size-mismatch';
}

/**
 * Writes an envelope with its payload to the beginning of `target`, which has room for it. The
 * payload may be a part of the target.
 */
export function putEnvelope(
  target: Uint8Array,
  encoding: EnvelopeEncoding,
  uncompressedBytes: number,
  payload: Uint8Array,
): void {
  // The payload first: it may lie in the target, where the envelope would overwrite it.
  target.set(payload, ENVELOPE_BYTES);
  putU32(target, 0, MAGIC);
  putU32(target, 4, VERSIONS);
  target[8] = encoding === 'zstd' ? 1 : 0;
  putU32(target, 9, uncompressedBytes);
  putU32(target, 13, payload.length);
}

import { getU32, putU32 } from '../big-endian.ts';
import { NetError } from '../net-error.ts';

/*
 * What a client sends back, big-endian:
 *
 *   acknowledgement     0  u8   kind, 5
 *                       1  u8   version, 3
 *                       2  u32  the newest sequence that was applied
 *
 *   recovery request    0  u8   kind, 8
 *                       1  u8   version, 3
 *                       2  u32  the sequence of the update that could not be decoded
 *                       6  u32  the baseline that it needs and the client has not: earlier
 */

/** Bytes of an acknowledgement. */
export const ACK_BYTES = 6;

/** Bytes of a request for recovery. */
export const RECOVERY_REQUEST_BYTES = 10;

const ACK_KIND = 5;
const RECOVERY_KIND = 8;
const VERSION = 3;
const U32_MAX = 0xffff_ffff;

/**
 * What a {@link DeliveryMessage} found: a message, or why there is none.
 *
 * - `ack`, `recovery-request`: it is in order, and its members are set.
 * - `unknown-kind`: the first byte is of neither, or there is none.
 * - `unsupported-version`: not version 3.
 * - `invalid-length`: not exactly as long as its kind.
 * - `reserved-sequence`: the missing baseline is 0, which no update has.
 * - `baseline-not-earlier`: the missing baseline is not before the update that was rejected.
 */
export type DeliveryMessageStatus =
  | 'ack'
  | 'recovery-request'
  | 'unknown-kind'
  | 'unsupported-version'
  | 'invalid-length'
  | 'reserved-sequence'
  | 'baseline-not-earlier';

/** A message of a client about what it received. One is kept and read into again and again. */
export class DeliveryMessage {
  /** Of an acknowledgement: the newest sequence that the client has applied. */
  sequence = 0;
  /** Of a request: the sequence of the update that could not be decoded. */
  rejected = 0;
  /** Of a request: the sequence of the baseline that the client has not. */
  missing = 0;

  /** Reads a message. It never throws; whatever is not in order changes nothing. */
  read(bytes: Uint8Array): DeliveryMessageStatus {
    const kind = bytes[0];
    if (kind !== ACK_KIND && kind !== RECOVERY_KIND) return 'unknown-kind';
    const length = kind === ACK_KIND ? ACK_BYTES : RECOVERY_REQUEST_BYTES;
    if (bytes.length !== length) return 'invalid-length';
    if (bytes[1] !== VERSION) return 'unsupported-version';
    if (kind === ACK_KIND) {
      this.sequence = getU32(bytes, 2);
      return 'ack';
    }
    const rejected = getU32(bytes, 2);
    const missing = getU32(bytes, 6);
    if (missing === 0) return 'reserved-sequence';
    if (missing >= rejected) return 'baseline-not-earlier';
    this.rejected = rejected;
    this.missing = missing;
    return 'recovery-request';
  }
}

/**
 * Writes an acknowledgement of {@link ACK_BYTES} at the begin of `out` and returns its length.
 * Throws VALUE_INVALID for a sequence that no update has, or too little room.
 */
export function encodeAck(out: Uint8Array, sequence: number): number {
  checkRoom(out, ACK_BYTES);
  checkU32('sequence', sequence, 1);
  out[0] = ACK_KIND;
  out[1] = VERSION;
  putU32(out, 2, sequence);
  return ACK_BYTES;
}

/**
 * Writes a request for recovery of {@link RECOVERY_REQUEST_BYTES} at the begin of `out` and returns
 * its length: the update `rejected` needs the baseline `missing`, which must be earlier. Throws
 * VALUE_INVALID.
 */
export function encodeRecoveryRequest(out: Uint8Array, rejected: number, missing: number): number {
  checkRoom(out, RECOVERY_REQUEST_BYTES);
  checkU32('rejected', rejected, 1);
  checkU32('missing', missing, 1);
  if (missing >= rejected) {
    throw new NetError('VALUE_INVALID', 'baseline-not-earlier', 'A baseline comes before.', {
      given: `the update ${rejected}, the baseline ${missing}`,
      allowed: 'a baseline with a lower sequence than the update',
      fix: 'Give both as they stand in the header of the update.',
    });
  }
  out[0] = RECOVERY_KIND;
  out[1] = VERSION;
  putU32(out, 2, rejected);
  putU32(out, 6, missing);
  return RECOVERY_REQUEST_BYTES;
}

function checkRoom(out: Uint8Array, bytes: number): void {
  if (out.length >= bytes) return;
  throw new NetError('VALUE_INVALID', 'buffer-too-short', 'The message does not fit.', {
    given: `${out.length} bytes`,
    allowed: `${bytes} bytes or more`,
    fix: 'Give a longer buffer.',
  });
}

function checkU32(name: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min && value <= U32_MAX) return;
  throw new NetError('VALUE_INVALID', 'sequence-range', 'No update has that sequence.', {
    given: `${name} ${value}`,
    allowed: `an integer from ${min} to ${U32_MAX}`,
    fix: 'Give a sequence from the header of an update.',
  });
}

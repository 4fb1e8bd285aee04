import type { SpawnRoom } from '../entropy/spawn-room.ts';
import { PROTOCOL_VERSION } from '../pipeline/decode-signature.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import { getI32, getU16 } from '../big-endian.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import type { UpdatePlan } from './update-plan.ts';

/*
 * The header of an update, big-endian:
 *
 *   0   u32  0x534E504C, SNPL
 *   4   u16  protocol, 1
 *   6   u16  schema: 5 complete records, 6 with field masks, 7 own records
 *   8   u64  decode signature
 *   16  u8   kind: 0 FullReplace, 1 Patch
 *   17  u64  tick
 *   25  u32  sequence
 *   29  u32  baseline sequence, 0 for none
 *   33  u32  upserts
 *   37  u32  deletes
 *   41  u32  bytes that follow: the ids that are gone, u32 each, then the records; or both coded
 */

export const HEADER_BYTES = 45;

const MAGIC = 0x534e504c;
const WORD = 2 ** 32;

/** What a header is found to be; the first rule that is broken, in this order. */
export type HeaderStatus =
  | 'ok'
  | 'unsupported-pipeline'
  | 'byte-count-out-of-range'
  | 'truncated'
  | 'invalid-magic'
  | 'unsupported-version'
  | 'signature-mismatch'
  | 'unsupported-snapshot-kind'
  | 'reserved-sequence'
  | 'stale-sequence'
  | 'invalid-payload-size'
  | 'full-replace-has-baseline'
  | 'patch-unsupported'
  | 'patch-has-reserved-baseline'
  | 'patch-baseline-not-earlier'
  | 'invalid-payload-bounds';

/**
 * What a header says. Reported as it stands, even when something is wrong with it; zeros when fewer
 * bytes came than a header has. One is kept and filled again and again.
 */
export class UpdateHeader {
  /** The u32 members from byte 17 on; in an array of words none is boxed. */
  readonly #words: Uint32Array = new Uint32Array(7);
  /** One of `SnapshotKind`, or what is none. */
  kind = 0;

  get tickHigh(): number {
    return this.#words[0] as number;
  }

  get tickLow(): number {
    return this.#words[1] as number;
  }

  /** The tick as a number; exact up to 2^53. */
  get tick(): number {
    return this.tickHigh * WORD + this.tickLow;
  }

  get sequence(): number {
    return this.#words[2] as number;
  }

  get baselineSequence(): number {
    return this.#words[3] as number;
  }

  get upsertCount(): number {
    return this.#words[4] as number;
  }

  get deleteCount(): number {
    return this.#words[5] as number;
  }

  get payloadBytes(): number {
    return this.#words[6] as number;
  }

  /** Takes what the bytes say; zeros if there are too few. */
  read(bytes: Uint8Array): void {
    const isWhole = bytes.length >= HEADER_BYTES;
    this.kind = isWhole ? (bytes[16] as number) : 0;
    for (let index = 0; index < 7; index++) {
      this.#words[index] = isWhole ? getI32(bytes, 17 + 4 * index) : 0;
    }
  }
}

/**
 * Reads the header of an update into `header` and says whether the update may be decoded by one
 * that has accepted `latestRemoteSequence` last. It changes nothing else. `undefined` for a
 * pipeline: its definition cannot be decoded.
 */
export function inspectHeader(
  pipeline: Pipeline | undefined,
  bytes: Uint8Array,
  latestRemoteSequence: number,
  header: UpdateHeader,
): HeaderStatus {
  header.read(bytes);
  if (pipeline === undefined) return 'unsupported-pipeline';
  if (bytes.length >= WORD) return 'byte-count-out-of-range';
  if (bytes.length < HEADER_BYTES) return 'truncated';
  if (getI32(bytes, 0) !== MAGIC) return 'invalid-magic';
  const isVersion =
    getU16(bytes, 4) === PROTOCOL_VERSION && getU16(bytes, 6) === pipeline.schemaVersion;
  if (!isVersion) return 'unsupported-version';
  const isSigned =
    getI32(bytes, 8) === (pipeline.signatureHigh | 0) &&
    getI32(bytes, 12) === (pipeline.signatureLow | 0);
  if (!isSigned) return 'signature-mismatch';
  if (header.kind > SnapshotKind.Patch) return 'unsupported-snapshot-kind';
  if (header.sequence === 0) return 'reserved-sequence';
  if (header.sequence <= latestRemoteSequence) return 'stale-sequence';
  if (header.payloadBytes !== bytes.length - HEADER_BYTES) return 'invalid-payload-size';
  const isPatch = header.kind === SnapshotKind.Patch;
  if (isPatch) {
    if (!pipeline.allowsPatch) return 'patch-unsupported';
    if (header.baselineSequence === 0) return 'patch-has-reserved-baseline';
    if (header.baselineSequence >= header.sequence) return 'patch-baseline-not-earlier';
  } else if (header.baselineSequence !== 0) return 'full-replace-has-baseline';
  return hasRoom(pipeline, header, isPatch) ? 'ok' : 'invalid-payload-bounds';
}

/** Says whether the counts fit in the payload. Doubles: no count of 32 bits can wrap. */
function hasRoom(pipeline: Pipeline, header: UpdateHeader, isPatch: boolean): boolean {
  const { records } = pipeline;
  if (pipeline.spawnRoom !== undefined) {
    return isPatch || hasRoomForNew(pipeline.spawnRoom, header);
  }
  const rest = header.payloadBytes - 4 * header.deleteCount;
  const count = header.upsertCount;
  if (!(isPatch && pipeline.hasFieldMasks)) return rest === records.completeBytes(count);
  return rest >= count * records.maskedBytesMin && rest <= count * records.maskedBytesMax;
}

/** Coded, a FullReplace has new rows alone. */
function hasRoomForNew(
  room: SpawnRoom,
  { payloadBytes, upsertCount, deleteCount }: UpdateHeader,
): boolean {
  return deleteCount === 0 && upsertCount <= room.rowsIn(payloadBytes);
}

/** Writes the header of an update whose payload is `payloadBytes` long. */
export function writeHeader(
  pipeline: Pipeline,
  plan: UpdatePlan,
  payloadBytes: number,
  { data }: ByteBuffer,
): void {
  // Not through a function: numbers of 32 bits that are handed on may be boxed.
  data.setUint32(0, MAGIC);
  data.setUint16(4, PROTOCOL_VERSION);
  data.setUint16(6, pipeline.schemaVersion);
  data.setUint32(8, pipeline.signatureHigh);
  data.setUint32(12, pipeline.signatureLow);
  data.setUint8(16, plan.kind);
  data.setUint32(17, plan.tickHigh);
  data.setUint32(21, plan.tickLow);
  data.setUint32(25, plan.sequence);
  data.setUint32(29, plan.baselineSequence);
  data.setUint32(33, plan.rowCount);
  data.setUint32(37, plan.deleteCount);
  data.setUint32(41, payloadBytes);
}

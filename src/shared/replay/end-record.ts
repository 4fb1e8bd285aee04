import { getU32, getU64, putU32, putU64 } from '../little-endian.ts';
import { END_BYTES, RECORD_HEAD_BYTES, RECORD_TYPE } from './format.ts';
import { createRecord, sealRecord } from './record.ts';
import { REPLAY_END_REASONS, type ReplayEndReason } from './replay.ts';

/** What a file holds, as its last record says. */
export interface ReplayTotals {
  readonly tick: number;
  readonly inputCount: number;
  readonly hashCount: number;
  readonly keyframeCount: number;
  readonly chunkCount: number;
}

/** Returns the last record of a file. */
export function packEnd(totals: ReplayTotals, reason: ReplayEndReason): Uint8Array {
  const record = createRecord(RECORD_TYPE.end, 0, END_BYTES);
  const begin = RECORD_HEAD_BYTES;
  putU64(record, begin, totals.tick);
  putU64(record, begin + 8, totals.inputCount);
  putU64(record, begin + 16, totals.hashCount);
  putU32(record, begin + 24, totals.keyframeCount);
  putU32(record, begin + 28, totals.chunkCount);
  putU32(record, begin + 32, REPLAY_END_REASONS.indexOf(reason));
  return sealRecord(record);
}

/** Returns why a recording ended, undefined if its last record does not meet what was read. */
export function readEnd(
  bytes: Uint8Array,
  begin: number,
  end: number,
  totals: ReplayTotals,
): ReplayEndReason | undefined {
  if (end - begin !== END_BYTES || getU32(bytes, begin + 36) !== 0) return undefined;
  const meets =
    getU64(bytes, begin) === totals.tick &&
    getU64(bytes, begin + 8) === totals.inputCount &&
    getU64(bytes, begin + 16) === totals.hashCount &&
    getU32(bytes, begin + 24) === totals.keyframeCount &&
    getU32(bytes, begin + 28) === totals.chunkCount;
  return meets ? REPLAY_END_REASONS[getU32(bytes, begin + 32)] : undefined;
}

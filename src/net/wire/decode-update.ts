import { assert } from '../../shared/assert.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { FieldColumn } from '../record/field-codec.ts';
import type { FieldShape } from '../record/record-shape.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { validateSnapshot } from '../snapshot/snapshot-check.ts';
import { SnapshotKind } from '../snapshot/snapshot-update.ts';
import { validateUpdate } from '../snapshot/update-check.ts';
import { getU32 } from '../big-endian.ts';
import type { CodedRecords } from './coded-records.ts';
import { readCompleteRecords } from './complete-records.ts';
import type { DecodeBaseline, DecodeResult, DecodeStatus, ReceiverState } from './decode-result.ts';
import { readMaskedRecords } from './masked-records.ts';
import { HEADER_BYTES, inspectHeader } from './update-header.ts';

/**
 * Decodes the bytes of an update into `result`, whatever they are: it never throws for them. Only
 * when all of it is good does the state's newest sequence advance; a status other than `ok` leaves
 * the state and the baseline as they were and the update empty.
 *
 * A patch with field masks needs the baseline that it names, and a coded one what was kept beside
 * it too; other patches do not, but one that is given must be it. A FullReplace takes none.
 */
export function decodeUpdate(
  pipeline: Pipeline,
  state: ReceiverState,
  bytes: Uint8Array,
  baseline: DecodeBaseline | undefined,
  result: DecodeResult,
): DecodeStatus {
  const { header, update } = result;
  assert(update.upserts.shape === pipeline.shape, 'a result is of the pipeline it is used with');
  assert(result.coding?.effort === pipeline.coding, 'a result is of the pipeline it is used with');
  result.detail = '';
  update.clear();
  let status: DecodeStatus = 'ok';
  const found = inspectHeader(pipeline, bytes, state.latestRemoteSequence, header);
  if (found !== 'ok') status = found as DecodeStatus;
  else status = checkBaseline(baseline, result);
  const isRead = status === 'ok';
  if (isRead) status = readPayload(pipeline, bytes, baseline, result);
  if (status === 'ok') {
    const fault = validateUpdate(update);
    if (fault !== 'ok') {
      result.detail = fault;
      status = 'update-invalid';
    }
  }
  if (status === 'ok') state.latestRemoteSequence = header.sequence;
  else {
    update.clear();
    if (isRead && result.coding !== undefined) result.coded?.clear();
  }
  result.status = status;
  return status;
}

function checkBaseline(baseline: DecodeBaseline | undefined, result: DecodeResult): DecodeStatus {
  if (baseline === undefined) return 'ok';
  const { snapshot, sequence } = baseline;
  if (snapshot === undefined) return 'baseline-sequence-without-snapshot';
  const { header, update } = result;
  assert(snapshot.shape === update.upserts.shape, 'a baseline is of the record of its pipeline');
  if (header.kind === SnapshotKind.FullReplace) return 'baseline-for-full-replace';
  if (sequence !== header.baselineSequence) return 'baseline-sequence-mismatch';
  if (baseline.isTrusted === true) return 'ok';
  const fault = validateSnapshot(snapshot);
  if (fault === 'ok') return 'ok';
  result.detail = fault;
  return 'baseline-invalid';
}

function readPayload(
  pipeline: Pipeline,
  bytes: Uint8Array,
  given: DecodeBaseline | undefined,
  result: DecodeResult,
): DecodeStatus {
  const { header, update } = result;
  const baseline = given?.snapshot;
  const { upserts } = update;
  const isMasked = pipeline.hasFieldMasks && header.kind === SnapshotKind.Patch;
  if (isMasked && baseline === undefined) return 'masked-patch-needs-baseline';
  update.kind = header.kind;
  const status =
    result.coding === undefined
      ? readRecords(pipeline, bytes, isMasked ? baseline : undefined, result)
      : readCoded(result.coding, bytes, given, result);
  if (status !== 'ok') return status;
  const count = header.upsertCount | 0;
  upserts.reserve(count);
  upserts.count = count;
  upserts.tickHigh = header.tickHigh;
  upserts.tickLow = header.tickLow;
  // Not `set` of a part of it: that would make a view a call.
  for (let row = 0; row < count; row++) upserts.ids[row] = result.table.ids[row] as number;
  for (let index = 0; index < pipeline.shape.fields.length; index++) {
    const field = pipeline.shape.fields[index] as FieldShape;
    const isGood =
      isMasked && baseline !== undefined
        ? mergeField(field, result, baseline)
        : readRows(field, result, 0, count);
    if (isGood) continue;
    result.detail = field.name;
    return 'field-value-invalid';
  }
  return 'ok';
}

function readRecords(
  { records }: Pipeline,
  bytes: Uint8Array,
  baseline: Snapshot | undefined,
  result: DecodeResult,
): DecodeStatus {
  const { header, table, reading } = result;
  readDeletes(bytes, result);
  const begin = (HEADER_BYTES + 4 * header.deleteCount) | 0;
  const count = header.upsertCount | 0;
  if (baseline !== undefined)
    return readMaskedRecords(records, bytes, begin, count, baseline, table, reading);
  return readCompleteRecords(records, bytes, begin, count, table) ? 'ok' : 'padding-not-zero';
}

function readCoded(
  coding: CodedRecords,
  bytes: Uint8Array,
  baseline: DecodeBaseline | undefined,
  result: DecodeResult,
): DecodeStatus {
  const { header, update, table } = result;
  const target = result.coded ?? undefined;
  if (target === undefined) return 'result-without-coded';
  assert(coding.fits(target), 'the coded replica of a result is of the pipeline it is used with');
  if (header.kind === SnapshotKind.FullReplace)
    return coding.read(header, bytes, HEADER_BYTES, null, target, table, update);
  const snapshot = baseline?.snapshot;
  if (baseline === undefined || snapshot === undefined) return 'coded-patch-needs-baseline';
  const held = baseline.coded ?? undefined;
  if (held === undefined) return 'baseline-without-coded';
  if (!coding.fits(held)) return 'baseline-coded-foreign';
  if (!coding.isOf(held, snapshot)) return 'baseline-coded-mismatch';
  return coding.read(header, bytes, HEADER_BYTES, held, target, table, update);
}

function readDeletes(bytes: Uint8Array, { header, update }: DecodeResult): void {
  const count = header.deleteCount;
  update.reserveDeletes(count);
  update.deleteCount = count;
  for (let index = 0; index < count; index++) {
    update.deletes[index] = getU32(bytes, HEADER_BYTES + 4 * index);
  }
}

/**
 * Turns the tokens of a field of some rows into values. Returns false for tokens that cannot be.
 */
function readRows(
  { codec, lane, index }: FieldShape,
  { table, update }: DecodeResult,
  first: number,
  last: number,
): boolean {
  const { tokens, laneCount } = table;
  const invalid = codec.firstInvalid?.(tokens, laneCount, lane, first, last) ?? -1;
  if (invalid >= 0) return false;
  const column = update.upserts.columns[index] as FieldColumn;
  codec.decode(tokens, laneCount, lane, first, last, column);
  return true;
}

/**
 * As `readRows` for the rows that have the field, in runs; the others take it from the baseline.
 */
function mergeField(field: FieldShape, result: DecodeResult, baseline: Snapshot): boolean {
  const { reading, update } = result;
  const { masks, baselineRows } = reading;
  const { width } = field.codec;
  const { count } = update.upserts;
  const to = (update.upserts.columns[field.index] as FieldColumn).bits;
  const from = (baseline.columns[field.index] as FieldColumn).bits;
  const bit = 1 << field.index;
  let row = 0;
  while (row < count) {
    const first = row;
    while (row < count && ((masks[row] as number) & bit) !== 0) row++;
    if (row > first && !readRows(field, result, first, row)) return false;
    while (row < count && ((masks[row] as number) & bit) === 0) {
      const base = (baselineRows[row] as number) * width;
      for (let index = 0; index < width; index++) {
        to[row * width + index] = from[base + index] as number;
      }
      row++;
    }
  }
  return true;
}

import type { TokenTable } from '../record/token-table.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { getToken, getU32 } from '../big-endian.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import type { RecordLayout } from './record-layout.ts';
import { SPAWN_MASK, type UpdatePlan } from './update-plan.ts';

/** What a record with a field mask is found to be; `ok`, or the first rule that is broken. */
export type MaskedStatus =
  | 'ok'
  | 'truncated-masked-prefix'
  | 'masked-id-order'
  | 'masked-selector-invalid'
  | 'masked-spawn-exists'
  | 'masked-existing-absent'
  | 'truncated-masked-fields'
  | 'padding-not-zero'
  | 'trailing-bytes';

/**
 * Writes the rows of a plan as records of the fields that its masks name: id u32, selector, tokens.
 * The selector is u8, u16 or u32, as the fields need it: bit f for field f, or the top bit alone
 * for an entity that is new and has all fields. There must be room. Returns their end.
 */
export function writeMaskedRecords(
  layout: RecordLayout,
  plan: UpdatePlan,
  out: ByteBuffer,
  begin: number,
): number {
  const { table, rows, rowCount, masks } = plan;
  const { laneCount, firstLanes, laneBytes, selectorBytes, spawnSelector, everyField } = layout;
  const { ids, tokens } = table;
  const { data } = out;
  let at = begin;
  for (let index = 0; index < rowCount; index++) {
    const row = rows[index] as number;
    const mask = masks[index] as number;
    const isNew = mask === SPAWN_MASK;
    data.setUint32(at, ids[row] as number);
    putToken(data, at + 4, selectorBytes, isNew ? spawnSelector : mask);
    at += 4 + selectorBytes;
    const begin = row * laneCount;
    for (let fields = isNew ? everyField : mask | 0; fields !== 0; fields &= fields - 1) {
      const field = 31 - Math.clz32(fields & -fields);
      const end = firstLanes[field + 1] as number;
      for (let lane = firstLanes[field] as number; lane < end; lane++) {
        const width = laneBytes[lane] as number;
        putToken(data, at, width, tokens[begin + lane] as number);
        at += width;
      }
    }
  }
  return at;
}

/** Writes the lower `size` bytes of a word, 1 to 4, most significant first. */
function putToken(data: DataView, at: number, size: number, value: number): void {
  if (size === 2) data.setUint16(at, value);
  else if (size === 1) data.setUint8(at, value);
  else if (size === 4) data.setUint32(at, value);
  else {
    data.setUint8(at, value >>> 16);
    data.setUint16(at + 1, value);
  }
}

/** Records with field masks that are being read: their tokens, masks and places in the baseline. */
export class MaskedReading {
  /** For each row, its fields: bit f for field f. */
  masks: Uint32Array = new Uint32Array(0);
  /** For each row, its row in the baseline; of no meaning for one that is new. */
  baselineRows: Uint32Array = new Uint32Array(0);

  reserve(count: number): void {
    if (count <= this.masks.length) return;
    this.masks = new Uint32Array(Math.max(count, this.masks.length * 2, 16));
    this.baselineRows = new Uint32Array(this.masks.length);
  }
}

/**
 * Reads `count` records from `begin` to the end of the bytes; tokens that are absent stay as they
 * were.
 */
export function readMaskedRecords(
  layout: RecordLayout,
  bytes: Uint8Array,
  begin: number,
  count: number,
  baseline: Snapshot,
  table: TokenTable,
  reading: MaskedReading,
): MaskedStatus {
  const { selectorBytes, spawnSelector } = layout;
  const { count: baselineCount, ids: baselineIds } = baseline;
  const every = layout.everyField;
  const end = bytes.length;
  table.count = 0;
  table.reserve(count);
  table.count = count;
  reading.reserve(count);
  let at = begin;
  let previous = 0;
  let place = 0;
  for (let row = 0; row < count; row++) {
    if (end - at < 4 + selectorBytes) return 'truncated-masked-prefix';
    const id = getU32(bytes, at);
    const selector = getToken(bytes, at + 4, selectorBytes);
    at += 4 + selectorBytes;
    const isNew = selector === spawnSelector;
    if (id <= previous) return 'masked-id-order';
    previous = id;
    if (!isNew && (selector === 0 || selector > every)) return 'masked-selector-invalid';
    while (place < baselineCount && (baselineIds[place] as number) < id) place++;
    const isThere = place < baselineCount && baselineIds[place] === id;
    if (isNew && isThere) return 'masked-spawn-exists';
    if (!isNew && !isThere) return 'masked-existing-absent';
    const mask = isNew ? every : selector;
    const size = bytesOf(layout, mask);
    if (end - at < size) return 'truncated-masked-fields';
    if (!readFields(layout, bytes, at, mask, row, table.tokens)) return 'padding-not-zero';
    at += size;
    table.ids[row] = id;
    reading.masks[row] = mask;
    reading.baselineRows[row] = place;
  }
  return at === end ? 'ok' : 'trailing-bytes';
}

function bytesOf({ fieldBytes }: RecordLayout, mask: number): number {
  let size = 0;
  for (let fields = mask; fields !== 0; fields &= fields - 1) {
    size += fieldBytes[31 - Math.clz32(fields & -fields)] as number;
  }
  return size;
}

/** Returns false if a bit that has no meaning is not zero. */
function readFields(
  layout: RecordLayout,
  bytes: Uint8Array,
  begin: number,
  mask: number,
  row: number,
  tokens: Uint32Array,
): boolean {
  const { firstLanes, laneMasks, laneBytes, laneCount } = layout;
  let at = begin;
  let excess = 0;
  for (let fields = mask; fields !== 0; fields &= fields - 1) {
    const field = 31 - Math.clz32(fields & -fields);
    const end = firstLanes[field + 1] as number;
    for (let lane = firstLanes[field] as number; lane < end; lane++) {
      const width = laneBytes[lane] as number;
      const token = getToken(bytes, at, width);
      excess |= token & ~(laneMasks[lane] as number);
      tokens[row * laneCount + lane] = token;
      at += width;
    }
  }
  return excess === 0;
}

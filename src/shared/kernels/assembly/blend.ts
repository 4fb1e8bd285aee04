import {
  BLEND_ALPHA,
  BLEND_COUNT,
  BLEND_EARLIER_STAMPS,
  BLEND_FROM,
  BLEND_KIND,
  BLEND_LATER,
  BLEND_LATER_STAMPS,
  BLEND_LIVE,
  BLEND_MISSING,
  BLEND_OUT,
  BLEND_PERIOD,
  BLEND_PRESENCE,
  BLEND_ROW_BYTES,
  BLEND_TABLE,
  BLEND_UNBLENDED,
  BLEND_WIDTH,
  KIND_ANGLE,
  KIND_COPY,
  KIND_FIXED,
  KIND_LERP,
  KIND_SLERP,
} from '../parameters';
import { angleRun, fixedRun, lerpRun } from './numbers';
import { quaternionRun } from './quaternions';

/*
 * Rows of one fate whose slots are consecutive are a run: both columns hold its numbers one after
 * another, and so does the output. Runs are looked for in strides of 32 rows, then of 4, then row
 * by row.
 */

/** What becomes of a row. */
const FATE_NONE: u32 = 0;
const FATE_MISSING: u32 = 1;
const FATE_LATER: u32 = 2;
const FATE_BLENDED: u32 = 3;

@inline
function word(block: usize, index: u32): u32 {
  return load<u32>(block + (index << 2));
}

/** Blends a channel; see the words of a blend in `parameters.ts`. */
export function blend(block: usize): void {
  const live = word(block, BLEND_LIVE);
  const count = word(block, BLEND_COUNT);
  if (live == 0) {
    writeRun(block, FATE_BLENDED, 0, 0, count);
    return;
  }
  let fate = FATE_NONE;
  let begin: u32 = 0;
  let first: u32 = 0;
  let row: u32 = 0;
  while (row < count) {
    const index = load<u32>(live + (row << 2));
    let rows: u32 = 1;
    let found = FATE_BLENDED;
    if (isPlain(block, live, count, row, index, 32)) rows = 32;
    else if (isPlain(block, live, count, row, index, 4)) rows = 4;
    else found = fateOf(block, index);
    if (found != fate || index - first != row - begin) {
      writeRun(block, fate, first, begin, row - begin);
      fate = found;
      begin = row;
      first = index;
    }
    row += rows;
  }
  writeRun(block, fate, first, begin, row - begin);
}

/** Whether the next `rows` rows, 4 or 32, have consecutive slots and are all blended. */
function isPlain(block: usize, live: usize, count: u32, row: u32, index: u32, rows: u32): bool {
  if (count - row < rows) return false;
  // The list ascends: as far apart as that, its slots leave none out.
  if (load<u32>(live + ((row + rows - 1) << 2)) - index != rows - 1) return false;
  const mask = (<u64>1 << rows) - 1;
  const presence = word(block, BLEND_PRESENCE);
  if (presence != 0 && (bitsFrom(presence, index) & mask) != mask) return false;
  const unblended = word(block, BLEND_UNBLENDED);
  if (unblended != 0 && (bitsFrom(unblended, index) & mask) != 0) return false;
  let earlier = word(block, BLEND_EARLIER_STAMPS);
  if (earlier == 0) return true;
  earlier += index << 2;
  const gap = word(block, BLEND_LATER_STAMPS) + (index << 2) - earlier;
  for (let left = rows; left > 0; left -= 4) {
    if (!i32x4.all_true(i32x4.eq(v128.load(earlier), v128.load(earlier + gap)))) return false;
    earlier += 16;
  }
  return true;
}

/** At least 57 bits of a bitset, the one of `index` first. What lies behind the set is not told. */
@inline
function bitsFrom(bits: usize, index: u32): u64 {
  return load<u64>(bits + (index >>> 3)) >> (index & 7);
}

function fateOf(block: usize, index: u32): u32 {
  const presence = word(block, BLEND_PRESENCE);
  if (presence != 0 && !(bitsFrom(presence, index) & 1)) return FATE_MISSING;
  const unblended = word(block, BLEND_UNBLENDED);
  if (unblended != 0 && bitsFrom(unblended, index) & 1) return FATE_LATER;
  const earlier = word(block, BLEND_EARLIER_STAMPS);
  if (earlier == 0) return FATE_BLENDED;
  const gap = word(block, BLEND_LATER_STAMPS) - earlier;
  const at = earlier + (index << 2);
  return load<u32>(at) == load<u32>(at + gap) ? FATE_BLENDED : FATE_LATER;
}

/** Writes the rows from `row` on, whose slots begin at `index`. */
function writeRun(block: usize, fate: u32, index: u32, row: u32, rows: u32): void {
  if (rows == 0) return;
  const rowBytes = word(block, BLEND_ROW_BYTES);
  const out = word(block, BLEND_OUT) + row * rowBytes;
  const from = word(block, BLEND_FROM) + index * rowBytes;
  const later = word(block, BLEND_LATER) + index * rowBytes;
  const numbers = rows * word(block, BLEND_WIDTH);
  const kind = word(block, BLEND_KIND);
  if (fate == FATE_MISSING) {
    fillMissing(block, out, rows * rowBytes);
    return;
  }
  if (fate == FATE_LATER || kind == KIND_COPY) {
    memory.copy(out, fate == FATE_LATER ? later : from, rows * rowBytes);
    return;
  }
  const alpha = load<f64>(block + (BLEND_ALPHA << 2));
  if (kind == KIND_LERP) {
    lerpRun(from, later, out, numbers, <f32>alpha);
  } else if (kind == KIND_ANGLE) {
    angleRun(from, later, out, numbers, alpha, load<f64>(block + (BLEND_PERIOD << 2)));
  } else if (kind == KIND_FIXED) {
    fixedRun(from, later, out, numbers, Math.floor(alpha * 65536 + 0.5));
  } else {
    const table = block + (BLEND_TABLE << 2);
    quaternionRun(from, later, out, numbers >>> 2, table, kind == KIND_SLERP);
  }
}

/** Repeats the words for what is not there. A run of bytes or 16-bit numbers may end within one. */
function fillMissing(block: usize, out: usize, bytes: u32): void {
  const low = word(block, BLEND_MISSING);
  const high = word(block, BLEND_MISSING + 1);
  if ((low | high) == 0) {
    memory.fill(out, 0, bytes);
    return;
  }
  for (let at: u32 = 0; at < bytes; at += 4) store<u32>(out + at, at & 4 ? high : low);
}

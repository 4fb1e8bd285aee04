import {
  HASH_ALIVE,
  HASH_BLOCK_WORDS,
  HASH_KIND,
  HASH_OUT,
  HASH_PACKED,
  HASH_PRESENCE,
  HASH_ROW_BYTES,
  HASH_ROWS,
  HASH_WORDS,
} from '../parameters';
import { HASH_HEADER, HASH_LANES, HASH_STAGE, HASH_STAGE_FULL } from './hash-room';
import { finish, fold, foldBits, start, STRIPE } from './hash-lanes';

/*
 * The hash of each block of rows, 32 words at a time; its twin is
 * src/shared/kernels/hash-blocks.ts. Rows that lie one after another are hashed where they are;
 * others are gathered first.
 */

const BLOCK_WORDS: u32 = HASH_BLOCK_WORDS;

@inline
function word(block: usize, index: u32): u32 {
  return load<u32>(block + (index << 2));
}

/** Hashes blocks of slots; see the words of a hash. Returns how many numbers are NaN. */
export function hash(block: usize): u32 {
  const alive: usize = word(block, HASH_ALIVE);
  const presence: usize = word(block, HASH_PRESENCE);
  const words = word(block, HASH_WORDS);
  const rowBytes = word(block, HASH_ROW_BYTES);
  const kind = word(block, HASH_KIND);
  const isPacked = word(block, HASH_PACKED) != 0;
  const header: usize = block + (HASH_HEADER << 2);
  const lanes: usize = block + (HASH_LANES << 2);
  let rows: usize = word(block, HASH_ROWS);
  let out: usize = word(block, HASH_OUT);
  let nans: u32 = 0;
  for (let first: u32 = 0; first < words; first += BLOCK_WORDS) {
    const at: usize = first << 2;
    const count = min<u32>(BLOCK_WORDS, words - first);
    let some: u32 = 1;
    let present: u32 = BLOCK_WORDS << 5;
    let full: u32 = BLOCK_WORDS;
    if (count < BLOCK_WORDS || !readFullHeader(header, presence + at, alive + at)) {
      some = 0;
      present = 0;
      full = 0;
      for (let i: u32 = 0; i < BLOCK_WORDS; i++) {
        const next: usize = at + (i << 2);
        const bits = i < count ? load<u32>(presence + next) & load<u32>(alive + next) : 0;
        store<u32>(header + (i << 2), bits);
        some |= bits;
        present += popcnt<u32>(bits);
        full += <u32>(bits == 0xffffffff && full == i);
      }
    }
    if (some == 0) {
      store<u64>(out, 0);
    } else {
      start(lanes);
      foldBits(lanes, header, 1);
      if (rowBytes != 0) {
        const run = (isPacked ? present : full << 5) * rowBytes;
        const from = isPacked ? BLOCK_WORDS : full;
        nans += hashRows(block, rows, run, from, rowBytes, kind);
      }
      finish(lanes, out);
    }
    rows += (isPacked ? present : BLOCK_WORDS << 5) * rowBytes;
    out += 8;
  }
  return nans;
}

/** Reads the presence words of a whole block; returns whether every slot has a row. */
function readFullHeader(header: usize, presence: usize, alive: usize): bool {
  let all = i32x4.splat(-1);
  for (let i: u32 = 0; i < STRIPE; i += 16) {
    const bits = v128.and(v128.load(presence + i), v128.load(alive + i));
    v128.store(header + i, bits);
    all = v128.and(all, bits);
  }
  return i32x4.all_true(i32x4.eq(all, i32x4.splat(-1)));
}

/** Hashes `run` bytes from `rows` on, then the rows of the presence words from `from` on. */
function hashRows(
  block: usize,
  rows: usize,
  run: u32,
  from: u32,
  rowBytes: u32,
  kind: u32,
): u32 {
  const header: usize = block + (HASH_HEADER << 2);
  const lanes: usize = block + (HASH_LANES << 2);
  const stage: usize = block + (HASH_STAGE << 2);
  let nans = fold(lanes, rows, run / STRIPE, kind);
  const left = run % STRIPE;
  copy(stage, rows + (run - left), left);
  let end = stage + left;
  const full = stage + HASH_STAGE_FULL;
  for (let i = from; i < BLOCK_WORDS; i++) {
    const bits = load<u32>(header + (i << 2));
    if (bits == 0) continue;
    let row = rows + (i << 5) * rowBytes;
    if (rowBytes <= 16) {
      // Every row is written, and the next one over it where it is absent.
      const last: u32 = 32 - clz<u32>(bits);
      for (let r: u32 = 0; r < last; r++) {
        v128.store(end, v128.load(row));
        end += rowBytes & (0 - ((bits >>> r) & 1));
        row += rowBytes;
      }
      if (end >= full) {
        nans += foldStage(lanes, stage, end, kind);
        end = stage + ((end - stage) % STRIPE);
      }
      continue;
    }
    for (let rest = bits; rest != 0; rest &= rest - 1) {
      copy(end, row + ctz<u32>(rest) * rowBytes, rowBytes);
      end += rowBytes;
      if (end >= full) {
        nans += foldStage(lanes, stage, end, kind);
        end = stage + ((end - stage) % STRIPE);
      }
    }
  }
  if (end == stage) return nans;
  for (let pad: u32 = 0; pad < STRIPE; pad += 16) v128.store(end + pad, i32x4.splat(0));
  return nans + fold(lanes, stage, <u32>(end - stage + STRIPE - 1) / STRIPE, kind);
}

/** Copies bytes, and writes up to fifteen behind them. */
@inline
function copy(to: usize, from: usize, bytes: u32): void {
  for (let at: u32 = 0; at < bytes; at += 16) v128.store(to + at, v128.load(from + at));
}

/** Hashes the whole stripes before `end` and moves what is left to the front. */
function foldStage(lanes: usize, stage: usize, end: usize, kind: u32): u32 {
  const stripes = <u32>(end - stage) / STRIPE;
  const nans = fold(lanes, stage, stripes, kind);
  copy(stage, stage + stripes * STRIPE, STRIPE);
  return nans;
}

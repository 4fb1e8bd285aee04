import { QUANTISE_TABLE } from '../parameters';
import { firstHalves, secondHalves, zipHigh, zipLow } from './lanes';

/*
 * What a tick of replication changes, and the tokens and values that come of it. Every operation
 * rounds as its twin in src/net/record does. All addresses are bytes; behind each array of words
 * are 16 bytes that may be read, and behind a list of rows as many that may be written.
 *
 * A field is given by `now`, its numbers of this tick; `rows`, the `count` rows that changed;
 * `tokens`, the token of its first lane in row 0, with `stride` bytes from row to row; `canonical`,
 * the values that a client sees; `masks`, a word for each row, that gets `bit` where those change.
 * A kernel that meets what it does not know returns -1: then its twin has to do it all again.
 */

@inline
function mark(masks: usize, row: u32, changed: bool, bit: u32): void {
  const at = masks + (row << 2);
  store<u32>(at, load<u32>(at) | (changed ? bit : 0));
}

/** Brings those of four words to the front that have a bit; the others are lost. */
@inline
function packed(words: v128, bits: u32): v128 {
  return i8x16.swizzle(words, v128.load(QUANTISE_TABLE + (bits << 4)));
}

/** A bit for each group of `width` bits, 2 to 4: some bit of it is set. */
@inline
function anyOfEach(bits: u32, width: u32): u32 {
  let any = bits | (bits >>> 1);
  if (width > 2) any |= bits >>> 2;
  if (width > 3) any |= bits >>> 3;
  const by = width - 1;
  const low = (any & 1) | ((any >>> by) & 2);
  return low | ((any >>> (by << 1)) & 4) | ((any >>> (by * 3)) & 8);
}

/** Halves away from zero, for what is not negative: a sum in f32 would round once too often. */
@inline
function rounded(place: v128): v128 {
  const whole = f32x4.floor(place);
  const up = f32x4.ge(f32x4.sub(place, whole), f32x4.splat(0.5));
  return i32x4.sub(i32x4.trunc_sat_f32x4_s(whole), up);
}

@inline
function storeRow(at: usize, width: u32, row: v128): void {
  if (width == 4) {
    v128.store(at, row);
    return;
  }
  if (width == 1) {
    v128.store_lane<u32>(at, row, 0);
    return;
  }
  v128.store_lane<u64>(at, row, 0);
  if (width == 3) v128.store_lane<u32>(at, row, 2, 8);
}

/** Says whether `count` words are the same. */
export function same(left: usize, right: usize, count: u32): u32 {
  let change = i32x4.splat(0);
  let at: u32 = 0;
  for (; at + 4 <= count; at += 4) {
    const by: usize = at << 2;
    change = v128.or(change, v128.xor(v128.load(left + by), v128.load(right + by)));
  }
  let rest: u32 = 0;
  for (; at < count; at++) {
    const by: usize = at << 2;
    rest |= load<u32>(left + by) ^ load<u32>(right + by);
  }
  return <u32>(!v128.any_true(change) && rest == 0);
}

@inline
function differing(now: usize, before: usize): u32 {
  return i32x4.bitmask(i32x4.ne(v128.load(now), v128.load(before)));
}

/** Says whether 16 rows of `width` words are the same. */
@inline
function isQuiet(now: usize, before: usize, width: u32): bool {
  let change = i32x4.splat(0);
  const end: usize = width << 6;
  for (let at: usize = 0; at < end; at += 64) {
    const a = v128.xor(v128.load(now + at), v128.load(before + at));
    const b = v128.xor(v128.load(now + at, 16), v128.load(before + at, 16));
    const c = v128.xor(v128.load(now + at, 32), v128.load(before + at, 32));
    const d = v128.xor(v128.load(now + at, 48), v128.load(before + at, 48));
    change = v128.or(change, v128.or(v128.or(a, b), v128.or(c, d)));
  }
  return !v128.any_true(change);
}

/** Lists the rows of `width` words, 1 to 4, that differ; returns how many. */
export function list(now: usize, before: usize, width: u32, count: u32, out: usize): u32 {
  // A loop each: with a constant all that depends on the width is known.
  if (width == 3) return listRows(now, before, 3, count, out);
  if (width == 1) return listRows(now, before, 1, count, out);
  if (width == 2) return listRows(now, before, 2, count, out);
  return listRows(now, before, 4, count, out);
}

@inline
function listRows(now: usize, before: usize, width: u32, count: u32, out: usize): u32 {
  const step: usize = width << 4;
  let rows = i32x4(0, 1, 2, 3);
  const four = i32x4.splat(4);
  let listed: u32 = 0;
  let quiet: u32 = 0;
  for (let row: u32 = 0; row < count; row += 4, now += step, before += step) {
    // Where nothing has changed for long, 16 rows at a time.
    if (quiet > 3) {
      while (row + 16 <= count && isQuiet(now, before, width)) {
        row += 16;
        now += step << 2;
        before += step << 2;
      }
      if (row >= count) break;
      rows = i32x4.add(i32x4.splat(row), i32x4(0, 1, 2, 3));
    }
    let bits = differing(now, before);
    if (width > 1) bits |= differing(now + 16, before + 16) << 4;
    if (width > 2) bits |= differing(now + 32, before + 32) << 8;
    if (width > 3) bits |= differing(now + 48, before + 48) << 12;
    const left = count - row;
    if (left < 4) bits &= (1 << (width * left)) - 1;
    quiet = bits == 0 ? quiet + 1 : 0;
    if (width > 1) bits = anyOfEach(bits, width);
    v128.store(out + (listed << 2), packed(rows, bits));
    listed += popcnt(bits);
    rows = i32x4.add(rows, four);
  }
  return listed;
}

/** Lists the rows with a mask, and the masks; stamps them. Returns how many. */
export function collect(
  masks: usize,
  count: u32,
  stamp: u32,
  stamps: usize,
  rows: usize,
  out: usize,
): u32 {
  const now = i32x4.splat(stamp);
  const none = i32x4.splat(0);
  let listed: u32 = 0;
  // What lies behind the last row is 0.
  for (let row: u32 = 0; row < count; row += 4) {
    const at: usize = row << 2;
    const four = v128.load(masks + at);
    if (!v128.any_true(four)) continue;
    const before = v128.load(stamps + at);
    v128.store(stamps + at, v128.bitselect(before, now, i32x4.eq(four, none)));
    const marked: u32 = i32x4.bitmask(i32x4.ne(four, none));
    const to: usize = listed << 2;
    v128.store(rows + to, packed(i32x4.add(i32x4.splat(row), i32x4(0, 1, 2, 3)), marked));
    v128.store(out + to, packed(four, marked));
    listed += popcnt(marked);
  }
  return listed;
}

/** Whole numbers up to `max`, or bits as they are; returns how many were too large. */
export function words(
  now: usize,
  rows: usize,
  count: u32,
  width: u32,
  max: u32,
  tokens: usize,
  stride: u32,
  canonical: usize,
  masks: usize,
  bit: u32,
): i32 {
  let clamped: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(rows + (i << 2));
    let at: usize = (row * width) << 2;
    let to: usize = tokens + row * stride;
    let change: u32 = 0;
    for (let part: u32 = 0; part < width; part++, at += 4, to += 4) {
      let word = load<u32>(now + at);
      clamped += <u32>(word > max);
      word = min(word, max);
      change |= word ^ load<u32>(canonical + at);
      store<u32>(to, word);
      store<u32>(canonical + at, word);
    }
    mark(masks, row, change != 0, bit);
  }
  return clamped;
}

/**
 * Floats between bounds. At `axes` are four vectors: min, max, extent and steps of each number.
 * Returns how many were clamped.
 */
export function quantise(
  now: usize,
  rows: usize,
  count: u32,
  width: u32,
  axes: usize,
  tokens: usize,
  stride: u32,
  canonical: usize,
  masks: usize,
  bit: u32,
): i32 {
  if (width == 3) {
    return quantiseRows(now, rows, count, 3, axes, tokens, stride, canonical, masks, bit);
  }
  return quantiseRows(now, rows, count, width, axes, tokens, stride, canonical, masks, bit);
}

@inline
function quantiseRows(
  now: usize,
  rows: usize,
  count: u32,
  width: u32,
  axes: usize,
  tokens: usize,
  stride: u32,
  canonical: usize,
  masks: usize,
  bit: u32,
): i32 {
  const low = v128.load(axes);
  const high = v128.load(axes, 16);
  const extent = v128.load(axes, 32);
  const steps = v128.load(axes, 48);
  const one = f32x4.splat(1);
  const used: u32 = (1 << width) - 1;
  let clamped: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(rows + (i << 2));
    const at: usize = (row * width) << 2;
    const value = v128.load(now + at);
    const inside = v128.and(f32x4.ge(value, low), f32x4.le(value, high));
    let share = f32x4.div(f32x4.sub(value, low), extent);
    const outside = ~i32x4.bitmask(inside) & used;
    if (outside != 0) {
      if ((i32x4.bitmask(f32x4.ne(value, value)) & used) != 0) return -1;
      clamped += popcnt(outside);
      share = v128.bitselect(share, v128.and(one, f32x4.gt(value, low)), inside);
    }
    const token = rounded(f32x4.mul(share, steps));
    storeRow(tokens + row * stride, width, token);
    const place = f32x4.div(f32x4.convert_i32x4_s(token), steps);
    const shown = f32x4.add(low, f32x4.mul(place, extent));
    const before = v128.load(canonical + at);
    mark(masks, row, (i32x4.bitmask(i32x4.ne(before, shown)) & used) != 0, bit);
    storeRow(canonical + at, width, shown);
  }
  return clamped;
}

@inline
function storeDirection(at: usize, shown: v128, row: u32, masks: usize, bit: u32): void {
  // The fourth number is not of this row: both have 0 there.
  const before = v128.load_lane<u32>(at, v128.load_zero<u64>(at), 2, 8);
  mark(masks, row, v128.any_true(v128.xor(before, shown)), bit);
  storeRow(at, 3, shown);
}

/** Directions, four at a time. `rim`: of two tokens for one direction, one is kept. */
export function octahedral(
  now: usize,
  rows: usize,
  count: u32,
  bits: u32,
  rim: u32,
  tokens: usize,
  stride: u32,
  canonical: usize,
  masks: usize,
  bit: u32,
): i32 {
  const whole: u32 = (1 << (bits - 1)) - 1;
  const scale = f32x4.splat(<f32>whole);
  const wholes = i32x4.splat(whole);
  const tokenBits = i32x4.splat((1 << bits) - 1);
  const one = f32x4.splat(1);
  const zero = f32x4.splat(0);
  const infinity = f32x4.splat(Infinity);
  const signBit = i32x4.splat(0x80000000);
  const keeps = i32x4.splat(rim != 0 ? -1 : 0);
  for (let i: u32 = 0; i < count; i += 4) {
    const last = count - 1;
    const r0 = load<u32>(rows + (i << 2));
    const r1 = load<u32>(rows + (min(i + 1, last) << 2));
    const r2 = load<u32>(rows + (min(i + 2, last) << 2));
    const r3 = load<u32>(rows + (min(i + 3, last) << 2));
    const p0 = v128.load(now + r0 * 12);
    const p1 = v128.load(now + r1 * 12);
    const p2 = v128.load(now + r2 * 12);
    const p3 = v128.load(now + r3 * 12);
    const p01 = zipLow(p0, p1);
    const p23 = zipLow(p2, p3);
    const givenX = firstHalves(p01, p23);
    const givenY = secondHalves(p01, p23);
    const givenZ = firstHalves(zipHigh(p0, p1), zipHigh(p2, p3));
    let x = f32x4.abs(givenX);
    let y = f32x4.abs(givenY);
    let z = f32x4.abs(givenZ);
    let square = f32x4.add(f32x4.mul(x, x), f32x4.mul(y, y));
    square = f32x4.add(square, f32x4.mul(z, z));
    const usual = v128.and(f32x4.gt(square, zero), f32x4.lt(square, infinity));
    if (!i32x4.all_true(usual)) return -1;
    let length = f32x4.sqrt(square);
    x = f32x4.div(x, length);
    y = f32x4.div(y, length);
    z = f32x4.div(z, length);
    const inverse = f32x4.div(one, f32x4.add(f32x4.add(x, y), z));
    x = f32x4.mul(x, inverse);
    y = f32x4.mul(y, inverse);
    const down = f32x4.lt(givenZ, zero);
    const foldedX = v128.bitselect(f32x4.sub(one, y), x, down);
    const foldedY = v128.bitselect(f32x4.sub(one, x), y, down);
    let u = rounded(f32x4.mul(foldedX, scale));
    let v = rounded(f32x4.mul(foldedY, scale));
    let signX = f32x4.lt(givenX, zero);
    let signY = f32x4.lt(givenY, zero);
    const rimU = v128.and(i32x4.eq(u, wholes), keeps);
    const rimV = v128.and(i32x4.eq(v, wholes), keeps);
    signY = v128.andnot(signY, rimU);
    signX = v128.andnot(signX, rimV);
    const signedU = i32x4.sub(v128.xor(u, signX), signX);
    const signedV = i32x4.sub(v128.xor(v, signY), signY);
    const tokenU = v128.and(signedU, tokenBits);
    const tokenV = v128.and(signedV, tokenBits);

    // Back again. A 0 has no sign in a token.
    signX = i32x4.shr_s(signedU, 31);
    signY = i32x4.shr_s(signedV, 31);
    x = f32x4.div(f32x4.convert_i32x4_s(u), scale);
    y = f32x4.div(f32x4.convert_i32x4_s(v), scale);
    z = f32x4.sub(f32x4.sub(one, x), y);
    const sum = i32x4.add(u, v);
    const border = i32x4.eq(sum, wholes);
    const below = v128.bitselect(f32x4.lt(z, zero), i32x4.gt_s(sum, wholes), border);
    const sizeX = v128.bitselect(f32x4.sub(one, y), x, below);
    const sizeY = v128.bitselect(f32x4.sub(one, x), y, below);
    square = f32x4.add(f32x4.mul(sizeX, sizeX), f32x4.mul(sizeY, sizeY));
    length = f32x4.sqrt(f32x4.add(square, f32x4.mul(z, z)));
    x = f32x4.div(v128.xor(sizeX, v128.and(signX, signBit)), length);
    y = f32x4.div(v128.xor(sizeY, v128.and(signY, signBit)), length);
    z = f32x4.div(z, length);
    const xy01 = zipLow(x, y);
    const xy23 = zipHigh(x, y);
    const z01 = zipLow(z, zero);
    const z23 = zipHigh(z, zero);
    const q0 = firstHalves(xy01, z01);
    const q1 = secondHalves(xy01, z01);
    const q2 = firstHalves(xy23, z23);
    const q3 = secondHalves(xy23, z23);
    const uv01 = zipLow(tokenU, tokenV);
    const uv23 = zipHigh(tokenU, tokenV);
    v128.store_lane<u64>(tokens + r0 * stride, uv01, 0);
    v128.store_lane<u64>(tokens + r1 * stride, uv01, 1);
    v128.store_lane<u64>(tokens + r2 * stride, uv23, 0);
    v128.store_lane<u64>(tokens + r3 * stride, uv23, 1);
    storeDirection(canonical + r0 * 12, q0, r0, masks, bit);
    storeDirection(canonical + r1 * 12, q1, r1, masks, bit);
    storeDirection(canonical + r2 * 12, q2, r2, masks, bit);
    storeDirection(canonical + r3 * 12, q3, r3, masks, bit);
  }
  return 0;
}

/** Writes packed records of the reference: an id, and 8, 16 16 16, 16 16 and 8 bits. */
export function pack(rows: usize, count: u32, ids: usize, tokens: usize, out: usize): void {
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(rows + (i << 2));
    const at: usize = tokens + row * 28;
    const first = v128.load(at);
    const rest = v128.load(at, 16);
    const id = v128.load_zero<u32>(ids + (row << 2));
    const body = v128.shuffle<u8>(
      first, rest, 0, 0, 0, 0, 0, 5, 4, 9, 8, 13, 12, 17, 16, 21, 20, 24,
    );
    const record = v128.shuffle<u8>(
      id, body, 3, 2, 1, 0, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    );
    v128.store(out + (i << 4), record);
  }
}

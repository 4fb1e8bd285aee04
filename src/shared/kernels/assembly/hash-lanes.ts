import {
  HASH_F32,
  HASH_F64,
  HASH_FACTOR_A,
  HASH_FACTOR_B,
  HASH_SHIFT_A,
  HASH_SHIFT_B,
  HASH_START_A,
  HASH_START_B,
} from '../parameters';
import { HASH_LANES, HASH_CLEAN } from './hash-room';

/*
 * Sixteen lanes that take in words, 32 at a time. Both ways have a loop each: what would be passed
 * to a shared one are vectors that have to stay in registers.
 */

/** Bytes that each lane takes two words of. */
export const STRIPE: u32 = 128;

@inline
function mixA(p: v128, q: v128): v128 {
  return i32x4.mul(v128.xor(p, i32x4.shr_u(q, HASH_SHIFT_A)), i32x4.splat(HASH_FACTOR_A));
}

@inline
function mixB(q: v128, p: v128): v128 {
  return i32x4.mul(v128.xor(q, i32x4.shr_u(p, HASH_SHIFT_B)), i32x4.splat(HASH_FACTOR_B));
}

/** Takes in whole stripes; returns how many of their numbers are NaN. */
export function fold(lanes: usize, at: usize, stripes: u32, kind: u32): u32 {
  if (kind == HASH_F32) return foldF32(lanes, at, stripes);
  if (kind == HASH_F64) return foldF64(lanes, at, stripes);
  foldBits(lanes, at, stripes);
  return 0;
}

/** Brings the lanes to where they begin. */
export function start(lanes: usize): void {
  let lane = i32x4(1, 2, 3, 4);
  for (let at: u32 = 0; at < 64; at += 16) {
    v128.store(lanes + at, i32x4.mul(lane, i32x4.splat(HASH_START_A)));
    v128.store(lanes + at, i32x4.mul(lane, i32x4.splat(HASH_START_B)), 64);
    lane = i32x4.add(lane, i32x4.splat(4));
  }
}

/** Takes in whole stripes as they are. */
export function foldBits(lanes: usize, at: usize, stripes: u32): void {
  let a0 = v128.load(lanes);
  let a1 = v128.load(lanes, 16);
  let a2 = v128.load(lanes, 32);
  let a3 = v128.load(lanes, 48);
  let b0 = v128.load(lanes, 64);
  let b1 = v128.load(lanes, 80);
  let b2 = v128.load(lanes, 96);
  let b3 = v128.load(lanes, 112);
  for (; stripes > 0; stripes--) {
    const p0 = i32x4.add(a0, v128.load(at));
    const q0 = v128.xor(b0, v128.load(at, 64));
    const m0 = mixA(p0, q0);
    b0 = i32x4.add(m0, mixB(q0, p0));
    a0 = i32x4.add(m0, b0);
    const p1 = i32x4.add(a1, v128.load(at, 16));
    const q1 = v128.xor(b1, v128.load(at, 80));
    const m1 = mixA(p1, q1);
    b1 = i32x4.add(m1, mixB(q1, p1));
    a1 = i32x4.add(m1, b1);
    const p2 = i32x4.add(a2, v128.load(at, 32));
    const q2 = v128.xor(b2, v128.load(at, 96));
    const m2 = mixA(p2, q2);
    b2 = i32x4.add(m2, mixB(q2, p2));
    a2 = i32x4.add(m2, b2);
    const p3 = i32x4.add(a3, v128.load(at, 48));
    const q3 = v128.xor(b3, v128.load(at, 112));
    const m3 = mixA(p3, q3);
    b3 = i32x4.add(m3, mixB(q3, p3));
    a3 = i32x4.add(m3, b3);
    at += STRIPE;
  }
  v128.store(lanes, a0);
  v128.store(lanes, a1, 16);
  v128.store(lanes, a2, 32);
  v128.store(lanes, a3, 48);
  v128.store(lanes, b0, 64);
  v128.store(lanes, b1, 80);
  v128.store(lanes, b2, 96);
  v128.store(lanes, b3, 112);
}

/**
 * Adding 0 makes 0 of -0 and leaves any other number as it is. A NaN makes NaN of the sum, and so
 * may infinities: then it all begins again.
 */
function foldF32(lanes: usize, begin: usize, stripes: u32): u32 {
  let a0 = v128.load(lanes);
  let a1 = v128.load(lanes, 16);
  let a2 = v128.load(lanes, 32);
  let a3 = v128.load(lanes, 48);
  let b0 = v128.load(lanes, 64);
  let b1 = v128.load(lanes, 80);
  let b2 = v128.load(lanes, 96);
  let b3 = v128.load(lanes, 112);
  const zero = f32x4.splat(0);
  let sum = zero;
  let at = begin;
  for (let stripe: u32 = 0; stripe < stripes; stripe++) {
    const v0 = f32x4.add(v128.load(at), zero);
    sum = f32x4.add(sum, v0);
    const w0 = f32x4.add(v128.load(at, 64), zero);
    sum = f32x4.add(sum, w0);
    const p0 = i32x4.add(a0, v0);
    const q0 = v128.xor(b0, w0);
    const m0 = mixA(p0, q0);
    b0 = i32x4.add(m0, mixB(q0, p0));
    a0 = i32x4.add(m0, b0);
    const v1 = f32x4.add(v128.load(at, 16), zero);
    sum = f32x4.add(sum, v1);
    const w1 = f32x4.add(v128.load(at, 80), zero);
    sum = f32x4.add(sum, w1);
    const p1 = i32x4.add(a1, v1);
    const q1 = v128.xor(b1, w1);
    const m1 = mixA(p1, q1);
    b1 = i32x4.add(m1, mixB(q1, p1));
    a1 = i32x4.add(m1, b1);
    const v2 = f32x4.add(v128.load(at, 32), zero);
    sum = f32x4.add(sum, v2);
    const w2 = f32x4.add(v128.load(at, 96), zero);
    sum = f32x4.add(sum, w2);
    const p2 = i32x4.add(a2, v2);
    const q2 = v128.xor(b2, w2);
    const m2 = mixA(p2, q2);
    b2 = i32x4.add(m2, mixB(q2, p2));
    a2 = i32x4.add(m2, b2);
    const v3 = f32x4.add(v128.load(at, 48), zero);
    sum = f32x4.add(sum, v3);
    const w3 = f32x4.add(v128.load(at, 112), zero);
    sum = f32x4.add(sum, w3);
    const p3 = i32x4.add(a3, v3);
    const q3 = v128.xor(b3, w3);
    const m3 = mixA(p3, q3);
    b3 = i32x4.add(m3, mixB(q3, p3));
    a3 = i32x4.add(m3, b3);
    at += STRIPE;
  }
  if (v128.any_true(f32x4.ne(sum, sum))) return foldNanF32(lanes, begin, stripes);
  v128.store(lanes, a0);
  v128.store(lanes, a1, 16);
  v128.store(lanes, a2, 32);
  v128.store(lanes, a3, 48);
  v128.store(lanes, b0, 64);
  v128.store(lanes, b1, 80);
  v128.store(lanes, b2, 96);
  v128.store(lanes, b3, 112);
  return 0;
}

/** The same, with every NaN as one; returns how many there are. */
function foldNanF32(lanes: usize, at: usize, stripes: u32): u32 {
  const clean: usize = lanes + ((HASH_CLEAN - HASH_LANES) << 2);
  let count = i32x4.splat(0);
  for (; stripes > 0; stripes--) {
    for (let i: u32 = 0; i < STRIPE; i += 16) {
      const w = v128.load(at + i);
      const isNan = f32x4.ne(w, w);
      const number = f32x4.add(w, f32x4.splat(0));
      v128.store(clean + i, v128.bitselect(i32x4.splat(0x7fc00000), number, isNan));
      count = i32x4.sub(count, isNan);
    }
    foldBits(lanes, clean, 1);
    at += STRIPE;
  }
  return (
    i32x4.extract_lane(count, 0) +
    i32x4.extract_lane(count, 1) +
    i32x4.extract_lane(count, 2) +
    i32x4.extract_lane(count, 3)
  );
}

function foldF64(lanes: usize, begin: usize, stripes: u32): u32 {
  let a0 = v128.load(lanes);
  let a1 = v128.load(lanes, 16);
  let a2 = v128.load(lanes, 32);
  let a3 = v128.load(lanes, 48);
  let b0 = v128.load(lanes, 64);
  let b1 = v128.load(lanes, 80);
  let b2 = v128.load(lanes, 96);
  let b3 = v128.load(lanes, 112);
  const zero = f64x2.splat(0);
  let sum = zero;
  let at = begin;
  for (let stripe: u32 = 0; stripe < stripes; stripe++) {
    const v0 = f64x2.add(v128.load(at), zero);
    sum = f64x2.add(sum, v0);
    const w0 = f64x2.add(v128.load(at, 64), zero);
    sum = f64x2.add(sum, w0);
    const p0 = i32x4.add(a0, v0);
    const q0 = v128.xor(b0, w0);
    const m0 = mixA(p0, q0);
    b0 = i32x4.add(m0, mixB(q0, p0));
    a0 = i32x4.add(m0, b0);
    const v1 = f64x2.add(v128.load(at, 16), zero);
    sum = f64x2.add(sum, v1);
    const w1 = f64x2.add(v128.load(at, 80), zero);
    sum = f64x2.add(sum, w1);
    const p1 = i32x4.add(a1, v1);
    const q1 = v128.xor(b1, w1);
    const m1 = mixA(p1, q1);
    b1 = i32x4.add(m1, mixB(q1, p1));
    a1 = i32x4.add(m1, b1);
    const v2 = f64x2.add(v128.load(at, 32), zero);
    sum = f64x2.add(sum, v2);
    const w2 = f64x2.add(v128.load(at, 96), zero);
    sum = f64x2.add(sum, w2);
    const p2 = i32x4.add(a2, v2);
    const q2 = v128.xor(b2, w2);
    const m2 = mixA(p2, q2);
    b2 = i32x4.add(m2, mixB(q2, p2));
    a2 = i32x4.add(m2, b2);
    const v3 = f64x2.add(v128.load(at, 48), zero);
    sum = f64x2.add(sum, v3);
    const w3 = f64x2.add(v128.load(at, 112), zero);
    sum = f64x2.add(sum, w3);
    const p3 = i32x4.add(a3, v3);
    const q3 = v128.xor(b3, w3);
    const m3 = mixA(p3, q3);
    b3 = i32x4.add(m3, mixB(q3, p3));
    a3 = i32x4.add(m3, b3);
    at += STRIPE;
  }
  if (v128.any_true(f64x2.ne(sum, sum))) return foldNanF64(lanes, begin, stripes);
  v128.store(lanes, a0);
  v128.store(lanes, a1, 16);
  v128.store(lanes, a2, 32);
  v128.store(lanes, a3, 48);
  v128.store(lanes, b0, 64);
  v128.store(lanes, b1, 80);
  v128.store(lanes, b2, 96);
  v128.store(lanes, b3, 112);
  return 0;
}

/** The same, with every NaN as one; returns how many there are. */
function foldNanF64(lanes: usize, at: usize, stripes: u32): u32 {
  const clean: usize = lanes + ((HASH_CLEAN - HASH_LANES) << 2);
  let count = i64x2.splat(0);
  for (; stripes > 0; stripes--) {
    for (let i: u32 = 0; i < STRIPE; i += 16) {
      const w = v128.load(at + i);
      const isNan = f64x2.ne(w, w);
      const number = f64x2.add(w, f64x2.splat(0));
      v128.store(clean + i, v128.bitselect(i64x2.splat(0x7ff8000000000000), number, isNan));
      count = i64x2.sub(count, isNan);
    }
    foldBits(lanes, clean, 1);
    at += STRIPE;
  }
  return <u32>(i64x2.extract_lane(count, 0) + i64x2.extract_lane(count, 1));
}

/** Brings the lanes down to the hash of the block: its upper word, then its lower one. */
export function finish(lanes: usize, out: usize): void {
  let a = i32x4.splat(0);
  let b = i32x4.splat(0);
  for (let at: u32 = 0; at < 64; at += 16) {
    const p = i32x4.add(a, spreadLanes(v128.load(lanes + at)));
    const q = v128.xor(b, spreadLanes(v128.load(lanes + at, 64)));
    const mixed = mixA(p, q);
    b = i32x4.add(mixed, mixB(q, p));
    a = i32x4.add(mixed, b);
  }
  v128.store(lanes, a);
  v128.store(lanes, b, 64);
  let high: u32 = HASH_START_A;
  let low: u32 = HASH_START_B;
  for (let at: u32 = 0; at < 16; at += 4) {
    const p = high + load<u32>(lanes + at);
    const q = low ^ load<u32>(lanes + at, 64);
    const mixed = (p ^ (q >>> HASH_SHIFT_A)) * HASH_FACTOR_A;
    low = mixed + (q ^ (p >>> HASH_SHIFT_B)) * HASH_FACTOR_B;
    high = mixed + low;
  }
  high = spread(high + low * HASH_FACTOR_A);
  low = spread(low + high);
  store<u32>(out, high + low);
  store<u32>(out, low, 4);
}

@inline
function spreadLanes(lanes: v128): v128 {
  let h = v128.xor(lanes, i32x4.shr_u(lanes, 16));
  h = i32x4.mul(h, i32x4.splat(0x85ebca6b));
  h = v128.xor(h, i32x4.shr_u(h, 13));
  h = i32x4.mul(h, i32x4.splat(0xc2b2ae35));
  return v128.xor(h, i32x4.shr_u(h, 16));
}

/** Spreads every bit of a word over all of them (the finaliser of MurmurHash3_x86_32). */
@inline
function spread(value: u32): u32 {
  let h = value ^ (value >>> 16);
  h *= 0x85ebca6b;
  h ^= h >>> 13;
  h *= 0xc2b2ae35;
  return h ^ (h >>> 16);
}

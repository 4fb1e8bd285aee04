/*
 * Blends of numbers that have nothing to do with each other: runs of f32 or of Q16.16 that lie one
 * after another, four at a time. Every operation rounds as its twin in src/render/blend.ts does.
 */

/** a + (b - a) * t, in f32. */
@inline
function lerp4(a: v128, b: v128, t: v128): v128 {
  return f32x4.add(a, f32x4.mul(f32x4.sub(b, a), t));
}

/** Blends `count` f32 linearly. */
export function lerpRun(a: usize, b: usize, out: usize, count: i32, t: f32): void {
  const t4 = f32x4.splat(t);
  for (; count >= 16; count -= 16) {
    v128.store(out, lerp4(v128.load(a), v128.load(b), t4));
    v128.store(out, lerp4(v128.load(a, 16), v128.load(b, 16), t4), 16);
    v128.store(out, lerp4(v128.load(a, 32), v128.load(b, 32), t4), 32);
    v128.store(out, lerp4(v128.load(a, 48), v128.load(b, 48), t4), 48);
    a += 64;
    b += 64;
    out += 64;
  }
  for (; count > 0; count -= 4) {
    storePart(out, lerp4(loadPart(a, count), loadPart(b, count), t4), count);
    a += 16;
    b += 16;
    out += 16;
  }
}

/** Blends `count` angles, f32, the shortest way around. */
export function angleRun(
  a: usize,
  b: usize,
  out: usize,
  count: i32,
  alpha: f64,
  period: f64,
): void {
  const alpha2 = f64x2.splat(alpha);
  const period2 = f64x2.splat(period);
  for (; count > 0; count -= 4) {
    const a4 = loadPart(a, count);
    const b4 = loadPart(b, count);
    const low = angle2(
      f64x2.promote_low_f32x4(a4),
      f64x2.promote_low_f32x4(b4),
      alpha2,
      period2,
    );
    const high = angle2(
      f64x2.promote_low_f32x4(upper(a4)),
      f64x2.promote_low_f32x4(upper(b4)),
      alpha2,
      period2,
    );
    storePart(out, join(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high)), count);
    a += 16;
    b += 16;
    out += 16;
  }
}

@inline
function angle2(a: v128, b: v128, alpha: v128, period: v128): v128 {
  const way = f64x2.sub(b, a);
  const turns = f64x2.floor(f64x2.add(f64x2.div(way, period), f64x2.splat(0.5)));
  const shortest = f64x2.sub(way, f64x2.mul(period, turns));
  const angle = f64x2.add(a, f64x2.mul(shortest, alpha));
  const whole = f64x2.floor(f64x2.div(angle, period));
  const wrapped = f64x2.sub(angle, f64x2.mul(period, whole));
  const below = f64x2.lt(wrapped, f64x2.splat(0));
  return v128.andnot(wrapped, v128.or(below, f64x2.ge(wrapped, period)));
}

/** Blends `count` Q16.16; `t` is raw, from 0 to 65536. */
export function fixedRun(a: usize, b: usize, out: usize, count: i32, t: f64): void {
  const t2 = f64x2.splat(t);
  for (; count > 0; count -= 4) {
    const a4 = loadPart(a, count);
    const b4 = loadPart(b, count);
    const low = fixed2(f64x2.convert_low_i32x4_s(a4), f64x2.convert_low_i32x4_s(b4), t2);
    const high = fixed2(
      f64x2.convert_low_i32x4_s(upper(a4)),
      f64x2.convert_low_i32x4_s(upper(b4)),
      t2,
    );
    // Whole numbers, so that cutting only saturates.
    const low4 = i32x4.trunc_sat_f64x2_s_zero(low);
    storePart(out, join(low4, i32x4.trunc_sat_f64x2_s_zero(high)), count);
    a += 16;
    b += 16;
    out += 16;
  }
}

/** 1.5 * 2^52: adding it and taking it away rounds to a whole number, ties to even. */
const ROUNDER: f64 = 6755399441055744;

@inline
function fixed2(a: v128, b: v128, t: v128): v128 {
  // A power of two: multiplying is dividing.
  const way = f64x2.mul(f64x2.mul(f64x2.sub(b, a), t), f64x2.splat(1.0 / 65536));
  const rounder = f64x2.splat(ROUNDER);
  return f64x2.add(a, f64x2.sub(f64x2.add(way, rounder), rounder));
}

/** The upper two lanes, as the lower ones. */
@inline
function upper(vector: v128): v128 {
  return i64x2.shuffle(vector, vector, 1, 1);
}

@inline
function join(low: v128, high: v128): v128 {
  return i64x2.shuffle(low, high, 0, 2);
}

/** Loads four numbers, or as many as there are. */
@inline
function loadPart(at: usize, count: i32): v128 {
  if (count >= 4) return v128.load(at);
  if (count == 1) return v128.load_zero<u32>(at);
  const two = v128.load_zero<u64>(at);
  return count == 2 ? two : v128.load_lane<u32>(at, two, 2, 8);
}

/** Stores four numbers, or as many as there are. */
@inline
function storePart(at: usize, vector: v128, count: i32): void {
  if (count >= 4) {
    v128.store(at, vector);
  } else if (count == 1) {
    v128.store_lane<u32>(at, vector, 0);
  } else {
    v128.store_lane<u64>(at, vector, 0);
    if (count == 3) v128.store_lane<u32>(at, vector, 2, 8);
  }
}

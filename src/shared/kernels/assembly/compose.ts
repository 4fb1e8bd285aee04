import {
  COMPOSE_COUNT,
  COMPOSE_ORIENTATION,
  COMPOSE_OUT,
  COMPOSE_POSITION,
  COMPOSE_POSITION_WIDTH,
  COMPOSE_QUARTERS,
  COMPOSE_ROWS,
  COMPOSE_SCALE,
  COMPOSE_SCALE_WIDTH,
  COMPOSE_TURN,
  TURN_ANGLE,
  TURN_QUATERNION,
} from '../parameters';
import {
  COSINE_1,
  COSINE_2,
  COSINE_3,
  COSINE_4,
  SINE_0,
  SINE_1,
  SINE_2,
  SINE_3,
} from '../coefficients';
import { firstHalves, loadRow, secondHalves, zipHigh, zipLow } from './lanes';

/*
 * Matrices from position, orientation and scale, four at a time, one in each lane, until they are
 * stored. Every operation rounds as its twin in src/shared/kernels/compose.ts does.
 */

@inline
function word(block: usize, index: u32): u32 {
  return load<u32>(block + (index << 2));
}

/** Writes 16 f32 a row, column by column; see the words of a composition in `parameters.ts`. */
export function compose(block: usize): void {
  const position: usize = word(block, COMPOSE_POSITION);
  const positionWidth = word(block, COMPOSE_POSITION_WIDTH);
  const orientation: usize = word(block, COMPOSE_ORIENTATION);
  const turn = word(block, COMPOSE_TURN);
  const scale: usize = word(block, COMPOSE_SCALE);
  const scaleWidth = word(block, COMPOSE_SCALE_WIDTH);
  const rows: usize = word(block, COMPOSE_ROWS);
  const quarters = f64x2.splat(load<f64>(block + (COMPOSE_QUARTERS << 2)));
  const zero = f32x4.splat(0);
  const one = f32x4.splat(1);
  let out: usize = word(block, COMPOSE_OUT);
  const count: u32 = word(block, COMPOSE_COUNT);
  for (let row: u32 = 0; row < count; row += 4) {
    // At the end the first row fills the lanes that are left; it is stored again.
    const left = count - row;
    const k1: u32 = left > 1 ? 1 : 0;
    const k2: u32 = left > 2 ? 2 : 0;
    const k3: u32 = left > 3 ? 3 : 0;
    let i0 = row;
    let i1 = row + k1;
    let i2 = row + k2;
    let i3 = row + k3;
    if (rows != 0) {
      i0 = load<u32>(rows + (i0 << 2));
      i1 = load<u32>(rows + (i1 << 2));
      i2 = load<u32>(rows + (i2 << 2));
      i3 = load<u32>(rows + (i3 << 2));
    }
    let m00 = one;
    let m10 = zero;
    let m20 = zero;
    let m01 = zero;
    let m11 = one;
    let m21 = zero;
    let m02 = zero;
    let m12 = zero;
    let m22 = one;
    if (turn == TURN_QUATERNION) {
      const q0 = v128.load(orientation + (i0 << 4));
      const q1 = v128.load(orientation + (i1 << 4));
      const q2 = v128.load(orientation + (i2 << 4));
      const q3 = v128.load(orientation + (i3 << 4));
      const q01 = zipLow(q0, q1);
      const q23 = zipLow(q2, q3);
      const x = firstHalves(q01, q23);
      const y = secondHalves(q01, q23);
      const q45 = zipHigh(q0, q1);
      const q67 = zipHigh(q2, q3);
      const z = firstHalves(q45, q67);
      const w = secondHalves(q45, q67);
      const x2 = f32x4.add(x, x);
      const y2 = f32x4.add(y, y);
      const z2 = f32x4.add(z, z);
      const xx = f32x4.mul(x, x2);
      const yy = f32x4.mul(y, y2);
      const zz = f32x4.mul(z, z2);
      const xy = f32x4.mul(x, y2);
      const xz = f32x4.mul(x, z2);
      const yz = f32x4.mul(y, z2);
      const wx = f32x4.mul(w, x2);
      const wy = f32x4.mul(w, y2);
      const wz = f32x4.mul(w, z2);
      m00 = f32x4.sub(one, f32x4.add(yy, zz));
      m10 = f32x4.add(xy, wz);
      m20 = f32x4.sub(xz, wy);
      m01 = f32x4.sub(xy, wz);
      m11 = f32x4.sub(one, f32x4.add(xx, zz));
      m21 = f32x4.add(yz, wx);
      m02 = f32x4.add(xz, wy);
      m12 = f32x4.sub(yz, wx);
      m22 = f32x4.sub(one, f32x4.add(xx, yy));
    } else if (turn == TURN_ANGLE) {
      let angle = v128.load_zero<u32>(orientation + (i0 << 2));
      angle = v128.load_lane<u32>(orientation + (i1 << 2), angle, 1);
      angle = v128.load_lane<u32>(orientation + (i2 << 2), angle, 2);
      angle = v128.load_lane<u32>(orientation + (i3 << 2), angle, 3);
      const low = f64x2.mul(f64x2.promote_low_f32x4(angle), quarters);
      const high = f64x2.mul(f64x2.promote_low_f32x4(secondHalves(angle, angle)), quarters);
      const wholeLow = f64x2.floor(f64x2.add(low, f64x2.splat(0.5)));
      const wholeHigh = f64x2.floor(f64x2.add(high, f64x2.splat(0.5)));
      const f = firstHalves(
        f32x4.demote_f64x2_zero(f64x2.sub(low, wholeLow)),
        f32x4.demote_f64x2_zero(f64x2.sub(high, wholeHigh)),
      );
      const quarter = firstHalves(quarterOf(wholeLow), quarterOf(wholeHigh));
      const v = f32x4.mul(f, f);
      const sine = f32x4.mul(f, sineOverF(v));
      const cosine = cosineOf(v);
      const odd = i32x4.shr_s(i32x4.shl(quarter, 31), 31);
      const sineSign = i32x4.shl(i32x4.shr_u(quarter, 1), 31);
      const next = i32x4.add(quarter, i32x4.splat(1));
      const cosineSign = i32x4.shl(i32x4.shr_u(next, 1), 31);
      m00 = v128.xor(v128.bitselect(sine, cosine, odd), cosineSign);
      m10 = v128.xor(v128.bitselect(cosine, sine, odd), sineSign);
      m01 = f32x4.neg(m10);
      m11 = m00;
    }
    if (scaleWidth != 0) {
      const s0 = loadRow(scale, scaleWidth, i0);
      const s1 = loadRow(scale, scaleWidth, i1);
      const s2 = loadRow(scale, scaleWidth, i2);
      const s3 = loadRow(scale, scaleWidth, i3);
      const s01 = zipLow(s0, s1);
      const s23 = zipLow(s2, s3);
      const sx = firstHalves(s01, s23);
      const sy = secondHalves(s01, s23);
      m00 = f32x4.mul(m00, sx);
      m11 = f32x4.mul(m11, sy);
      if (turn != 0) {
        m10 = f32x4.mul(m10, sx);
        m01 = f32x4.mul(m01, sy);
      }
      if (scaleWidth != 2) {
        const sz = firstHalves(zipHigh(s0, s1), zipHigh(s2, s3));
        m22 = f32x4.mul(m22, sz);
        if (turn == TURN_QUATERNION) {
          m02 = f32x4.mul(m02, sz);
          m12 = f32x4.mul(m12, sz);
        }
      }
      if (turn == TURN_QUATERNION) {
        m20 = f32x4.mul(m20, sx);
        m21 = f32x4.mul(m21, sy);
      }
    }
    const o1 = out + (k1 << 6);
    const o2 = out + (k2 << 6);
    const o3 = out + (k3 << 6);
    storeColumn(out, o1, o2, o3, m00, m10, m20, 0);
    storeColumn(out, o1, o2, o3, m01, m11, m21, 16);
    storeColumn(out, o1, o2, o3, m02, m12, m22, 32);
    v128.store(out, f32x4.replace_lane(loadRow(position, positionWidth, i0), 3, 1), 48);
    v128.store(o1, f32x4.replace_lane(loadRow(position, positionWidth, i1), 3, 1), 48);
    v128.store(o2, f32x4.replace_lane(loadRow(position, positionWidth, i2), 3, 1), 48);
    v128.store(o3, f32x4.replace_lane(loadRow(position, positionWidth, i3), 3, 1), 48);
    out += 256;
  }
}

/** Stores one column of four matrices, with 0 for its fourth number. */
@inline
function storeColumn(
  o0: usize,
  o1: usize,
  o2: usize,
  o3: usize,
  x: v128,
  y: v128,
  z: v128,
  offset: usize,
): void {
  const zero = f32x4.splat(0);
  const xyLow = zipLow(x, y);
  const z0Low = zipLow(z, zero);
  v128.store(o0 + offset, firstHalves(xyLow, z0Low));
  v128.store(o1 + offset, secondHalves(xyLow, z0Low));
  const xyHigh = zipHigh(x, y);
  const z0High = zipHigh(z, zero);
  v128.store(o2 + offset, firstHalves(xyHigh, z0High));
  v128.store(o3 + offset, secondHalves(xyHigh, z0High));
}

/** Whole quarter turns modulo 4, as integers in the lower lanes. */
@inline
function quarterOf(whole: v128): v128 {
  const turns = f64x2.floor(f64x2.mul(whole, f64x2.splat(0.25)));
  return i32x4.trunc_sat_f64x2_s_zero(f64x2.sub(whole, f64x2.mul(turns, f64x2.splat(4))));
}

/** r * x + c, rounded twice. */
@inline
function step(r: v128, x: v128, c: f32): v128 {
  return f32x4.add(f32x4.mul(r, x), f32x4.splat(c));
}

@inline
function sineOverF(v: v128): v128 {
  const r = step(f32x4.splat(<f32>SINE_3), v, <f32>SINE_2);
  return step(step(r, v, <f32>SINE_1), v, <f32>SINE_0);
}

@inline
function cosineOf(v: v128): v128 {
  let r = step(f32x4.splat(<f32>COSINE_4), v, <f32>COSINE_3);
  r = step(r, v, <f32>COSINE_2);
  r = step(r, v, <f32>COSINE_1);
  return step(r, v, 1);
}

import { firstHalves, secondHalves, zipHigh, zipLow } from './lanes';

/*
 * Blends of quaternions, four at a time, one in each lane. Every operation rounds as its twin in
 * src/render/blend-quaternion.ts does.
 */

/**
 * Blends `count` quaternions of four f32, along the arc or along its chord. `table` is the address
 * of `BLEND_TABLE` in `parameters.ts`: from there a number fills a vector in one step, while V8
 * makes a constant anew in every turn of the loop, in three.
 */
export function quaternionRun(
  a: usize,
  b: usize,
  out: usize,
  count: i32,
  table: usize,
  spherical: bool,
): void {
  for (; count > 0; count -= 4) {
    // At the end the first one fills the lanes that are left; it is stored again.
    const o1: usize = count > 1 ? 16 : 0;
    const o2: usize = count > 2 ? 32 : 0;
    const o3: usize = count > 3 ? 48 : 0;
    const a0 = v128.load(a);
    const a1 = v128.load(a + o1);
    const a2 = v128.load(a + o2);
    const a3 = v128.load(a + o3);
    const b0 = v128.load(b);
    const b1 = v128.load(b + o1);
    const b2 = v128.load(b + o2);
    const b3 = v128.load(b + o3);
    const a01 = zipLow(a0, a1);
    const a23 = zipLow(a2, a3);
    const ax = firstHalves(a01, a23);
    const ay = secondHalves(a01, a23);
    const a45 = zipHigh(a0, a1);
    const a67 = zipHigh(a2, a3);
    const az = firstHalves(a45, a67);
    const aw = secondHalves(a45, a67);
    const b01 = zipLow(b0, b1);
    const b23 = zipLow(b2, b3);
    const bx = firstHalves(b01, b23);
    const by = secondHalves(b01, b23);
    const b45 = zipHigh(b0, b1);
    const b67 = zipHigh(b2, b3);
    const bz = firstHalves(b45, b67);
    const bw = secondHalves(b45, b67);
    const dot = dot4(ax, ay, az, aw, bx, by, bz, bw);
    let wb = v128.load_splat<u32>(table);
    let wa = v128.load_splat<u32>(table, 4);
    if (spherical) {
      const one = f32x4.splat(1);
      const y = f32x4.sub(one, f32x4.pmin(one, f32x4.abs(dot)));
      const arc = f32x4.mul(y, arcOverY(table, y));
      wb = f32x4.mul(wb, sinc(table, f32x4.mul(v128.load_splat<u32>(table, 8), arc)));
      wa = f32x4.mul(wa, sinc(table, f32x4.mul(v128.load_splat<u32>(table, 12), arc)));
    }
    const sign = v128.and(f32x4.lt(dot, f32x4.splat(0)), i32x4.splat(<i32>0x80000000));
    wb = v128.xor(wb, sign);
    const x = f32x4.add(f32x4.mul(ax, wa), f32x4.mul(bx, wb));
    const y = f32x4.add(f32x4.mul(ay, wa), f32x4.mul(by, wb));
    const z = f32x4.add(f32x4.mul(az, wa), f32x4.mul(bz, wb));
    const w = f32x4.add(f32x4.mul(aw, wa), f32x4.mul(bw, wb));
    const scale = f32x4.div(f32x4.splat(1), f32x4.sqrt(dot4(x, y, z, w, x, y, z, w)));
    const xs = f32x4.mul(x, scale);
    const ys = f32x4.mul(y, scale);
    const zs = f32x4.mul(z, scale);
    const ws = f32x4.mul(w, scale);
    const xyLow = zipLow(xs, ys);
    const zwLow = zipLow(zs, ws);
    v128.store(out, firstHalves(xyLow, zwLow));
    v128.store(out + o1, secondHalves(xyLow, zwLow));
    const xyHigh = zipHigh(xs, ys);
    const zwHigh = zipHigh(zs, ws);
    v128.store(out + o2, firstHalves(xyHigh, zwHigh));
    v128.store(out + o3, secondHalves(xyHigh, zwHigh));
    a += 64;
    b += 64;
    out += 64;
  }
}

@inline
function dot4(
  ax: v128,
  ay: v128,
  az: v128,
  aw: v128,
  bx: v128,
  by: v128,
  bz: v128,
  bw: v128,
): v128 {
  const xy = f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by));
  return f32x4.add(f32x4.add(xy, f32x4.mul(az, bz)), f32x4.mul(aw, bw));
}

/** Summed in pairs: Horner's rule is one long chain, in which each step waits for the last. */
@inline
function arcOverY(table: usize, y: v128): v128 {
  const yy = f32x4.mul(y, y);
  const low = f32x4.add(
    f32x4.mul(v128.load_splat<u32>(table, 20), y),
    v128.load_splat<u32>(table, 16),
  );
  const middle = f32x4.add(
    f32x4.mul(v128.load_splat<u32>(table, 28), y),
    v128.load_splat<u32>(table, 24),
  );
  const high = f32x4.add(
    f32x4.mul(v128.load_splat<u32>(table, 36), y),
    v128.load_splat<u32>(table, 32),
  );
  let r = f32x4.add(f32x4.mul(v128.load_splat<u32>(table, 40), yy), high);
  r = f32x4.add(f32x4.mul(r, yy), middle);
  return f32x4.add(f32x4.mul(r, yy), low);
}

@inline
function sinc(table: usize, u: v128): v128 {
  const uu = f32x4.mul(u, u);
  const low = f32x4.add(f32x4.mul(v128.load_splat<u32>(table, 44), u), f32x4.splat(1));
  const high = f32x4.add(
    f32x4.mul(v128.load_splat<u32>(table, 52), u),
    v128.load_splat<u32>(table, 48),
  );
  const r = f32x4.add(f32x4.mul(v128.load_splat<u32>(table, 56), uu), high);
  return f32x4.add(f32x4.mul(r, uu), low);
}

import {
  CULL_BOUNDS,
  CULL_COUNT,
  CULL_FRUSTUM,
  CULL_OUT,
  CULL_POSITION,
  CULL_ROWS,
  CULL_WIDTH,
} from '../parameters';
import { firstHalves, loadRow, secondHalves, zipHigh, zipLow } from './lanes';

/*
 * Which rows lie inside, four at a time. Every operation rounds as its twin in
 * src/shared/kernels/cull.ts does.
 */

@inline
function word(block: usize, index: u32): u32 {
  return load<u32>(block + (index << 2));
}

@inline
function bound(block: usize, index: u32): v128 {
  return v128.load_splat<u32>(block + ((CULL_BOUNDS + index) << 2));
}

/** Lists the rows that lie inside and returns how many; see the words of a cull. */
export function cull(block: usize): u32 {
  const position: usize = word(block, CULL_POSITION);
  const width = word(block, CULL_WIDTH);
  const rows: usize = word(block, CULL_ROWS);
  const count = word(block, CULL_COUNT);
  const out: usize = word(block, CULL_OUT);
  const frustum = word(block, CULL_FRUSTUM) != 0;
  let kept: u32 = 0;
  for (let row: u32 = 0; row < count; row += 4) {
    const left = count - row;
    let i0 = row;
    let i1 = left > 1 ? row + 1 : row;
    let i2 = left > 2 ? row + 2 : row;
    let i3 = left > 3 ? row + 3 : row;
    if (rows != 0) {
      i0 = load<u32>(rows + (i0 << 2));
      i1 = load<u32>(rows + (i1 << 2));
      i2 = load<u32>(rows + (i2 << 2));
      i3 = load<u32>(rows + (i3 << 2));
    }
    const p0 = loadRow(position, width, i0);
    const p1 = loadRow(position, width, i1);
    const p2 = loadRow(position, width, i2);
    const p3 = loadRow(position, width, i3);
    const p01 = zipLow(p0, p1);
    const p23 = zipLow(p2, p3);
    const x = firstHalves(p01, p23);
    const y = secondHalves(p01, p23);
    const z = firstHalves(zipHigh(p0, p1), zipHigh(p2, p3));
    let inside: v128;
    if (frustum) {
      inside = i32x4.splat(-1);
      for (let plane: u32 = 0; plane < 24; plane += 4) {
        let d = f32x4.mul(x, bound(block, plane));
        d = f32x4.add(d, f32x4.mul(y, bound(block, plane + 1)));
        d = f32x4.add(d, f32x4.mul(z, bound(block, plane + 2)));
        d = f32x4.add(d, bound(block, plane + 3));
        inside = v128.and(inside, f32x4.ge(d, f32x4.splat(0)));
      }
    } else {
      inside = v128.and(f32x4.ge(x, bound(block, 0)), f32x4.ge(y, bound(block, 1)));
      inside = v128.and(inside, f32x4.le(x, bound(block, 2)));
      inside = v128.and(inside, f32x4.le(y, bound(block, 3)));
    }
    const bits: u32 = i32x4.bitmask(inside);
    // Each row is written and counted or written over: its place is never beyond its own row's.
    store<u32>(out + (kept << 2), i0);
    kept += bits & 1;
    if (left > 1) {
      store<u32>(out + (kept << 2), i1);
      kept += (bits >>> 1) & 1;
    }
    if (left > 2) {
      store<u32>(out + (kept << 2), i2);
      kept += (bits >>> 2) & 1;
    }
    if (left > 3) {
      store<u32>(out + (kept << 2), i3);
      kept += bits >>> 3;
    }
  }
  return kept;
}

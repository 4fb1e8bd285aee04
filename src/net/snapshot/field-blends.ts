import type { RowSources } from './row-sources.ts';

/*
 * Blends of one column. `out` holds the column of the later snapshot already; row r of it goes with
 * row `sources.rows[r]` of the earlier one, and stays where that is negative. A Float32Array holds
 * the shares of the earlier and the later: doubles handed from function to function would be boxed.
 */

/** Index of the share of the earlier snapshot: 1 - alpha, as f32. */
export const EARLIER = 0;
/** Index of the share of the later one: alpha, as f32. */
export const LATER = 1;

/** Up to here a turn and a half are exact in f32, and parts of a turn are rounded to it. */
const F32_TURN: number = 2 ** 23;

const { floor, fround, sqrt } = Math;

/** earlier * (1 - alpha) + later * alpha, each step rounded to f32. */
export function lerpFloats(
  earlier: Float32Array,
  out: Float32Array,
  width: number,
  sources: RowSources,
  shares: Float32Array,
): void {
  const a = shares[EARLIER] as number;
  const b = shares[LATER] as number;
  for (let row = 0; row < sources.count; row++) {
    const source = sources.rows[row] as number;
    if (source < 0) continue;
    let from = source * width;
    let to = row * width;
    for (let part = 0; part < width; part++, from++, to++)
      out[to] = fround(fround((earlier[from] as number) * a) + fround((out[to] as number) * b));
  }
}

/** The line between two whole numbers, in f64, rounded half away from zero. */
export function lerpWholes(
  earlier: Int32Array | Uint32Array,
  out: Int32Array | Uint32Array,
  width: number,
  sources: RowSources,
  shares: Float32Array,
): void {
  const b = shares[LATER] as number;
  for (let row = 0; row < sources.count; row++) {
    const source = sources.rows[row] as number;
    if (source < 0) continue;
    let from = source * width;
    let to = row * width;
    for (let part = 0; part < width; part++, from++, to++) {
      const start = earlier[from] as number;
      const value = start + ((out[to] as number) - start) * b;
      out[to] = value < 0 ? -floor(0.5 - value) : floor(value + 0.5);
    }
  }
}

/** The line between two directions, brought to length 1; the later one where they cancel out. */
export function blendDirections(
  earlier: Float32Array,
  out: Float32Array,
  width: number,
  sources: RowSources,
  shares: Float32Array,
): void {
  const a = shares[EARLIER] as number;
  const b = shares[LATER] as number;
  for (let row = 0; row < sources.count; row++) {
    const source = sources.rows[row] as number;
    if (source < 0) continue;
    const from = source * width;
    const to = row * width;
    let squares = 0;
    for (let part = 0; part < width; part++) {
      const value = fround(
        fround((earlier[from + part] as number) * a) + fround((out[to + part] as number) * b),
      );
      squares = fround(squares + fround(value * value));
    }
    const length = fround(sqrt(squares));
    if (length === 0) continue;
    for (let part = 0; part < width; part++) {
      const value = fround(
        fround((earlier[from + part] as number) * a) + fround((out[to + part] as number) * b),
      );
      out[to + part] = fround(value / length);
    }
  }
}

/**
 * The chord between two unit quaternions on the shorter way, brought to length 1. The earlier one
 * is turned about, so that the sign of the later one is kept. Up to a turn of 90 degrees between
 * the two, the angle is within 1 degree of that of the arc; up to 30 degrees within 0.04.
 */
export function blendRotations(
  earlier: Float32Array,
  out: Float32Array,
  sources: RowSources,
  shares: Float32Array,
): void {
  const a = shares[EARLIER] as number;
  const b = shares[LATER] as number;
  for (let row = 0; row < sources.count; row++) {
    const source = sources.rows[row] as number;
    if (source < 0) continue;
    const from = source * 4;
    const to = row * 4;
    let dot = 0;
    for (let part = 0; part < 4; part++)
      dot = fround(dot + fround((earlier[from + part] as number) * (out[to + part] as number)));
    const sign = dot < 0 ? -a : a;
    const x = fround(fround((earlier[from] as number) * sign) + fround((out[to] as number) * b));
    const y = fround(
      fround((earlier[from + 1] as number) * sign) + fround((out[to + 1] as number) * b),
    );
    const z = fround(
      fround((earlier[from + 2] as number) * sign) + fround((out[to + 2] as number) * b),
    );
    const w = fround(
      fround((earlier[from + 3] as number) * sign) + fround((out[to + 3] as number) * b),
    );
    const squaresXyz = fround(fround(fround(x * x) + fround(y * y)) + fround(z * z));
    const length = fround(sqrt(fround(squaresXyz + fround(w * w))));
    if (length === 0) continue;
    out[to] = fround(x / length);
    out[to + 1] = fround(y / length);
    out[to + 2] = fround(z / length);
    out[to + 3] = fround(w / length);
  }
}

/**
 * The shorter way round a circle of `turn` whole numbers; half a turn goes the negative way.
 * Rounded half away from zero before it is brought into [0, turn).
 */
export function turnWholes(
  earlier: Int32Array | Uint32Array,
  out: Int32Array | Uint32Array,
  width: number,
  turn: number,
  sources: RowSources,
  shares: Float32Array,
): void {
  const b = shares[LATER] as number;
  const half = turn / 2;
  for (let row = 0; row < sources.count; row++) {
    const source = sources.rows[row] as number;
    if (source < 0) continue;
    let from = source * width;
    let to = row * width;
    for (let part = 0; part < width; part++, from++, to++) {
      const start = earlier[from] as number;
      const way = wrap((out[to] as number) - start + half, turn) - half;
      const value = turn <= F32_TURN ? fround(start + fround(way * b)) : start + way * b;
      out[to] = wrap(value < 0 ? -floor(0.5 - value) : floor(value + 0.5), turn);
    }
  }
}

/**
 * The shorter way between two angles, half a turn the negative way: what is left of it is taken off
 * the later angle. So the result is that one at the end, and before it may lie outside of the range
 * of the field by up to half a turn.
 */
export function turnFloats(
  earlier: Float32Array,
  out: Float32Array,
  width: number,
  turn: number,
  sources: RowSources,
  shares: Float32Array,
): void {
  const a = shares[EARLIER] as number;
  for (let row = 0; row < sources.count; row++) {
    const source = sources.rows[row] as number;
    if (source < 0) continue;
    let from = source * width;
    let to = row * width;
    for (let part = 0; part < width; part++, from++, to++) {
      const end = out[to] as number;
      const apart = end - (earlier[from] as number);
      const way = apart - turn * floor(apart / turn + 0.5);
      out[to] = fround(end - fround(fround(way) * a));
    }
  }
}

/** Brings a number into [0, turn). */
function wrap(value: number, turn: number): number {
  return value - turn * floor(value / turn);
}

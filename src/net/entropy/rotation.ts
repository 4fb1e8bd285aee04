/**
 * Orientations in smallest-three tokens as unit quaternions (x, y, z, w) and back, with sums,
 * products, quotients and roots only, so that every engine gets the same bits. A turn is the vector
 * part of a rotation in the frame of the world: the axis times the sine of half the angle.
 */

/** Writes the quaternion of four tokens of which the last three are at most `most`. */
export function unpackQuaternion(
  largest: number,
  a: number,
  b: number,
  c: number,
  most: number,
  out: Float64Array,
): void {
  const scale = (2 * Math.SQRT1_2) / most;
  const p = a * scale - Math.SQRT1_2;
  const q = b * scale - Math.SQRT1_2;
  const r = c * scale - Math.SQRT1_2;
  const rest = 1 - p * p - q * q - r * r;
  out[largest === 0 ? 1 : 0] = p;
  out[largest <= 1 ? 2 : 1] = q;
  out[largest <= 2 ? 3 : 2] = r;
  out[largest] = rest > 0 ? Math.sqrt(rest) : 0;
}

/** Writes the turn from one orientation to another, the shorter way round. */
export function findTurn(from: Float64Array, to: Float64Array, out: Float64Array): void {
  const fx = from[0] as number;
  const fy = from[1] as number;
  const fz = from[2] as number;
  const fw = from[3] as number;
  const x = to[0] as number;
  const y = to[1] as number;
  const z = to[2] as number;
  const w = to[3] as number;
  const sign = w * fw + x * fx + y * fy + z * fz < 0 ? -1 : 1;
  out[0] = sign * (x * fw - w * fx - y * fz + z * fy);
  out[1] = sign * (y * fw - w * fy - z * fx + x * fz);
  out[2] = sign * (z * fw - w * fz - x * fy + y * fx);
}

/** Writes an orientation after a turn. */
export function applyTurn(turn: Float64Array, from: Float64Array, out: Float64Array): void {
  const fx = from[0] as number;
  const fy = from[1] as number;
  const fz = from[2] as number;
  const fw = from[3] as number;
  const x = turn[0] as number;
  const y = turn[1] as number;
  const z = turn[2] as number;
  const rest = 1 - x * x - y * y - z * z;
  const w = rest > 0 ? Math.sqrt(rest) : 0;
  out[0] = w * fx + x * fw + y * fz - z * fy;
  out[1] = w * fy + y * fw + z * fx - x * fz;
  out[2] = w * fz + z * fw + x * fy - y * fx;
  out[3] = w * fw - x * fx - y * fy - z * fz;
}

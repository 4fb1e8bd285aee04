import { cos, evaluateSine, sin, trigWork } from '../shared/math/trig.ts';

/*
 * Right-handed, y up, a camera looks along its own -z: as OpenGL, WebGL and three have it. Matrices
 * are column-major, quaternions (x, y, z, w). Numbers travel in arrays: as arguments of a call that
 * is not inlined they would be boxed.
 */

/** Of half the angles. */
const sines: Float64Array = new Float64Array(3);
const cosines: Float64Array = new Float64Array(3);

/**
 * Turns pitch, yaw and roll in radians, elements 0 to 2 of `angles`, into a quaternion: rolled
 * about z first, then pitched about x, then turned about y (three's order 'YXZ').
 */
export function orientationFromEuler(angles: Float64Array, out: Float64Array): void {
  for (let i = 0; i < 3; i++) {
    trigWork[0] = (angles[i] as number) / 2;
    evaluateSine(0);
    sines[i] = trigWork[0] as number;
    trigWork[0] = (angles[i] as number) / 2;
    evaluateSine(1);
    cosines[i] = trigWork[0] as number;
  }
  const sx = sines[0] as number;
  const cx = cosines[0] as number;
  const sy = sines[1] as number;
  const cy = cosines[1] as number;
  const sz = sines[2] as number;
  const cz = cosines[2] as number;
  out[0] = sx * cy * cz + cx * sy * sz;
  out[1] = cx * sy * cz - sx * cy * sz;
  out[2] = cx * cy * sz - sx * sy * cz;
  out[3] = cx * cy * cz + sx * sy * sz;
}

/** Scales a vector of three to length 1. Returns false, and leaves it, when it has no length. */
export function normaliseDirection(vector: Float64Array): boolean {
  const x = vector[0] as number;
  const y = vector[1] as number;
  const z = vector[2] as number;
  // Scaled first: squares of small numbers vanish, those of large ones overflow.
  const most = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (!(most > 0 && most < Number.POSITIVE_INFINITY)) return false;
  vector[0] = x / most;
  vector[1] = y / most;
  vector[2] = z / most;
  let squares = 0;
  for (let i = 0; i < 3; i++) squares += (vector[i] as number) * (vector[i] as number);
  const length = Math.sqrt(squares);
  for (let i = 0; i < 3; i++) vector[i] = (vector[i] as number) / length;
  return true;
}

/** Cosine above which a direction is as good as parallel to `up`: no side is sure any more. */
const PARALLEL = 1 - 1e-12;

/**
 * Turns a direction of length 1 into the orientation that looks along it with `up`, of length 1,
 * as upright as can be. Where both are parallel, the axis that lies most across stands in for `up`.
 */
export function orientationFromDirection(
  direction: Float64Array,
  up: Float64Array,
  out: Float64Array,
): void {
  const zx = -(direction[0] as number);
  const zy = -(direction[1] as number);
  const zz = -(direction[2] as number);
  let ux = up[0] as number;
  let uy = up[1] as number;
  let uz = up[2] as number;
  if (Math.abs(ux * zx + uy * zy + uz * zz) > PARALLEL) {
    const least = Math.min(Math.abs(zx), Math.abs(zy), Math.abs(zz));
    ux = Math.abs(zx) === least ? 1 : 0;
    uy = ux === 0 && Math.abs(zy) === least ? 1 : 0;
    uz = ux === 0 && uy === 0 ? 1 : 0;
  }
  let xx = uy * zz - uz * zy;
  let xy = uz * zx - ux * zz;
  let xz = ux * zy - uy * zx;
  const length = Math.sqrt(xx * xx + xy * xy + xz * xz);
  xx /= length;
  xy /= length;
  xz /= length;
  const yx = zy * xz - zz * xy;
  const yy = zz * xx - zx * xz;
  const yz = zx * xy - zy * xx;
  // Shepperd (1978): the largest of the four is taken from the diagonal, so nothing cancels.
  const trace = xx + yy + zz;
  if (trace >= xx && trace >= yy && trace >= zz) {
    out[0] = yz - zy;
    out[1] = zx - xz;
    out[2] = xy - yx;
    out[3] = 1 + trace;
  } else if (xx >= yy && xx >= zz) {
    out[0] = 1 + xx - yy - zz;
    out[1] = xy + yx;
    out[2] = xz + zx;
    out[3] = yz - zy;
  } else if (yy >= zz) {
    out[0] = xy + yx;
    out[1] = 1 + yy - xx - zz;
    out[2] = yz + zy;
    out[3] = zx - xz;
  } else {
    out[0] = xz + zx;
    out[1] = yz + zy;
    out[2] = 1 + zz - xx - yy;
    out[3] = xy - yx;
  }
  let squares = 0;
  for (let i = 0; i < 4; i++) squares += (out[i] as number) * (out[i] as number);
  const size = Math.sqrt(squares);
  for (let i = 0; i < 4; i++) out[i] = (out[i] as number) / size;
}

/** Fills a 4x4 matrix with the inverse of a camera's place: what takes the world to the camera. */
export function composeView(
  position: Float64Array,
  orientation: Float64Array,
  out: Float32Array,
): void {
  const x = orientation[0] as number;
  const y = orientation[1] as number;
  const z = orientation[2] as number;
  const w = orientation[3] as number;
  const px = position[0] as number;
  const py = position[1] as number;
  const pz = position[2] as number;
  // The axes of the camera are the rows of the inverse.
  const xx = 1 - 2 * (y * y + z * z);
  const xy = 2 * (x * y + z * w);
  const xz = 2 * (x * z - y * w);
  const yx = 2 * (x * y - z * w);
  const yy = 1 - 2 * (x * x + z * z);
  const yz = 2 * (y * z + x * w);
  const zx = 2 * (x * z + y * w);
  const zy = 2 * (y * z - x * w);
  const zz = 1 - 2 * (x * x + y * y);
  out[0] = xx;
  out[1] = yx;
  out[2] = zx;
  out[4] = xy;
  out[5] = yy;
  out[6] = zy;
  out[8] = xz;
  out[9] = yz;
  out[10] = zz;
  out[12] = -(xx * px + xy * py + xz * pz);
  out[13] = -(yx * px + yy * py + yz * pz);
  out[14] = -(zx * px + zy * py + zz * pz);
  out[3] = 0;
  out[7] = 0;
  out[11] = 0;
  out[15] = 1;
}

/**
 * Fills a 4x4 matrix with a perspective projection as WebGL clips it: depth from -1 at `near` to 1
 * at `far`, which may be Infinity. `fieldOfView` is the whole vertical angle in radians.
 */
export function composeProjection(
  fieldOfView: number,
  aspect: number,
  near: number,
  far: number,
  out: { [index: number]: number },
): void {
  const focal = cos(fieldOfView / 2) / sin(fieldOfView / 2);
  const isEndless = far === Number.POSITIVE_INFINITY;
  for (let i = 0; i < 16; i++) out[i] = 0;
  out[0] = focal / aspect;
  out[5] = focal;
  out[10] = isEndless ? -1 : (far + near) / (near - far);
  out[11] = -1;
  out[14] = isEndless ? -2 * near : (2 * far * near) / (near - far);
}

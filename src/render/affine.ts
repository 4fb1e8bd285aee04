import { evaluateSine, trigWork } from '../shared/math/trig.ts';

/*
 * Affine transforms of space as twelve numbers: the images of the x, y and z axes, then that of the
 * origin, three each; a 4x4 matrix column by column without its last row 0, 0, 0, 1. In f64, so
 * that long chains of them add no error that f32 could show.
 */

/** Numbers of one transform. */
export const AFFINE_SIZE = 12;

/** A column of numbers that transforms are made of. */
export type Numbers = Float32Array | Float64Array;

/** How a transform is turned: not at all, by a quaternion, or by an angle about an axis. */
export type Turn = 'none' | 'quaternion' | 'x' | 'y' | 'z';

/** Columns that transforms are composed of. */
export interface TransformColumns {
  position: Numbers;
  /** 2 (z is 0) or 3. */
  positionWidth: number;
  orientation: Numbers;
  turn: Turn;
  /** Radians in one unit of the angle. */
  radians: number;
  scale: Numbers;
  /** 1: the same in all directions; 2: x and y; 3: x, y and z. */
  scaleWidth: number;
}

/**
 * Writes translation x rotation x scale to element `at` of `out`: the numbers of one row, counted
 * in rows. `turned` and `scaled` say whether the row has an orientation and a scale at all.
 */
export function composeAffine(
  columns: TransformColumns,
  row: number,
  turned: boolean,
  scaled: boolean,
  out: Float64Array,
  at: number,
): void {
  const { position, positionWidth, turn } = columns;
  if (!turned || turn === 'none') unturned(out, at);
  else if (turn === 'quaternion') turnByQuaternion(columns.orientation, row * 4, out, at);
  else turnByAngle(columns, row, out, at);
  if (scaled) scaleAxes(columns.scale, row * columns.scaleWidth, columns.scaleWidth, out, at);
  const from = row * positionWidth;
  out[at + 9] = position[from] as number;
  out[at + 10] = position[from + 1] as number;
  out[at + 11] = positionWidth === 3 ? (position[from + 2] as number) : 0;
}

function unturned(out: Float64Array, at: number): void {
  for (let i = 0; i < 9; i++) out[at + i] = i % 4 === 0 ? 1 : 0;
}

/** Writes the axes turned by the unit quaternion (x, y, z, w) at an element. */
function turnByQuaternion(orientation: Numbers, from: number, out: Float64Array, at: number): void {
  const x = orientation[from] as number;
  const y = orientation[from + 1] as number;
  const z = orientation[from + 2] as number;
  const w = orientation[from + 3] as number;
  // A quaternion of f32 is a little off length 1; as a rotation it need not be.
  const s = 2 / (x * x + y * y + z * z + w * w);
  const xs = x * s;
  const ys = y * s;
  const zs = z * s;
  out[at] = 1 - (y * ys + z * zs);
  out[at + 1] = x * ys + w * zs;
  out[at + 2] = x * zs - w * ys;
  out[at + 3] = x * ys - w * zs;
  out[at + 4] = 1 - (x * xs + z * zs);
  out[at + 5] = y * zs + w * xs;
  out[at + 6] = x * zs + w * ys;
  out[at + 7] = y * zs - w * xs;
  out[at + 8] = 1 - (x * xs + y * ys);
}

function turnByAngle(columns: TransformColumns, row: number, out: Float64Array, at: number): void {
  const angle = (columns.orientation[row] as number) * columns.radians;
  trigWork[0] = angle;
  evaluateSine(0);
  const sine = trigWork[0] as number;
  trigWork[0] = angle;
  evaluateSine(1);
  const cosine = trigWork[0] as number;
  // The two axes that turn, the first towards the second.
  const first = columns.turn === 'x' ? 1 : columns.turn === 'y' ? 2 : 0;
  const second = (first + 1) % 3;
  unturned(out, at);
  out[at + 4 * first] = cosine;
  out[at + 3 * first + second] = sine;
  out[at + 4 * second] = cosine;
  out[at + 3 * second + first] = -sine;
}

function scaleAxes(
  scale: Numbers,
  from: number,
  width: number,
  out: Float64Array,
  at: number,
): void {
  for (let axis = 0; axis < 3; axis++) {
    const place = width === 1 ? from : from + axis;
    const factor = axis < width || width === 1 ? (scale[place] as number) : 1;
    for (let i = 0; i < 3; i++) {
      out[at + 3 * axis + i] = (out[at + 3 * axis + i] as number) * factor;
    }
  }
}

/** Replaces the transform at `at` by parent x it; the parent lies at `parentAt` of `parents`. */
export function applyParent(
  parents: Float64Array,
  parentAt: number,
  out: Float64Array,
  at: number,
): void {
  const ax = parents[parentAt] as number;
  const ay = parents[parentAt + 1] as number;
  const az = parents[parentAt + 2] as number;
  const bx = parents[parentAt + 3] as number;
  const by = parents[parentAt + 4] as number;
  const bz = parents[parentAt + 5] as number;
  const cx = parents[parentAt + 6] as number;
  const cy = parents[parentAt + 7] as number;
  const cz = parents[parentAt + 8] as number;
  const dx = parents[parentAt + 9] as number;
  const dy = parents[parentAt + 10] as number;
  const dz = parents[parentAt + 11] as number;
  for (let column = at; column < at + 12; column += 3) {
    const x = out[column] as number;
    const y = out[column + 1] as number;
    const z = out[column + 2] as number;
    out[column] = ax * x + bx * y + cx * z;
    out[column + 1] = ay * x + by * y + cy * z;
    out[column + 2] = az * x + bz * y + cz * z;
  }
  out[at + 9] = (out[at + 9] as number) + dx;
  out[at + 10] = (out[at + 10] as number) + dy;
  out[at + 11] = (out[at + 11] as number) + dz;
}

/**
 * Writes parent x (a turn and a shift) to element `at` of `out`: what `turnByQuaternion` and
 * `applyParent` make, in one go, for the many bones of a frame.
 */
export function composeBone(
  rotations: Numbers,
  turn: number,
  places: Numbers,
  place: number,
  parents: Float64Array,
  parentAt: number,
  out: Float64Array,
  at: number,
): void {
  const x = rotations[turn] as number;
  const y = rotations[turn + 1] as number;
  const z = rotations[turn + 2] as number;
  const w = rotations[turn + 3] as number;
  const s = 2 / (x * x + y * y + z * z + w * w);
  const xs = x * s;
  const ys = y * s;
  const zs = z * s;
  const ux = 1 - (y * ys + z * zs);
  const uy = x * ys + w * zs;
  const uz = x * zs - w * ys;
  const vx = x * ys - w * zs;
  const vy = 1 - (x * xs + z * zs);
  const vz = y * zs + w * xs;
  const nx = x * zs + w * ys;
  const ny = y * zs - w * xs;
  const nz = 1 - (x * xs + y * ys);
  const px = places[place] as number;
  const py = places[place + 1] as number;
  const pz = places[place + 2] as number;
  const ax = parents[parentAt] as number;
  const ay = parents[parentAt + 1] as number;
  const az = parents[parentAt + 2] as number;
  const bx = parents[parentAt + 3] as number;
  const by = parents[parentAt + 4] as number;
  const bz = parents[parentAt + 5] as number;
  const cx = parents[parentAt + 6] as number;
  const cy = parents[parentAt + 7] as number;
  const cz = parents[parentAt + 8] as number;
  out[at] = ax * ux + bx * uy + cx * uz;
  out[at + 1] = ay * ux + by * uy + cy * uz;
  out[at + 2] = az * ux + bz * uy + cz * uz;
  out[at + 3] = ax * vx + bx * vy + cx * vz;
  out[at + 4] = ay * vx + by * vy + cy * vz;
  out[at + 5] = az * vx + bz * vy + cz * vz;
  out[at + 6] = ax * nx + bx * ny + cx * nz;
  out[at + 7] = ay * nx + by * ny + cy * nz;
  out[at + 8] = az * nx + bz * ny + cz * nz;
  out[at + 9] = ax * px + bx * py + cx * pz + (parents[parentAt + 9] as number);
  out[at + 10] = ay * px + by * py + cy * pz + (parents[parentAt + 10] as number);
  out[at + 11] = az * px + bz * py + cz * pz + (parents[parentAt + 11] as number);
}

/** Writes a transform as 4x4, column by column. */
export function storeMatrix(
  affine: Float64Array,
  from: number,
  out: { [index: number]: number },
  to: number,
): void {
  for (let column = 0; column < 4; column++) {
    const source = from + 3 * column;
    const target = to + 4 * column;
    out[target] = affine[source] as number;
    out[target + 1] = affine[source + 1] as number;
    out[target + 2] = affine[source + 2] as number;
    out[target + 3] = column === 3 ? 1 : 0;
  }
}

/** Reads a transform from a 4x4 matrix, column by column, whose last row is 0, 0, 0, 1. */
export function readMatrix(
  matrix: ArrayLike<number>,
  from: number,
  out: Float64Array,
  at: number,
): void {
  for (let i = 0; i < AFFINE_SIZE; i++) {
    out[at + i] = matrix[from + 4 * Math.floor(i / 3) + (i % 3)] as number;
  }
}

/** Writes a x b as 4x4, column by column: b comes first. */
export function storeProduct(
  a: Float64Array,
  aAt: number,
  b: Float64Array,
  bAt: number,
  out: Float32Array,
  to: number,
): void {
  const ax = a[aAt] as number;
  const ay = a[aAt + 1] as number;
  const az = a[aAt + 2] as number;
  const bx = a[aAt + 3] as number;
  const by = a[aAt + 4] as number;
  const bz = a[aAt + 5] as number;
  const cx = a[aAt + 6] as number;
  const cy = a[aAt + 7] as number;
  const cz = a[aAt + 8] as number;
  let x = b[bAt] as number;
  let y = b[bAt + 1] as number;
  let z = b[bAt + 2] as number;
  out[to] = ax * x + bx * y + cx * z;
  out[to + 1] = ay * x + by * y + cy * z;
  out[to + 2] = az * x + bz * y + cz * z;
  out[to + 3] = 0;
  x = b[bAt + 3] as number;
  y = b[bAt + 4] as number;
  z = b[bAt + 5] as number;
  out[to + 4] = ax * x + bx * y + cx * z;
  out[to + 5] = ay * x + by * y + cy * z;
  out[to + 6] = az * x + bz * y + cz * z;
  out[to + 7] = 0;
  x = b[bAt + 6] as number;
  y = b[bAt + 7] as number;
  z = b[bAt + 8] as number;
  out[to + 8] = ax * x + bx * y + cx * z;
  out[to + 9] = ay * x + by * y + cy * z;
  out[to + 10] = az * x + bz * y + cz * z;
  out[to + 11] = 0;
  x = b[bAt + 9] as number;
  y = b[bAt + 10] as number;
  z = b[bAt + 11] as number;
  out[to + 12] = ax * x + bx * y + cx * z + (a[aAt + 9] as number);
  out[to + 13] = ay * x + by * y + cy * z + (a[aAt + 10] as number);
  out[to + 14] = az * x + bz * y + cz * z + (a[aAt + 11] as number);
  out[to + 15] = 1;
}

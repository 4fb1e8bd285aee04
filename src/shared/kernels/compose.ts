import {
  COSINE_1,
  COSINE_2,
  COSINE_3,
  COSINE_4,
  SINE_0,
  SINE_1,
  SINE_2,
  SINE_3,
} from './coefficients.ts';

/*
 * Matrices from position, orientation and scale, as `assembly/compose.ts` makes them, bit for bit.
 */

/** One composition of matrices. Rows lie one after another in every array. */
export interface ComposeJob {
  position: Float32Array;
  positionWidth: 2 | 3;
  /** Quaternions (x, y, z, w), or angles about z of which `period` are a full turn. */
  orientation: Float32Array;
  turn: 'none' | 'quaternion' | 'angle';
  period: number;
  /** 0: none; 1: the same in all directions; 2: x and y; 3: x, y and z. */
  scale: Float32Array;
  scaleWidth: 0 | 1 | 2 | 3;
  /** Row numbers, the first `count` of them; only looked at when `listed`, else 0, 1, 2, ... */
  rows: Uint32Array;
  listed: boolean;
  count: number;
  /** 16 numbers for each row, column by column, in the order of `rows`. */
  out: Float32Array;
}

const { fround } = Math;

// Names of this file's own: V8 reads an imported constant anew at each use.
const [S0, S1, S2, S3] = [SINE_0, SINE_1, SINE_2, SINE_3];
const [C1, C2, C3, C4] = [COSINE_1, COSINE_2, COSINE_3, COSINE_4];

/** The upper left nine numbers of the matrix at hand, column by column, before it is scaled. */
const turned: Float32Array = new Float32Array(9);
/** Factors of the three columns. */
const factors: Float32Array = new Float32Array(3);

/**
 * Writes translation x rotation x scale of every row, in f32, each operation rounded once. Angles
 * are reduced in f64: over two million of up to eight turns either way, sine and cosine were within
 * 1e-7 of the exact ones.
 */
export function composeMatrices(job: ComposeJob): void {
  const { position, positionWidth, orientation, turn, scale, scaleWidth, rows, listed } = job;
  const { count, out } = job;
  turned.set(IDENTITY);
  factors.fill(1);
  for (let i = 0; i < count; i++) {
    const row = listed ? (rows[i] as number) : i;
    if (turn === 'quaternion') turnByQuaternion(orientation, row * 4);
    else if (turn === 'angle') turnByAngle(orientation, row, job);
    for (let axis = 0; axis < scaleWidth; axis++) {
      factors[axis] = scale[row * scaleWidth + axis] as number;
    }
    if (scaleWidth === 1) {
      factors[1] = factors[0] as number;
      factors[2] = factors[0] as number;
    }
    storeMatrix(out, i * 16, turn);
    const from = row * positionWidth;
    out[i * 16 + 12] = position[from] as number;
    out[i * 16 + 13] = position[from + 1] as number;
    out[i * 16 + 14] = positionWidth === 3 ? (position[from + 2] as number) : 0;
    out[i * 16 + 15] = 1;
  }
}

const IDENTITY: readonly number[] = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** What is always 0 stays so: only what can be another number is scaled. */
function storeMatrix(out: Float32Array, at: number, turn: ComposeJob['turn']): void {
  const fx = factors[0] as number;
  const fy = factors[1] as number;
  const fz = factors[2] as number;
  const flat = turn === 'none';
  const solid = turn === 'quaternion';
  out[at] = fround((turned[0] as number) * fx);
  out[at + 1] = flat ? 0 : fround((turned[1] as number) * fx);
  out[at + 2] = solid ? fround((turned[2] as number) * fx) : 0;
  out[at + 3] = 0;
  out[at + 4] = flat ? 0 : fround((turned[3] as number) * fy);
  out[at + 5] = fround((turned[4] as number) * fy);
  out[at + 6] = solid ? fround((turned[5] as number) * fy) : 0;
  out[at + 7] = 0;
  out[at + 8] = solid ? fround((turned[6] as number) * fz) : 0;
  out[at + 9] = solid ? fround((turned[7] as number) * fz) : 0;
  out[at + 10] = fround((turned[8] as number) * fz);
  out[at + 11] = 0;
}

function turnByQuaternion(orientation: Float32Array, at: number): void {
  const x = orientation[at] as number;
  const y = orientation[at + 1] as number;
  const z = orientation[at + 2] as number;
  const w = orientation[at + 3] as number;
  const x2 = fround(x + x);
  const y2 = fround(y + y);
  const z2 = fround(z + z);
  const xx = fround(x * x2);
  const yy = fround(y * y2);
  const zz = fround(z * z2);
  const xy = fround(x * y2);
  const xz = fround(x * z2);
  const yz = fround(y * z2);
  const wx = fround(w * x2);
  const wy = fround(w * y2);
  const wz = fround(w * z2);
  turned[0] = fround(1 - fround(yy + zz));
  turned[1] = fround(xy + wz);
  turned[2] = fround(xz - wy);
  turned[3] = fround(xy - wz);
  turned[4] = fround(1 - fround(xx + zz));
  turned[5] = fround(yz + wx);
  turned[6] = fround(xz + wy);
  turned[7] = fround(yz - wx);
  turned[8] = fround(1 - fround(xx + yy));
}

/** Counts quarter turns in f64, and evaluates what is left of one in f32. */
function turnByAngle(orientation: Float32Array, row: number, job: ComposeJob): void {
  const quarters = (orientation[row] as number) * (4 / job.period);
  const whole = Math.floor(quarters + 0.5);
  const f = fround(quarters - whole);
  const v = fround(f * f);
  let r = fround(fround(S3 * v) + S2);
  r = fround(fround(r * v) + S1);
  r = fround(fround(r * v) + S0);
  const sine = fround(f * r);
  r = fround(fround(C4 * v) + C3);
  r = fround(fround(r * v) + C2);
  r = fround(fround(r * v) + C1);
  const cosine = fround(fround(r * v) + 1);
  const quarter = whole - Math.floor(whole * 0.25) * 4;
  const odd = quarter === 1 || quarter === 3;
  const c = odd ? sine : cosine;
  const s = odd ? cosine : sine;
  turned[0] = quarter === 1 || quarter === 2 ? -c : c;
  turned[1] = quarter >= 2 ? -s : s;
  turned[3] = -(turned[1] as number);
  turned[4] = turned[0] as number;
}

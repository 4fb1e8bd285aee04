/** How a page that was given two states blends them for an InstancedMesh of three. */
import { type InstancedMesh, Matrix4, Quaternion, Vector3 } from 'three';

/** Two states, and when the later one came; see `STATE_WIDTH`. */
export interface States {
  earlier: Float32Array;
  later: Float32Array;
  cameAt: number;
}

/** Blends and composes with a loop over plain numbers, straight into the instance matrices. */
export function blendNumbers(states: States, bodies: number, alpha: number, out: Float32Array) {
  const { earlier, later } = states;
  for (let i = 0; i < bodies; i++) {
    const p = i * 3;
    const q = bodies * 3 + i * 4;
    const ax = earlier[q] as number;
    const ay = earlier[q + 1] as number;
    const az = earlier[q + 2] as number;
    const aw = earlier[q + 3] as number;
    let bx = later[q] as number;
    let by = later[q + 1] as number;
    let bz = later[q + 2] as number;
    let bw = later[q + 3] as number;
    let cosine = ax * bx + ay * by + az * bz + aw * bw;
    if (cosine < 0) {
      bx = -bx;
      by = -by;
      bz = -bz;
      bw = -bw;
      cosine = -cosine;
    }
    let a = 1 - alpha;
    let b = alpha;
    if (cosine < 0.9999) {
      const angle = Math.acos(cosine);
      const sine = Math.sin(angle);
      a = Math.sin(a * angle) / sine;
      b = Math.sin(b * angle) / sine;
    }
    const x = ax * a + bx * b;
    const y = ay * a + by * b;
    const z = az * a + bz * b;
    const w = aw * a + bw * b;
    const m = i * 16;
    out[m] = 1 - 2 * (y * y + z * z);
    out[m + 1] = 2 * (x * y + z * w);
    out[m + 2] = 2 * (x * z - y * w);
    out[m + 3] = 0;
    out[m + 4] = 2 * (x * y - z * w);
    out[m + 5] = 1 - 2 * (x * x + z * z);
    out[m + 6] = 2 * (y * z + x * w);
    out[m + 7] = 0;
    out[m + 8] = 2 * (x * z + y * w);
    out[m + 9] = 2 * (y * z - x * w);
    out[m + 10] = 1 - 2 * (x * x + y * y);
    out[m + 11] = 0;
    for (let k = 0; k < 3; k++) {
      const from = earlier[p + k] as number;
      out[m + 12 + k] = from + ((later[p + k] as number) - from) * alpha;
    }
    out[m + 15] = 1;
  }
}

const place = new Vector3();
const target = new Vector3();
const turn = new Quaternion();
const goal = new Quaternion();
const size = new Vector3(1, 1, 1);
const matrix = new Matrix4();

/** Blends and composes one body after the other with the classes of three. */
export function blendObjects(states: States, bodies: number, alpha: number, mesh: InstancedMesh) {
  const { earlier, later } = states;
  for (let i = 0; i < bodies; i++) {
    const q = bodies * 3 + i * 4;
    place.fromArray(earlier, i * 3).lerp(target.fromArray(later, i * 3), alpha);
    turn.fromArray(earlier, q).slerp(goal.fromArray(later, q), alpha);
    mesh.setMatrixAt(i, matrix.compose(place, turn, size));
  }
}

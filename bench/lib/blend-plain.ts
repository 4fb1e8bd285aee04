import { ALPHA, type BlendedChannel, fillStates, type State } from './blend-states.ts';

/*
 * The loops a user writes: plain arrays, the usual formulas, a look at each entity's generation so
 * that what was replaced does not streak.
 */

function lerpLoop(a: State, b: State, t: number, out: Float32Array, count: number): void {
  const from = a.position;
  const to = b.position;
  for (let i = 0; i < count; i++) {
    const at = 3 * i;
    if (a.generation[i] !== b.generation[i]) {
      for (let k = 0; k < 3; k++) out[at + k] = to[at + k] as number;
      continue;
    }
    for (let k = 0; k < 3; k++) {
      const x = from[at + k] as number;
      out[at + k] = x + ((to[at + k] as number) - x) * t;
    }
  }
}

function slerpLoop(a: State, b: State, t: number, out: Float32Array, count: number): void {
  for (let i = 0; i < count; i++) {
    const snaps = a.generation[i] !== b.generation[i];
    slerpInto(a.orientation, b.orientation, 4 * i, snaps ? 1 : t, out, 4 * i);
  }
}

function slerpInto(
  a: Float32Array,
  b: Float32Array,
  at: number,
  t: number,
  out: Float32Array,
  to: number,
): void {
  const ax = a[at] as number;
  const ay = a[at + 1] as number;
  const az = a[at + 2] as number;
  const aw = a[at + 3] as number;
  const bx = b[at] as number;
  const by = b[at + 1] as number;
  const bz = b[at + 2] as number;
  const bw = b[at + 3] as number;
  let cosine = ax * bx + ay * by + az * bz + aw * bw;
  const sign = cosine < 0 ? -1 : 1;
  cosine *= sign;
  let wa = 1 - t;
  let wb = t;
  if (cosine < 0.9995) {
    const angle = Math.acos(cosine);
    const sine = Math.sin(angle);
    wa = Math.sin(wa * angle) / sine;
    wb = Math.sin(wb * angle) / sine;
  }
  wb *= sign;
  out[to] = ax * wa + bx * wb;
  out[to + 1] = ay * wa + by * wb;
  out[to + 2] = az * wa + bz * wb;
  out[to + 3] = aw * wa + bw * wb;
}

const turned = new Float32Array(4);

function matrixLoop(a: State, b: State, t: number, out: Float32Array, count: number): void {
  for (let i = 0; i < count; i++) {
    const share = a.generation[i] === b.generation[i] ? t : 1;
    slerpInto(a.orientation, b.orientation, 4 * i, share, turned, 0);
    const x = turned[0] as number;
    const y = turned[1] as number;
    const z = turned[2] as number;
    const w = turned[3] as number;
    const p = 3 * i;
    const sx = mix(a.scale, b.scale, p, share);
    const sy = mix(a.scale, b.scale, p + 1, share);
    const sz = mix(a.scale, b.scale, p + 2, share);
    const m = 16 * i;
    out[m] = (1 - 2 * (y * y + z * z)) * sx;
    out[m + 1] = 2 * (x * y + w * z) * sx;
    out[m + 2] = 2 * (x * z - w * y) * sx;
    out[m + 3] = 0;
    out[m + 4] = 2 * (x * y - w * z) * sy;
    out[m + 5] = (1 - 2 * (x * x + z * z)) * sy;
    out[m + 6] = 2 * (y * z + w * x) * sy;
    out[m + 7] = 0;
    out[m + 8] = 2 * (x * z + w * y) * sz;
    out[m + 9] = 2 * (y * z - w * x) * sz;
    out[m + 10] = (1 - 2 * (x * x + y * y)) * sz;
    out[m + 11] = 0;
    out[m + 12] = mix(a.position, b.position, p, share);
    out[m + 13] = mix(a.position, b.position, p + 1, share);
    out[m + 14] = mix(a.position, b.position, p + 2, share);
    out[m + 15] = 1;
  }
}

function mix(a: Float32Array, b: Float32Array, at: number, t: number): number {
  const from = a[at] as number;
  return from + ((b[at] as number) - from) * t;
}

function emptyState(count: number): State {
  return {
    position: new Float32Array(3 * count),
    orientation: new Float32Array(4 * count),
    scale: new Float32Array(3 * count),
    generation: new Uint32Array(count),
  };
}

/** Sets up the plain loop of a channel: what it does in one frame, and where it writes. */
export function preparePlain(channel: BlendedChannel, count: number) {
  const [a, b] = [emptyState(count), emptyState(count)];
  fillStates(a, b, count);
  const widths = { lerp: 3, slerp: 4, matrix: 16 };
  const out = new Float32Array(widths[channel] * count);
  const loops = { lerp: lerpLoop, slerp: slerpLoop, matrix: matrixLoop };
  const loop = loops[channel];
  return { frame: (): void => loop(a, b, ALPHA, out, count), out };
}

/*
 * Which rows lie inside a rectangle or a frustum, as `assembly/cull.ts` finds them, bit for bit.
 */

/** One cull of positions. */
export interface CullJob {
  /** Rows of `positionWidth` numbers, one after another; a third that is not there is 0. */
  position: Float32Array;
  positionWidth: 2 | 3;
  /** How far around its position an entity reaches. */
  radius: number;
  /**
   * `rectangle`: left, bottom, right, top. `frustum`: six planes (a, b, c, d), whose normals have
   * length 1 and point inwards: inside is where a x + b y + c z + d >= 0.
   */
  shape: 'rectangle' | 'frustum';
  bounds: ArrayLike<number>;
  /** Row numbers, the first `count` of them; only looked at when `listed`, else 0, 1, 2, ... */
  rows: Uint32Array;
  listed: boolean;
  count: number;
  /** Room for `count` row numbers. May be `rows`. */
  out: Uint32Array;
}

/** Numbers of the bounds of a frustum. */
export const FRUSTUM_NUMBERS = 24;

const { fround } = Math;
const moved: Float32Array = new Float32Array(FRUSTUM_NUMBERS);

/**
 * Lists in `out` the rows that reach inside, in their order, and returns how many. A position that
 * is NaN is nowhere.
 */
export function cullRows(job: CullJob): number {
  const { position, positionWidth, rows, listed, count, out } = job;
  const isFrustum = job.shape === 'frustum';
  moveBounds(job, moved, 0);
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const row = listed ? (rows[i] as number) : i;
    const from = row * positionWidth;
    const x = position[from] as number;
    const y = position[from + 1] as number;
    const z = positionWidth === 3 ? (position[from + 2] as number) : 0;
    out[kept] = row;
    if (isFrustum ? isInFrustum(x, y, z) : isInRectangle(x, y)) kept++;
  }
  return kept;
}

/** Writes the bounds of a job from `to` on as f32, each moved outwards by its radius. */
export function moveBounds(job: CullJob, out: Float32Array, to: number): void {
  const { bounds, radius } = job;
  if (job.shape === 'rectangle') {
    out[to] = (bounds[0] as number) - radius;
    out[to + 1] = (bounds[1] as number) - radius;
    out[to + 2] = (bounds[2] as number) + radius;
    out[to + 3] = (bounds[3] as number) + radius;
    return;
  }
  for (let i = 0; i < FRUSTUM_NUMBERS; i++) {
    const isDistance = (i & 3) === 3;
    out[to + i] = (bounds[i] as number) + (isDistance ? radius : 0);
  }
}

function isInRectangle(x: number, y: number): boolean {
  return (
    x >= (moved[0] as number) &&
    y >= (moved[1] as number) &&
    x <= (moved[2] as number) &&
    y <= (moved[3] as number)
  );
}

function isInFrustum(x: number, y: number, z: number): boolean {
  for (let plane = 0; plane < FRUSTUM_NUMBERS; plane += 4) {
    let d = fround(x * (moved[plane] as number));
    d = fround(d + fround(y * (moved[plane + 1] as number)));
    d = fround(d + fround(z * (moved[plane + 2] as number)));
    if (!(fround(d + (moved[plane + 3] as number)) >= 0)) return false;
  }
  return true;
}

import type { CullJob } from '../shared/kernels/cull.ts';

const { fround } = Math;

/**
 * Lists in `job.out` the rows that reach into a frustum, each as far as its own of `radii` says, in
 * their order, and returns how many. A radius that is NaN counts as 0; a position that is NaN is
 * nowhere. Otherwise as `cullRows`, which has one radius for all.
 */
export function cullByRadius(job: CullJob, radii: Float32Array): number {
  const { position, positionWidth, count, out } = job;
  let kept = 0;
  for (let row = 0; row < count; row++) {
    const radius = radii[row] as number;
    const x = position[row * positionWidth] as number;
    const y = position[row * positionWidth + 1] as number;
    const z = positionWidth === 3 ? (position[row * 3 + 2] as number) : 0;
    out[kept] = row;
    if (reachesInto(job.bounds, x, y, z, radius === radius ? radius : 0)) kept++;
  }
  return kept;
}

/** Rounds every step to f32, as the kernels do. */
function reachesInto(
  planes: ArrayLike<number>,
  x: number,
  y: number,
  z: number,
  radius: number,
): boolean {
  for (let at = 0; at < 24; at += 4) {
    let d = fround(x * (planes[at] as number));
    d = fround(d + fround(y * (planes[at + 1] as number)));
    d = fround(d + fround(z * (planes[at + 2] as number)));
    if (!(fround(d + fround((planes[at + 3] as number) + radius)) >= 0)) return false;
  }
  return true;
}

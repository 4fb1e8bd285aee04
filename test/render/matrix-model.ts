/* Transforms in doubles, as plainly as they can be written: for comparison. 4x4, by columns. */

/** Blends two unit quaternions on the shorter arc, by the definition. */
export function slerp(a: readonly number[], b: readonly number[], t: number): number[] {
  const dot = a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
  const to = dot < 0 ? b.map((x) => -x) : b;
  const arc = Math.acos(Math.min(1, Math.abs(dot)));
  // So near to each other that the chord is the arc.
  const isNear = arc < 1e-4;
  const wa = isNear ? 1 - t : Math.sin((1 - t) * arc) / Math.sin(arc);
  const wb = isNear ? t : Math.sin(t * arc) / Math.sin(arc);
  return a.map((x, i) => x * wa + (to[i] as number) * wb);
}

/** Goes straight from one list of numbers to another. */
export function mix(a: readonly number[], b: readonly number[], t: number): number[] {
  return a.map((x, i) => x + ((b[i] as number) - x) * t);
}

/** Turns a vector by a unit quaternion (x, y, z, w): v + 2 w (u x v) + 2 u x (u x v). */
function turned(q: readonly number[], v: readonly number[]): number[] {
  const [x = 0, y = 0, z = 0, w = 1] = q;
  const cross = ([a = 0, b = 0, c = 0]: readonly number[]): number[] => [
    y * c - z * b,
    z * a - x * c,
    x * b - y * a,
  ];
  const once = cross(v);
  const twice = cross(once);
  return v.map((e, i) => e + 2 * (w * (once[i] as number) + (twice[i] as number)));
}

/** Composes translation x rotation x scale. */
export function matrixOf(
  place: readonly number[],
  q: readonly number[] = [0, 0, 0, 1],
  scale: readonly number[] = [1, 1, 1],
): number[] {
  const axes = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map((axis, i) => turned(q, axis).map((e) => e * (scale[i] as number)));
  const [x = 0, y = 0, z = 0] = place;
  return [...axes.flatMap((axis) => [...axis, 0]), x, y, z, 1];
}

/** Multiplies two matrices: b comes first. */
export function times(a: readonly number[], b: readonly number[]): number[] {
  return Array.from({ length: 16 }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < 4; k++) {
      sum += (a[4 * k + (i % 4)] as number) * (b[4 * Math.floor(i / 4) + k] as number);
    }
    return sum;
  });
}

/** Maps a point. */
export function mapped(matrix: ArrayLike<number>, [x = 0, y = 0, z = 0]: readonly number[]) {
  return [0, 1, 2].map(
    (i) =>
      (matrix[i] as number) * x +
      (matrix[4 + i] as number) * y +
      (matrix[8 + i] as number) * z +
      (matrix[12 + i] as number),
  );
}

/** The largest difference of two lists of numbers. */
export function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((most, x, i) => {
    const difference = Math.abs(x - (b[i] as number));
    // What is no number is as far off as can be.
    return Number.isNaN(difference) ? Infinity : Math.max(most, difference);
  }, 0);
}

/** Returns so many of one number. */
export function repeated(value: number, length: number): number[] {
  return Array.from({ length }, () => value);
}

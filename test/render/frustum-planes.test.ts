import fc from 'fast-check';
import { expect, it } from 'vitest';
import { frustumPlanes } from '../../src/render/index.ts';

const NEAR = 0.5;
const FAR = 200;

type Depth = 'webgl' | 'webgpu';

/** A projection column by column, as renderers make it; `far` may be infinite. */
function perspective(fov: number, aspect: number, far: number, depth: Depth): number[] {
  const f = 1 / Math.tan(fov / 2);
  const isWide = depth === 'webgl';
  const z = far === Number.POSITIVE_INFINITY ? -1 : (isWide ? far + NEAR : far) / (NEAR - far);
  const tail = far === Number.POSITIVE_INFINITY ? -NEAR : (far * NEAR) / (NEAR - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, z, -1, 0, 0, (isWide ? 2 : 1) * tail, 0];
}

/** Turns about y by `yaw` after a move by minus x, y, z: a camera that stands there. */
function camera(yaw: number, [x, y, z]: readonly number[]): number[] {
  const [c, s] = [Math.cos(yaw), Math.sin(yaw)];
  const [tx, ty, tz] = [-(x as number), -(y as number), -(z as number)];
  return [c, 0, -s, 0, 0, 1, 0, 0, s, 0, c, 0, c * tx + s * tz, ty, c * tz - s * tx, 1];
}

function multiply(a: readonly number[], b: readonly number[]): number[] {
  return Array.from({ length: 16 }, (_, i) => {
    const [row, column] = [i % 4, i - (i % 4)];
    let sum = 0;
    for (let k = 0; k < 4; k++) sum += (a[row + 4 * k] as number) * (b[column + k] as number);
    return sum;
  });
}

/** How far a point lies inside of each of the bounds of its clip space, at least. */
function depthInside(matrix: readonly number[], point: readonly number[], depth: Depth): number {
  const [x, y, z, w] = [0, 1, 2, 3].map((row) => {
    const at = (column: number): number => matrix[row + 4 * column] as number;
    return (
      at(0) * (point[0] as number) +
      at(1) * (point[1] as number) +
      at(2) * (point[2] as number) +
      at(3)
    );
  }) as [number, number, number, number];
  return Math.min(w + x, w - x, w + y, w - y, depth === 'webgl' ? w + z : z, w - z);
}

const coordinate = fc.double({ min: -300, max: 300, noNaN: true });
const points = fc.tuple(coordinate, coordinate, coordinate);
const views = fc.record({
  fov: fc.double({ min: 0.3, max: 2, noNaN: true }),
  aspect: fc.double({ min: 0.4, max: 3, noNaN: true }),
  far: fc.constantFrom(FAR, Number.POSITIVE_INFINITY),
  depth: fc.constantFrom<Depth>('webgl', 'webgpu'),
  yaw: fc.double({ min: -4, max: 4, noNaN: true }),
  eye: points,
});

it('gives planes of unit length that hold what the projection shows, and nothing else', () => {
  let inside = 0;
  fc.assert(
    fc.property(views, fc.array(points, { minLength: 50 }), ({ depth, ...view }, those) => {
      const projection = perspective(view.fov, view.aspect, view.far, depth);
      const matrix = multiply(projection, camera(view.yaw, view.eye));
      const planes = frustumPlanes(matrix, new Float32Array(24), depth);
      for (let at = 0; at < 24; at += 4) {
        const length = Math.hypot(...planes.subarray(at, at + 3));
        if (length === 0) expect(planes[at + 3]).toBeGreaterThan(0);
        else expect(length).toBeCloseTo(1, 5);
      }
      for (const point of those) {
        const clip = depthInside(matrix, point, depth);
        // So near to a bound that f32 may say either.
        if (Math.abs(clip) < 0.01) continue;
        const distances = [0, 4, 8, 12, 16, 20].map((at) =>
          [0, 1, 2].reduce(
            (sum, i) => sum + (planes[at + i] as number) * (point[i] as number),
            planes[at + 3] as number,
          ),
        );
        expect(Math.min(...distances) >= 0).toBe(clip > 0);
        if (clip > 0) inside++;
      }
    }),
    { numRuns: 300 },
  );
  expect(inside).toBeGreaterThan(100);
});

it('measures distances in the units of the world, one way and the other', () => {
  const box = [1 / 10, 0, 0, 0, 0, 1 / 5, 0, 0, 0, 0, -1 / 50, 0, 0, 0, -1, 1];
  const planes = frustumPlanes(box, new Float32Array(24));
  const nearest = [
    [1, 0, 0, 10],
    [-1, 0, 0, 10],
    [0, 1, 0, 5],
    [0, -1, 0, 5],
    [0, 0, -1, 0],
    [0, 0, 1, 100],
  ];
  nearest.flat().forEach((number, i) => expect(planes[i]).toBeCloseTo(number, 5));
});

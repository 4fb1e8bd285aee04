import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UniformGrid } from '../../../src/net/pipeline/grid.ts';
import { InterestFilter } from '../../../src/net/pipeline/interest.ts';
import { scaled } from '../../scaled.ts';

const runs = { numRuns: scaled({ tiny: 100, normal: 1000, full: 50_000 }) };

const anyPlace = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: -200, max: 200, noNaN: true }).map(Math.fround) },
  { weight: 1, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true }) },
);
const anyPoint = fc.tuple(anyPlace, anyPlace, anyPlace);
const anyRadius = fc.oneof(
  fc.double({ min: 0.1, max: 300, noNaN: true }).map(Math.fround),
  fc.constantFrom(1e-30, 1e-20, 1e10, 2e19, 3e38).map(Math.fround),
);

test('a query leaves out no entity that the exact test keeps', () => {
  fc.assert(
    fc.property(
      fc.array(anyPoint, { maxLength: 60 }),
      fc.option(anyPoint),
      fc.nat(),
      anyRadius,
      fc.constantFrom(0.5, 18, 1000),
      (points, place, pick, radius, cellSize) => {
        const count = points.length;
        const positions = Float32Array.from(points.flat());
        const source = place ?? points[pick % Math.max(count, 1)] ?? [0, 0, 0];
        const filter = new InterestFilter({ mode: 'radius', radius, fovDegrees: 0 }, 3);
        filter.lookFrom({ position: source });
        const grid = new UniformGrid(cellSize);
        grid.fill(positions, count);
        const found = new Uint32Array(count);
        const foundCount = filter.search(grid, found);
        const all = Uint32Array.from({ length: count }, (_, row) => row);
        expect(keep(filter, positions, found, foundCount)).toEqual(
          keep(filter, positions, all, count),
        );
        expect(Array.from(found.subarray(0, foundCount))).toEqual(
          [...new Set(found.subarray(0, foundCount))].sort((left, right) => left - right),
        );
      },
    ),
    runs,
  );
});

test('a query is near what it looks for: one cell more on each side at most', () => {
  const count = 10_000;
  const positions = new Float32Array(count * 3);
  for (let row = 0; row < count; row++) {
    positions[row * 3] = (row % 100) * 3;
    positions[row * 3 + 2] = Math.floor(row / 100) * 3;
  }
  const grid = new UniformGrid(18);
  grid.fill(positions, count);
  const rows = new Uint32Array(count);
  const found = grid.query(Float32Array.of(150, 0, 150, 36), rows);
  // Five cells of 18 units hold six places of 3 units each, on both axes.
  expect(found).toBe(30 * 30);
});

function keep(
  filter: InterestFilter,
  positions: Float32Array,
  candidates: Uint32Array,
  count: number,
): number[] {
  const rows = new Uint32Array(count + 2);
  const kept = filter.retain(positions, candidates, count, -1, rows, new Float32Array(count + 2));
  return Array.from(rows.subarray(0, kept));
}

test('squares too small for a float are not missed', () => {
  const positions = Float32Array.of(0, 0, 0, 1e-23, 0, 0);
  const grid = new UniformGrid(1e-24);
  grid.fill(positions, 2);
  const rows = new Uint32Array(2);
  expect(grid.query(Float32Array.of(0, 0, 0, 1e-30), rows)).toBe(2);
});

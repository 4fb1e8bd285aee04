import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CullJob, cullRows, FRUSTUM_NUMBERS } from '../../../src/shared/kernels/cull.ts';
import { scaled } from '../../scaled.ts';
import { Arena } from './arena.ts';

const special = [0, -0, 1, -1, 2 ** -149, 3e38, -3e38, Infinity, -Infinity, NaN];
const f32 = fc.oneof(
  { weight: 12, arbitrary: fc.float({ min: -2, max: 2, noNaN: true }) },
  { weight: 1, arbitrary: fc.float() },
  { weight: 1, arbitrary: fc.constantFrom(...special) },
);
const plane = fc
  .tuple(f32, f32, f32, fc.float({ min: 0, max: 3, noNaN: true }))
  .map((numbers) => numbers as number[]);

const bounds = fc.oneof(
  fc.record({
    shape: fc.constant('rectangle' as const),
    bounds: fc.tuple(f32, f32, f32, f32).map((list) => [...list]),
  }),
  fc.record({
    shape: fc.constant('frustum' as const),
    bounds: fc.array(plane, { minLength: 6, maxLength: 6 }).map((list) => list.flat()),
  }),
);

const cases = fc.integer({ min: 0, max: 60 }).chain((rows) =>
  fc.record({
    rows: fc.constant(rows),
    position: fc.array(f32, { minLength: rows * 3, maxLength: rows * 3 }),
    positionWidth: fc.constantFrom(2 as const, 3 as const),
    radius: fc.constantFrom(0, 0.25, 1, 1e30),
    bounds,
    list: rows === 0 ? fc.constant([]) : fc.array(fc.nat(rows - 1), { maxLength: rows }),
    listed: fc.boolean(),
  }),
);

describe.each(['shared', 'unshared'])('the kernel that culls, in %s memory', (memory) => {
  const arena = new Arena(memory === 'shared');

  it('lists the rows that the loop lists and writes nothing else', () => {
    fc.assert(
      fc.property(cases, (it) => {
        arena.clear();
        const count = it.listed ? it.list.length : it.rows;
        const plain = new Uint32Array(count);
        const simd = arena.room('u32', count) as Uint32Array;
        const job: CullJob = {
          ...it,
          ...it.bounds,
          position: arena.place('f32', it.position) as Float32Array,
          rows: arena.place('u32', it.list) as Uint32Array,
          count,
          out: plain,
        };
        const kept = cullRows(job);
        const bytes = arena.region.u8;
        const end = simd.byteOffset + simd.byteLength;
        const behind = bytes.slice(end);
        job.out = simd;
        expect(arena.kernels.cull(job)).toBe(kept);
        expect([...simd.subarray(0, kept)]).toEqual([...plain.subarray(0, kept)]);
        expect(Buffer.compare(bytes.slice(end), behind)).toBe(0);
      }),
      { numRuns: scaled({ tiny: 200, normal: 1000, full: 10_000 }) },
    );
  });

  it('may write over the list it is given', () => {
    arena.clear();
    const list = arena.place('u32', [4, 2, 0, 3, 1]) as Uint32Array;
    const job: CullJob = {
      position: arena.place('f32', [0, 0, 9, 9, 1, 1, 9, 9, 2, 2]) as Float32Array,
      positionWidth: 2,
      radius: 0,
      shape: 'rectangle',
      bounds: [-3, -3, 3, 3],
      rows: list,
      listed: true,
      count: 5,
      out: list,
    };
    expect(arena.kernels.cull(job)).toBe(3);
    expect([...list.subarray(0, 3)]).toEqual([4, 2, 0]);
  });
});

/** Which of some points lie inside, with a radius. */
function inside(
  points: readonly number[][],
  shape: CullJob['shape'],
  bounds: number[],
  radius = 0,
) {
  const positionWidth = points[0]?.length === 2 ? 2 : 3;
  const out = new Uint32Array(points.length);
  const position = Float32Array.from(points.flat());
  const count = points.length;
  const rows = new Uint32Array(0);
  const kept = cullRows({
    position,
    positionWidth,
    radius,
    shape,
    bounds,
    rows,
    listed: false,
    count,
    out,
  });
  return [...out.subarray(0, kept)];
}

describe('culling', () => {
  it('by a rectangle keeps its edges, what reaches in, and nothing that is nowhere', () => {
    const points = [
      [0, 0],
      [2, 0],
      [2.5, 0],
      [0, -1.5],
      [Number.NaN, 0],
    ];
    expect(inside(points, 'rectangle', [-2, -1, 2, 1])).toEqual([0, 1]);
    expect(inside(points, 'rectangle', [-2, -1, 2, 1], 0.5)).toEqual([0, 1, 2, 3]);
  });

  it('by the six planes of a cube keeps what is on the inner side of all of them', () => {
    const cube = [
      [1, 0, 0, 1],
      [-1, 0, 0, 1],
      [0, 1, 0, 1],
      [0, -1, 0, 1],
      [0, 0, 1, 1],
      [0, 0, -1, 1],
    ].flat();
    expect(cube.length).toBe(FRUSTUM_NUMBERS);
    const points = [
      [0, 0, 0],
      [1, 1, 1],
      [0, 0, 1.25],
      [0, -2, 0],
      [0, 0, Number.NaN],
    ];
    expect(inside(points, 'frustum', cube)).toEqual([0, 1]);
    expect(inside(points, 'frustum', cube, 0.5)).toEqual([0, 1, 2]);
  });
});

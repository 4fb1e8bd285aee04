import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ComposeJob, composeMatrices } from '../../../src/shared/kernels/compose.ts';
import { Random } from '../../../src/shared/math/random.ts';
import { scaled } from '../../scaled.ts';
import { Arena, bitsOf } from './arena.ts';

const special = [0, -0, 1, -1, 2 ** -149, 3e38, -3e38, Infinity, -Infinity, NaN];
const f32 = fc.oneof(
  { weight: 8, arbitrary: fc.float({ min: -2, max: 2, noNaN: true }) },
  { weight: 2, arbitrary: fc.float() },
  { weight: 1, arbitrary: fc.constantFrom(...special) },
);

const cases = fc.integer({ min: 0, max: 40 }).chain((rows) => {
  const numbers = (width: number): fc.Arbitrary<number[]> =>
    fc.array(f32, { minLength: rows * width, maxLength: rows * width });
  return fc.record({
    rows: fc.constant(rows),
    position: numbers(3),
    positionWidth: fc.constantFrom(2 as const, 3 as const),
    orientation: numbers(4),
    turn: fc.constantFrom('none' as const, 'quaternion' as const, 'angle' as const),
    period: fc.constantFrom(360, Math.PI * 2, 65_536, 1e-3),
    scale: numbers(3),
    scaleWidth: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const),
    list: rows === 0 ? fc.constant([]) : fc.array(fc.nat(rows - 1), { maxLength: 2 * rows }),
    listed: fc.boolean(),
  });
});

describe.each(['shared', 'unshared'])('the kernel for matrices, in %s memory', (memory) => {
  const arena = new Arena(memory === 'shared');

  it('writes the bits that the loop writes and nothing else', () => {
    fc.assert(
      fc.property(cases, (it) => {
        arena.clear();
        const place = (list: number[]): Float32Array => arena.place('f32', list) as Float32Array;
        const count = it.listed ? it.list.length : it.rows;
        const plain = arena.room('f32', count * 16) as Float32Array;
        const simd = arena.room('f32', count * 16) as Float32Array;
        const job: ComposeJob = {
          ...it,
          position: place(it.position),
          orientation: place(it.orientation),
          scale: place(it.scale),
          rows: arena.place('u32', it.list) as Uint32Array,
          count,
          out: plain,
        };
        composeMatrices(job);
        const bytes = arena.region.u8;
        const end = simd.byteOffset + simd.byteLength;
        const behind = bytes.slice(end);
        job.out = simd;
        arena.kernels.compose(job);
        expect(bitsOf(simd)).toEqual(bitsOf(plain));
        expect(Buffer.compare(bytes.slice(end), behind)).toBe(0);
      }),
      { numRuns: scaled({ tiny: 200, normal: 1000, full: 10_000 }) },
    );
  });
});

function compose(job: Partial<ComposeJob>): number[] {
  const out = new Float32Array(16);
  composeMatrices({
    position: new Float32Array(3),
    positionWidth: 3,
    orientation: new Float32Array(4),
    turn: 'none',
    period: 360,
    scale: new Float32Array(3),
    scaleWidth: 0,
    rows: new Uint32Array(1),
    listed: false,
    count: 1,
    out,
    ...job,
  });
  return [...out];
}

describe('a composed matrix', () => {
  it('is the position alone where there is nothing else', () => {
    const position = Float32Array.of(1, 2, 3);
    expect(compose({ position })).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]);
    const flat = compose({ position, positionWidth: 2 });
    expect(flat.slice(12)).toEqual([1, 2, 0, 1]);
  });

  it.each([
    [1, [2], [2, 2, 2]],
    [2, [2, 3], [2, 3, 1]],
    [3, [2, 3, 5], [2, 3, 5]],
  ] as const)('of %i scale numbers has them on its diagonal', (scaleWidth, scale, diagonal) => {
    const got = compose({ scale: Float32Array.from(scale), scaleWidth });
    expect([got[0], got[5], got[10]]).toEqual(diagonal);
  });

  it('turns x to y at a quarter turn about z, by angle and by quaternion', () => {
    const scale = Float32Array.of(2, 3, 5);
    const angle = compose({
      turn: 'angle',
      orientation: Float32Array.of(90),
      scale,
      scaleWidth: 3,
    });
    expect(angle.map((x) => x + 0)).toEqual([0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 1]);
    const orientation = Float32Array.of(0, 0, Math.SQRT1_2, Math.SQRT1_2);
    const turned = compose({ turn: 'quaternion', orientation, scale, scaleWidth: 3 });
    turned.forEach((x, i) => expect(x).toBeCloseTo(angle[i] as number, 6));
  });

  it('has the sine and cosine of its angle to f32 precision, over many turns', () => {
    const random = Random.seed(new Uint32Array(16), 0, 0, 5, 0);
    let worst = 0;
    for (let i = 0; i < scaled({ tiny: 5000, normal: 50_000, full: 500_000 }); i++) {
      const angle = Math.fround((random.nextU32() / 2 ** 32 - 0.5) * 100);
      const period = 2 * Math.PI;
      const got = compose({ turn: 'angle', orientation: Float32Array.of(angle), period });
      worst = Math.max(worst, Math.abs((got[0] as number) - Math.cos(angle)));
      worst = Math.max(worst, Math.abs((got[1] as number) - Math.sin(angle)));
    }
    expect(worst).toBeLessThan(1.1e-7);
  });
});

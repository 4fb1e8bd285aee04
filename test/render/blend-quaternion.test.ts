import { describe, expect, it } from 'vitest';
import { blendRow } from '../../src/render/blend.ts';
import { Random } from '../../src/shared/math/random.ts';
import type { Blend, ComponentSchema } from '../../src/shared/schema.ts';
import { scaled } from '../scaled.ts';

const SEED = 37;
const random = Random.seed(new Uint32Array(16), 0, 0, SEED, 0);

/** From -1 to 1, more often in the middle. */
function noise(): number {
  let sum = 0;
  for (let i = 0; i < 4; i++) sum += random.nextU32() / 2 ** 33 - 0.25;
  return sum;
}

type Numbers = Float32Array | Float64Array;
type Scalar = 'f32' | 'f64';

function scaleToOne(numbers: readonly number[], scalar: Scalar): Numbers {
  const length = Math.hypot(...numbers);
  const scaledOnes = numbers.map((number) => number / length);
  return scalar === 'f32' ? Float32Array.from(scaledOnes) : Float64Array.from(scaledOnes);
}

/** Two orientations as far apart as `size` says, or any two. */
function pair(size: number | undefined, scalar: Scalar): [Numbers, Numbers] {
  const a = scaleToOne([noise(), noise(), noise(), noise()], scalar);
  const b = [...a].map((x) => (size === undefined ? noise() : x + size * noise()));
  return [a, scaleToOne(b, scalar)];
}

/** The blend in f64, with an arc that is as exact for small angles as for large ones. */
function exact(blend: Blend, a: Numbers, b: Numbers, t: number): number[] {
  const [p, q] = [a, b].map((x) => [...x].map((n) => n / Math.hypot(...x))) as [number[], number[]];
  const sign = dot(p, q) < 0 ? -1 : 1;
  const difference = Math.hypot(...p.map((x, i) => x - sign * (q[i] as number)));
  const sum = Math.hypot(...p.map((x, i) => x + sign * (q[i] as number)));
  const arc = 2 * Math.atan2(difference, sum);
  const weight = (share: number): number =>
    blend === 'nlerp' || arc === 0 ? share : Math.sin(share * arc) / Math.sin(arc);
  const mixed = p.map((x, i) => x * weight(1 - t) + (q[i] as number) * weight(t) * sign);
  const length = Math.hypot(...mixed);
  return mixed.map((x) => x / length);
}

function dot(p: ArrayLike<number>, q: ArrayLike<number>): number {
  return [0, 1, 2, 3].reduce((sum, i) => sum + (p[i] as number) * (q[i] as number), 0);
}

const kinds = [
  { blend: 'slerp', scalar: 'f32', error: 2e-7 },
  { blend: 'nlerp', scalar: 'f32', error: 2e-7 },
  { blend: 'slerp', scalar: 'f64', error: 1e-14 },
  { blend: 'nlerp', scalar: 'f64', error: 1e-14 },
] as const;

describe.each(kinds)('a $blend in $scalar', ({ blend, scalar, error }) => {
  it.each([
    ['any two orientations', undefined],
    ['a turn of some degrees', 0.1],
    ['a turn of a thousandth', 1e-3],
    ['a turn that rounding nearly hides', 1e-6],
  ])(`is exact to ${error} over %s`, (_, size) => {
    const schema: ComponentSchema = {
      name: 'orientation',
      channelIndex: 0,
      blend,
      width: 4,
      scalar,
      period: 0,
    };
    const out = scalar === 'f32' ? new Float32Array(4) : new Float64Array(4);
    let worst = 0;
    for (let i = 0; i < scaled({ tiny: 2000, normal: 20_000, full: 500_000 }); i++) {
      const [a, b] = pair(size, scalar);
      const t = Math.fround(random.nextU32() / 2 ** 32);
      // Nearly at right angles a rounding decides which way is the shorter one.
      if (Math.abs(dot(a, b)) < 1e-5) continue;
      blendRow(schema, a, b, 0, { alpha: t }, out, 0);
      exact(blend, a, b, t).forEach((x, k) => {
        worst = Math.max(worst, Math.abs(x - (out[k] as number)));
      });
    }
    expect(worst, `seed ${SEED}`).toBeLessThan(error);
  });
});

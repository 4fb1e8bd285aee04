import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlendJob, blendChannel, blendRow } from '../../src/render/blend.ts';
import type { Blend, Column, ComponentSchema, ScalarType } from '../../src/shared/schema.ts';

function channel(
  blend: Blend,
  width: 1 | 2 | 3 | 4,
  scalar: ScalarType = 'f32',
  period = 0,
): ComponentSchema {
  return { name: 'channel', channelIndex: 0, blend, width, scalar, period };
}

/** A job over all rows of two columns, nothing snapping, everybody there. */
function job(width: number, earlier: Column, later: Column, alpha: number): BlendJob {
  const count = earlier.length / width;
  return {
    earlier,
    later,
    alpha,
    live: Uint32Array.from({ length: count }, (_, i) => i),
    count,
    dense: true,
    earlierStamps: new Uint32Array(count),
    laterStamps: new Uint32Array(count),
    checkStamps: false,
    presence: new Uint32Array(Math.ceil(count / 32)).fill(0xffffffff),
    checkPresence: false,
    unblended: new Uint32Array(Math.ceil(count / 32)),
    checkUnblended: false,
    out: new Float32Array(earlier.length),
    stride: width,
    offset: 0,
  };
}

function row(schema: ComponentSchema, a: Column, b: Column, alpha: number): number[] {
  const out = Array.from({ length: schema.width }, () => Number.NaN);
  blendRow(schema, a, b, 0, { alpha }, out, 0);
  return out;
}

/** The distance to the next number of f32 beyond a magnitude. */
function ulp(magnitude: number): number {
  return magnitude < 2 ** -126 ? 2 ** -149 : 2 ** (Math.floor(Math.log2(magnitude)) - 23);
}

const value = fc.float({ min: -(2 ** 100), max: 2 ** 100, noNaN: true });
const alphas = fc.double({ min: 0, max: 1, noNaN: true });
const widths = fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const);

/** Two columns of some rows of one width. */
const columns = widths.chain((width) =>
  fc.integer({ min: 1, max: 40 }).chain((rows) => {
    const numbers = fc.array(value, { minLength: rows * width, maxLength: rows * width });
    return fc.record({
      width: fc.constant(width),
      a: numbers.map((list) => Float32Array.from(list)),
      b: numbers.map((list) => Float32Array.from(list)),
    });
  }),
);

describe('a linear blend', () => {
  it.each([1, 2, 3, 4] as const)('blends %i numbers a row', (width) => {
    const a = Float32Array.from({ length: 3 * width }, (_, i) => i);
    const b = Float32Array.from({ length: 3 * width }, (_, i) => i + 8);
    const work = job(width, a, b, 0.25);
    blendChannel(channel('lerp', width), work);
    expect([...(work.out as Float32Array)]).toEqual([...a].map((from) => from + 2));
  });

  it('lies between its two states, but for one rounding', () => {
    fc.assert(
      fc.property(columns, alphas, ({ width, a, b }, alpha) => {
        const work = job(width, a, b, alpha);
        blendChannel(channel('lerp', width), work);
        (work.out as Float32Array).forEach((got, i) => {
          const [from, to] = [a[i] as number, b[i] as number];
          const slop = ulp(Math.max(Math.abs(from), Math.abs(to)));
          expect(got).toBeGreaterThanOrEqual(Math.min(from, to) - slop);
          expect(got).toBeLessThanOrEqual(Math.max(from, to) + slop);
        });
      }),
    );
  });

  it('is the same bits whether rows are dense, listed or spread out', () => {
    fc.assert(
      fc.property(columns, alphas, ({ width, a, b }, alpha) => {
        const dense = job(width, a, b, alpha);
        const listed = { ...job(width, a, b, alpha), dense: false };
        const stride = width + 3;
        const spread = job(width, a, b, alpha);
        spread.stride = stride;
        spread.offset = 2;
        spread.out = new Float32Array(2 + (a.length / width) * stride).fill(-1);
        for (const each of [dense, listed, spread]) blendChannel(channel('lerp', width), each);
        for (let i = 0; i < a.length; i++) {
          const got = dense.out[i] as number;
          // Alpha 0 copies a -0 that the sum makes 0.
          expect((listed.out[i] as number) + 0).toBe(got + 0);
          const at = 2 + Math.floor(i / width) * stride + (i % width);
          expect(spread.out[at]).toBe(got);
        }
        expect(spread.out[0]).toBe(-1);
      }),
    );
  });

  it('snaps a row whose stamps differ, and gives NaN where the component is not there', () => {
    const a = Float32Array.of(0, 0, 0, 0);
    const b = Float32Array.of(8, 8, 8, 8);
    const work = job(1, a, b, 0.5);
    work.dense = false;
    work.checkStamps = true;
    work.laterStamps[1] = 7;
    work.checkPresence = true;
    work.presence[0] = 0b1011;
    blendChannel(channel('lerp', 1), work);
    expect([...(work.out as Float32Array)]).toEqual([4, 8, Number.NaN, 4]);
  });

  it('gives 0 where an integer is not there, also in an array that could hold NaN', () => {
    const work = job(1, Int32Array.of(3, 5), Int32Array.of(3, 5), 0.5);
    work.dense = false;
    work.checkPresence = true;
    work.presence[0] = 0b10;
    blendChannel(channel('step', 1, 'i32'), work);
    expect([...(work.out as Float32Array)]).toEqual([0, 5]);
  });

  it('keeps the precision of f64', () => {
    const [got] = row(
      channel('lerp', 1, 'f64'),
      Float64Array.of(1e9),
      Float64Array.of(1e9 + 0.5),
      0.5,
    );
    expect(got).toBe(1e9 + 0.25);
  });
});

const kinds: readonly ComponentSchema[] = [
  channel('lerp', 3),
  channel('lerp', 2, 'f64'),
  channel('angle', 1, 'f32', 360),
  channel('slerp', 4),
  channel('step', 4),
  channel('fixed', 2, 'fixed'),
];

/** Makes a state a channel can hold: orientations have length 1, fixed numbers are whole. */
function fit(schema: ComponentSchema, numbers: readonly number[]): Column {
  const list = numbers.slice(0, schema.width);
  if (schema.scalar === 'fixed') return Int32Array.from(list, (x) => x | 0);
  if (schema.scalar === 'f64') return Float64Array.from(list);
  if (schema.blend !== 'slerp') return Float32Array.from(list);
  const scaled = list.map((x) => x / 2 ** 100);
  const length = Math.hypot(...scaled);
  return Float32Array.from(length > 1e-6 ? scaled.map((x) => x / length) : [0, 0, 0, 1]);
}

const states = fc.array(value, { minLength: 4, maxLength: 4 });

describe.each(kinds)('a blend of kind $blend ($width x $scalar)', (schema) => {
  it('is the earlier state bitwise at 0 and the later one bitwise at 1', () => {
    fc.assert(
      fc.property(states, states, (from, to) => {
        const [a, b] = [fit(schema, from), fit(schema, to)];
        expect(row(schema, a, b, 0)).toEqual([...a]);
        expect(row(schema, a, b, 1)).toEqual([...b]);
      }),
    );
  });

  it('is pure: the same alpha gives the same bits, and the states stay', () => {
    fc.assert(
      fc.property(states, states, alphas, alphas, (from, to, alpha, other) => {
        const [a, b] = [fit(schema, from), fit(schema, to)];
        const [a0, b0] = [a.slice(), b.slice()];
        const first = row(schema, a, b, alpha);
        row(schema, a, b, other);
        expect(row(schema, a, b, alpha)).toEqual(first);
        expect([a, b]).toEqual([a0, b0]);
      }),
    );
  });
});

describe('a blend of angles', () => {
  const degrees = fc.double({ min: -720, max: 720, noNaN: true });
  /** At the ends a state is shown as it is. */
  const between = alphas.filter((alpha) => alpha > 0 && alpha < 1);
  const angle = channel('angle', 1, 'f64', 360);
  const blendAngle = (a: number, b: number, alpha: number): number =>
    row(angle, Float64Array.of(a), Float64Array.of(b), alpha)[0] ?? Number.NaN;

  it('stays on the shorter arc, at its share of the way', () => {
    fc.assert(
      fc.property(degrees, degrees, between, (a, b, alpha) => {
        const apart = (from: number, to: number): number => {
          const d = (((to - from) % 360) + 360) % 360;
          return d > 180 ? d - 360 : d;
        };
        const got = blendAngle(a, b, alpha);
        expect(got).toBeGreaterThanOrEqual(0);
        expect(got).toBeLessThan(360);
        const whole = Math.abs(apart(a, b));
        expect(Math.abs(Math.abs(apart(a, got)) - alpha * whole)).toBeLessThan(1e-9);
        expect(Math.abs(Math.abs(apart(got, b)) - (1 - alpha) * whole)).toBeLessThan(1e-9);
      }),
    );
  });

  it.each([
    [0, 180, 270],
    [90, 270, 0],
    [270, 90, 180],
    [180, 0, 90],
  ])('goes the negative way from %i to %i degrees: over %i', (a, b, middle) => {
    expect(blendAngle(a, b, 0.5)).toBe(middle);
  });

  it('is never a whole turn, a hair below 0 included', () => {
    expect(blendAngle(0, -1e-20, 0.5)).toBe(0);
  });
});

describe('a spherical blend', () => {
  it('has length 1, turns evenly, and is the same for q and -q', () => {
    fc.assert(
      fc.property(states, states, alphas, (from, to, alpha) => {
        const schema = channel('slerp', 4);
        const [a, b] = [fit(schema, from), fit(schema, to)];
        const got = row(schema, a, b, alpha);
        expect(Math.abs(Math.hypot(...got) - 1)).toBeLessThan(1e-6);
        const dot = (p: ArrayLike<number>, q: ArrayLike<number>): number =>
          [0, 1, 2, 3].reduce((sum, i) => sum + (p[i] as number) * (q[i] as number), 0);
        const arc = (p: ArrayLike<number>, q: ArrayLike<number>): number =>
          Math.acos(Math.min(1, Math.abs(dot(p, q))));
        const whole = arc(a, b);
        // An arc cosine near 1 knows only half the digits.
        expect(Math.abs(arc(a, got) - alpha * whole)).toBeLessThan(1e-3);
        if (Math.abs(dot(a, b)) < 1e-3 || alpha >= 1) return;
        const mirrored = row(schema, a, b.map((x) => -x) as Column, alpha);
        mirrored.forEach((x, i) => expect(x).toBeCloseTo(got[i] as number, 6));
      }),
    );
  });
});

describe('a step', () => {
  it('shows the earlier state until alpha is 1', () => {
    const schema = channel('step', 1, 'u8');
    const [a, b] = [Uint8Array.of(3), Uint8Array.of(9)];
    expect([0, 0.5, 0.999999].map((alpha) => row(schema, a, b, alpha)[0])).toEqual([3, 3, 3]);
    expect(row(schema, a, b, 1)).toEqual([9]);
  });
});

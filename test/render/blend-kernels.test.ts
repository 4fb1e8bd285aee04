import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blendChannel } from '../../src/render/blend.ts';
import type { BlendRows } from '../../src/shared/kernels/blend-rows.ts';
import type { Blend, ComponentSchema, ScalarType } from '../../src/shared/schema.ts';
import { Arena, bitsOf } from '../shared/kernels/arena.ts';
import { scaled } from '../scaled.ts';

const numRuns = scaled({ tiny: 100, normal: 400, full: 5000 });

/** A kind of channel and the widths it can have. */
interface Kind {
  readonly blend: Blend;
  readonly scalar: ScalarType;
  readonly widths: readonly number[];
}

const kinds: readonly Kind[] = [
  { blend: 'lerp', scalar: 'f32', widths: [1, 2, 3, 4, 7, 30] },
  { blend: 'angle', scalar: 'f32', widths: [1, 2, 5] },
  { blend: 'slerp', scalar: 'f32', widths: [4, 8, 20] },
  { blend: 'nlerp', scalar: 'f32', widths: [4, 8, 20] },
  { blend: 'fixed', scalar: 'fixed', widths: [1, 2, 3, 4, 6] },
  { blend: 'step', scalar: 'f32', widths: [1, 3] },
  { blend: 'step', scalar: 'f64', widths: [1, 3] },
  { blend: 'step', scalar: 'u16', widths: [1, 3] },
  { blend: 'step', scalar: 'u8', widths: [0, 1, 3] },
];

const special = [0, -0, 1, -1, 2 ** -149, -(2 ** -126), 3e38, -3e38, Infinity, -Infinity, NaN];
const f32 = fc.oneof(
  { weight: 8, arbitrary: fc.float({ min: -2, max: 2, noNaN: true }) },
  { weight: 2, arbitrary: fc.float() },
  { weight: 1, arbitrary: fc.constantFrom(...special) },
);
const i32 = fc.oneof(fc.integer(), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 0));

function numberOf(scalar: ScalarType): fc.Arbitrary<number> {
  if (scalar === 'fixed') return i32;
  if (scalar === 'u8' || scalar === 'u16') return fc.integer({ min: 0, max: 65535 });
  return f32;
}

const alphas = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.constantFrom(0, 1, 0.5, 2 ** -149, 1e-320, 1 - 2 ** -53, 1 - 2 ** -25, 2 ** -17),
);

/** One blend: rows of which some are gone, and what is to be looked at. */
interface Case {
  readonly schema: ComponentSchema;
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly alpha: number;
  readonly live: readonly number[];
  readonly capacity: number;
  readonly snapped: readonly number[];
  readonly missing: readonly number[];
  readonly unblended: readonly number[];
  readonly checks: readonly [boolean, boolean, boolean];
}

/** Slots by how often they are taken: all, most, some. */
const slots = (capacity: number, share: number): fc.Arbitrary<number[]> =>
  fc
    .array(fc.nat(99), { minLength: capacity, maxLength: capacity })
    .map((dice) => dice.flatMap((die, slot) => (die < share ? [slot] : [])));

function cases({ blend, scalar, widths }: Kind): fc.Arbitrary<Case> {
  const sizes = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 10, max: 110 }));
  const shares = fc.constantFrom(0, 2, 30);
  return fc.tuple(sizes, fc.constantFrom(...widths)).chain(([capacity, width]) => {
    const length = capacity * width;
    const numbers = fc.array(numberOf(scalar), { minLength: length, maxLength: length });
    const some = shares.chain((share) => slots(capacity, share));
    return fc.record({
      schema: fc.constantFrom(360, Math.PI * 2, 1e-3).map(
        (period): ComponentSchema => ({
          name: 'channel',
          channelIndex: 0,
          blend,
          scalar,
          width,
          period: blend === 'angle' ? period : 0,
        }),
      ),
      a: numbers,
      b: numbers,
      alpha: alphas,
      live: fc.constantFrom(100, 97, 60, 5).chain((share) => slots(capacity, share)),
      capacity: fc.constant(capacity),
      snapped: some,
      missing: some,
      unblended: some,
      checks: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    });
  });
}

function bitset(capacity: number, members: readonly number[]): Uint32Array {
  const bits = new Uint32Array(Math.ceil(capacity / 32));
  for (const member of members)
    bits[member >>> 5] = (bits[member >>> 5] ?? 0) | (1 << (member & 31));
  return bits;
}

/** Places a case, and room for the rows of both ways. */
function place(arena: Arena, it: Case) {
  arena.clear();
  const { scalar, width } = it.schema;
  const [checkStamps, checkPresence, checkUnblended] = it.checks;
  const snapped = new Set(it.snapped);
  const missing = new Set(it.missing);
  const all = Array.from({ length: it.capacity }, (_, slot) => slot);
  const stamps = all.map((slot) => slot * 3);
  const place = (list: ArrayLike<number>): Uint32Array => arena.place('u32', list) as Uint32Array;
  const rows: BlendRows = {
    earlier: arena.place(scalar, it.a),
    later: arena.place(scalar, it.b),
    alpha: it.alpha,
    live: place(it.live),
    count: it.live.length,
    dense: it.live.length === it.capacity && !it.checks.includes(true),
    earlierStamps: place(stamps),
    laterStamps: place(stamps.map((stamp, slot) => (snapped.has(slot) ? stamp + 1 : stamp))),
    checkStamps,
    presence: place(
      bitset(
        it.capacity,
        all.filter((slot) => !missing.has(slot)),
      ),
    ),
    checkPresence,
    unblended: place(bitset(it.capacity, it.unblended)),
    checkUnblended,
  };
  const length = it.live.length * width;
  return { rows, plain: arena.room(scalar, length), simd: arena.room(scalar, length) };
}

const arenas = { shared: new Arena(true), unshared: new Arena(false) };

describe.each(kinds)('the kernel for $blend of $scalar', (kind) => {
  it.each(['shared', 'unshared'] as const)(
    'writes the bits that the loop writes and nothing else, in %s memory',
    (memory) => {
      const arena = arenas[memory];
      fc.assert(
        fc.property(cases(kind), (it) => {
          const { rows, plain, simd } = place(arena, it);
          const { width } = it.schema;
          blendChannel(it.schema, { ...rows, out: plain, stride: width, offset: 0 });
          const bytes = arena.region.u8;
          const end = simd.byteOffset + simd.byteLength;
          const before = bytes.slice(256, simd.byteOffset);
          const behind = bytes.slice(end, end + 64);
          expect(arena.kernels.blend(it.schema, rows, simd)).toBe(true);
          expect(bitsOf(simd)).toEqual(bitsOf(plain));
          expect(Buffer.compare(bytes.slice(256, simd.byteOffset), before)).toBe(0);
          expect(Buffer.compare(bytes.slice(end, end + 64), behind)).toBe(0);
        }),
        { numRuns },
      );
    },
  );
});

describe('a channel without a kernel', () => {
  it.each([
    ['lerp', 'f64', 2],
    ['angle', 'f64', 1],
    ['slerp', 'f64', 4],
  ] as const)('%s of %s is declined, and nothing is written', (blend, scalar, width) => {
    const arena = arenas.shared;
    const schema = { name: 'channel', channelIndex: 0, blend, scalar, width, period: 1 };
    const numbers = new Float64Array(width);
    const { rows, simd } = place(arena, {
      schema,
      a: [...numbers],
      b: [...numbers],
      alpha: 0.5,
      live: [0],
      capacity: 1,
      snapped: [],
      missing: [],
      unblended: [],
      checks: [false, false, false],
    });
    const before = arena.region.u8.slice();
    expect(arena.kernels.blend(schema, rows, simd)).toBe(false);
    expect(Buffer.compare(arena.region.u8, before)).toBe(0);
  });
});

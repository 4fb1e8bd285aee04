import fc from 'fast-check';
import type { Fnv64 } from '../../../src/shared/hash.ts';
import { decompose } from './reference.ts';

export const NORMAL_MIN: number = 2 ** -1022;

const view = new DataView(new ArrayBuffer(8));

export function toHex(value: number): string {
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}

export function feed(hash: Fnv64, value: number): void {
  view.setFloat64(0, value);
  hash.u32(view.getUint32(0));
  hash.u32(view.getUint32(4));
}

/** The double `steps` places away from zero, or towards it, of one above zero. */
export function neighbour(value: number, steps: number): number {
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(steps));
  return view.getFloat64(0);
}

/** A double above zero and those up to two places away. */
export function around(value: number): number[] {
  return [-2, -1, 0, 1, 2].map((steps) => neighbour(value, steps));
}

/** The greatest n with 2^n <= x, for a double above zero. */
export function exponentOf(x: number): number {
  const { significand, exponent } = decompose(x);
  return significand.toString(2).length - 1 + exponent;
}

export const uniform = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: 2 ** 40 }).map((n) => min + (n / 2 ** 40) * (max - min));

/** Doubles above zero with an exponent between two bounds. */
export const octaves = (min: number, max: number): fc.Arbitrary<number> =>
  fc
    .tuple(fc.integer({ min: 0, max: 2 ** 52 - 1 }), fc.integer({ min, max }))
    .map(([fraction, exponent]) => (1 + fraction / 2 ** 52) * 2 ** exponent);

export const subnormal: fc.Arbitrary<number> = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 52 - 1 }), fc.integer({ min: 0, max: 51 }))
  .map(([n, shift]) => Math.ceil(n / 2 ** shift) * Number.MIN_VALUE);

/** 1 with a step up or down of any size. */
export const nearOne: fc.Arbitrary<number> = fc
  .tuple(uniform(-1, 1), fc.integer({ min: 1, max: 52 }))
  .map(([step, exponent]) => 1 + step * 2 ** -exponent)
  .filter((x) => x !== 1);

/** Doubles above zero of every size. */
export const positive: fc.Arbitrary<number> = fc.oneof(
  fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true }),
  octaves(-1022, 1023),
  subnormal,
  uniform(0.5, 3),
);

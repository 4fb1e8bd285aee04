import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  length2Fixed,
  length3Fixed,
  lerpFixedInto,
  normalise2Fixed,
  normalise3Fixed,
} from '../../../src/shared/math/fixed-vector.ts';
import { FIXED_MAX, FIXED_MIN, FIXED_ONE, lerpFixed } from '../../../src/shared/math/fixed.ts';
import { Random, STATE_WORDS } from '../../../src/shared/math/random.ts';
import { scaled } from '../../scaled.ts';
import { EXTREMES, Mismatches, nearestRoot, Raws, saturate } from './fixed-reference.ts';
import { squareRoot } from './reference.ts';

const CHUNK = 2000;
const VECTORS = scaled({ tiny: 20_000, normal: 100_000, full: 2_000_000 });

function squares(x: number, y: number, z: number): bigint {
  return BigInt(x) ** 2n + BigInt(y) ** 2n + BigInt(z) ** 2n;
}

/** part / length of the vector, in raw units, rounded to nearest: there are no ties. */
function exactComponent(part: number, x: number, y: number, z: number): number {
  if (part === 0) return 0;
  const size = nearestRatio((BigInt(part) ** 2n) << 34n, squares(x, y, z));
  return Number(part < 0 ? -size : size);
}

/** The whole number nearest to half the root of numerator / denominator. */
function nearestRatio(numerator: bigint, denominator: bigint): bigint {
  return (squareRoot(numerator / denominator) + 1n) >> 1n;
}

const out = new Int32Array(8);

function checkVector(faults: Mismatches, x: number, y: number, z: number): void {
  faults.compare(length2Fixed(x, y), saturate(nearestRoot(squares(x, y, 0))), x, y);
  faults.compare(length3Fixed(x, y, z), saturate(nearestRoot(squares(x, y, z))), x, y, z);
  const flat = normalise2Fixed(x, y, out, 1);
  faults.compare(out[1] as number, exactComponent(x, x, y, 0), x, y);
  faults.compare(out[2] as number, exactComponent(y, x, y, 0), x, y);
  const solid = normalise3Fixed(x, y, z, out, 4);
  faults.compare(out[4] as number, exactComponent(x, x, y, z), x, y, z);
  faults.compare(out[5] as number, exactComponent(y, x, y, z), x, y, z);
  faults.compare(out[6] as number, exactComponent(z, x, y, z), x, y, z);
  faults.compare(Number(flat), x === 0 && y === 0 ? 0 : 1, x, y);
  faults.compare(Number(solid), x === 0 && y === 0 && z === 0 ? 0 : 1, x, y, z);
}

/** Runs `draw` in chunks, each with a seed of its own that a failure names. */
function checkChunks(draw: (faults: Mismatches, random: Random, raws: Raws) => void): void {
  const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 }));
  const check = (seed: number): void => {
    const faults = new Mismatches(seed);
    const random = Random.seed(new Uint32Array(STATE_WORDS), 0, seed, 1, 0);
    const raws = new Raws(seed);
    for (let i = 0; i < CHUNK; i++) draw(faults, random, raws);
    expect(faults.list()).toEqual([]);
  };
  fc.assert(fc.property(seeds, check), { numRuns: VECTORS / CHUNK });
}

/** Splits a sum of squares over y and z, as closely as whole numbers do. */
function splitSquare(square: bigint): [number, number] {
  const y = squareRoot(square);
  return [Number(y), Number(nearestRoot(square - y * y))];
}

describe('length and direction of a vector', () => {
  it('equal exact arithmetic for all pairs of extremes, with a third', () => {
    const faults = new Mismatches(0);
    EXTREMES.forEach((x, i) => {
      EXTREMES.forEach((y, k) => {
        checkVector(faults, x, y, EXTREMES[(i * 5 + k) % EXTREMES.length] as number);
      });
    });
    expect(faults.list()).toEqual([]);
  });

  it('equal exact arithmetic for numbers of all sizes', () => {
    checkChunks((faults, _, raws) => checkVector(faults, raws.next(), raws.next(), raws.next()));
  });

  it('equal exact arithmetic for lengths so close to a tie that doubles cannot tell', () => {
    let close = 0;
    checkChunks((faults, random) => {
      const below = random.nextRange(2 ** 20, 2 ** 31 - 1);
      const x = below - random.nextRange(0, 2 ** 16);
      const tie = BigInt(below) * BigInt(below + 1);
      const [y, z] = splitSquare(tie - BigInt(x) ** 2n);
      if (squares(x, y, z) - tie < 500n && tie - squares(x, y, z) < 500n) close += 1;
      const exact = saturate(nearestRoot(squares(x, y, z)));
      faults.compare(length3Fixed(x, y, -z), exact, x, y, z);
      faults.compare(length3Fixed(-z, x, y), exact, x, y, z);
    });
    expect(close).toBeGreaterThan(VECTORS / 4);
  });

  it('equal exact arithmetic for directions so close to a tie that doubles cannot tell', () => {
    let taken = 0;
    checkChunks((faults, random) => {
      const x = random.nextRange(2 ** 20, 2 ** 31);
      const odd = BigInt(2 * random.nextRange(0, FIXED_ONE) + 1);
      // The square of the length that makes x / length odd / 2, as nearly as can be.
      const [y, z] = splitSquare(((BigInt(x) ** 2n) << 34n) / odd ** 2n - BigInt(x) ** 2n);
      if (y > FIXED_MAX) return;
      taken += 1;
      checkVector(faults, x, y, z);
      checkVector(faults, -z, -x, -y);
    });
    expect(taken).toBeGreaterThan(VECTORS / 10);
  });

  it('keep the accuracy of vectors of a few raw units', () => {
    expect(normalise2Fixed(1, 1, out)).toBe(true);
    expect([out[0], out[1]]).toEqual([46_341, 46_341]);
    expect(normalise3Fixed(-1, 0, 2, out)).toBe(true);
    expect([out[0], out[1], out[2]]).toEqual([-29_309, 0, 58_617]);
    expect(length2Fixed(-1, 1)).toBe(1);
    expect(length3Fixed(1, 1, 1)).toBe(2);
  });

  it('hold beyond 181 an axis, where a product of fixed-point numbers saturates', () => {
    expect(length2Fixed(300 * FIXED_ONE, -400 * FIXED_ONE)).toBe(500 * FIXED_ONE);
    expect(length3Fixed(2000 * FIXED_ONE, 3000 * FIXED_ONE, 6000 * FIXED_ONE)).toBe(
      7000 * FIXED_ONE,
    );
    normalise2Fixed(FIXED_MIN, FIXED_MIN, out);
    expect([out[0], out[1]]).toEqual([-46_341, -46_341]);
  });

  it('saturate the length of what is longer than the largest number (FXP 106)', () => {
    expect(length2Fixed(FIXED_MIN, 0)).toBe(FIXED_MAX);
    expect(length2Fixed(FIXED_MAX, 0)).toBe(FIXED_MAX);
    expect(length2Fixed(FIXED_MAX - 1, 0)).toBe(FIXED_MAX - 1);
    expect(length3Fixed(FIXED_MIN, FIXED_MIN, FIXED_MIN)).toBe(FIXED_MAX);
  });
});

describe('the zero vector', () => {
  it('has no direction: zeros are written and false is returned (FXP 107)', () => {
    out.fill(7);
    expect(normalise2Fixed(0, 0, out)).toBe(false);
    expect([...out.subarray(0, 3)]).toEqual([0, 0, 7]);
    expect(normalise3Fixed(0, 0, 0, out, 2)).toBe(false);
    expect([...out]).toEqual([0, 0, 0, 0, 0, 7, 7, 7]);
  });
});

describe('lerpFixedInto', () => {
  it('lerps as many components as the target has, and may write over either end', () => {
    const a = Int32Array.of(FIXED_MIN, 0, 5);
    const b = Int32Array.of(FIXED_MAX, -3, 9);
    const target = new Int32Array(2);
    lerpFixedInto(a, b, 32_768, target);
    expect([...target]).toEqual([0, -2]);
    expect(target[0]).toBe(lerpFixed(FIXED_MIN, FIXED_MAX, 32_768));
    lerpFixedInto(a, b, FIXED_ONE, a);
    expect([...a]).toEqual([...b]);
  });
});

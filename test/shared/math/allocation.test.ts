import { describe, expect, it } from 'vitest';
import { Fnv64 } from '../../../src/shared/hash.ts';
import { exp, log, pow } from '../../../src/shared/math/exp.ts';
import { addF32, lerpF32, mulF32, normalise3F32 } from '../../../src/shared/math/f32.ts';
import { lerpFixed, toFixed } from '../../../src/shared/math/fixed.ts';
import { log10, log2 } from '../../../src/shared/math/log-bases.ts';
import { Random, STATE_WORDS } from '../../../src/shared/math/random.ts';
import { cbrt, hypot } from '../../../src/shared/math/roots.ts';
import { atan2, cos, sin } from '../../../src/shared/math/trig.ts';

const CALLS = 10_000;

/**
 * Heap growth per call in whole bytes, once the engine has compiled the round: it does so when it
 * pleases, on another thread, so the least of many tries counts.
 */
function allocatedBytes(round: () => void): number {
  let least = Infinity;
  for (let attempt = 0; attempt < 400 && least >= CALLS; attempt++) {
    for (let warmUp = 0; warmUp < 10; warmUp++) round();
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    round();
    least = Math.min(least, process.memoryUsage().heapUsed - before);
  }
  return Math.max(0, Math.floor(least / CALLS));
}

const values = Float64Array.from({ length: CALLS }, (_, index) => index * 0.37 - 1000);
const large = Float64Array.from({ length: CALLS }, (_, index) => 1e9 * (index + 0.5) ** 3);
const out = new Float64Array(CALLS);
const singles = new Float32Array(CALLS);
const raws = new Int32Array(CALLS);
const bytes = new Uint8Array(CALLS);
const pair = new Uint32Array(2);
const random = Random.seed(new Uint32Array(STATE_WORDS), 0, 1, 2, 3);
const hash = new Fnv64();

describe('nothing is allocated by', () => {
  it('sin and cos, at small and large angles', () => {
    const round = (): void => {
      for (let index = 0; index < CALLS; index++) {
        out[index] = sin(values[index] as number) + cos(large[index] as number);
      }
    };
    expect(allocatedBytes(round)).toBe(0);
  });

  it('atan2', () => {
    const round = (): void => {
      for (let index = 1; index < CALLS; index++) {
        out[index] = atan2(values[index] as number, values[CALLS - index] as number);
      }
    };
    expect(allocatedBytes(round)).toBe(0);
  });

  it('exp, log and pow, many of them in one caller', () => {
    const round = (): void => {
      for (let index = 0; index < CALLS; index++) {
        const x = values[index] as number;
        const y = large[index] as number;
        out[index] = exp(x) + log(y) + pow(y, x) + exp(log(y) / 3) + pow(x, 3) + log(y + x);
        out[index] = exp(-x) * pow(y, 0.1) + pow(exp(x / 1000), log(y)) + exp(x / 2) + pow(x, -2);
      }
    };
    expect(allocatedBytes(round)).toBe(0);
  });

  it('log2, log10, cbrt and hypot, many of them in one caller', () => {
    const round = (): void => {
      for (let index = 0; index < CALLS; index++) {
        const x = values[index] as number;
        const y = large[index] as number;
        out[index] = log2(y) + log10(y) + cbrt(x) + hypot(x, y) + log2(x) + log10(x + y) + cbrt(y);
        out[index] = hypot(log2(y), cbrt(x)) + cbrt(hypot(x, 3)) + log10(y / 3) + log2(256);
      }
    };
    expect(allocatedBytes(round)).toBe(0);
  });

  it('operations of the f32 backend', () => {
    const round = (): void => {
      for (let index = 0; index + 3 <= CALLS; index++) {
        const a = singles[index] as number;
        const b = Math.fround(values[index] as number);
        const c = lerpF32(a, b, 0.25);
        normalise3F32(addF32(a, b), mulF32(b, c), c, singles, index);
      }
    };
    expect(allocatedBytes(round)).toBe(0);
  });

  it('draws of fractions', () => {
    const round = (): void => {
      for (let index = 0; index < CALLS; index++) {
        out[index] = random.nextFloat64() + random.nextFloat01();
      }
    };
    expect(allocatedBytes(round)).toBe(0);
  });

  it('draws of whole numbers', () => {
    const round = (): void => {
      for (let index = 0; index < CALLS; index++) {
        out[index] = random.nextU32();
        raws[index] = random.nextRange(-10, 1000);
        random.nextU64Into(pair);
      }
    };
    expect(allocatedBytes(round)).toBe(0);
  });

  it('fixed point', () => {
    const round = (): void => {
      for (let index = 1; index < CALLS; index++) {
        raws[index] = lerpFixed(raws[index - 1] as number, toFixed(values[index] as number), index);
      }
    };
    expect(allocatedBytes(round)).toBe(0);
  });

  it('a hash', () => {
    const round = (): void => {
      hash.bytes(bytes);
      for (let index = 0; index < CALLS; index++) hash.u32(raws[index] as number);
      hash.string('escapement äöü');
    };
    expect(allocatedBytes(round)).toBe(0);
  });
});

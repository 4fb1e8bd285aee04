import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EscapementError } from '../../../src/shared/error.ts';
import { Fnv64 } from '../../../src/shared/hash.ts';
import { Random, STATE_WORDS } from '../../../src/shared/math/random.ts';
import { scaled } from '../../scaled.ts';

const K = 0x9e3779b97f4a7c15n;
const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);

/** The published algorithm in plain 64-bit arithmetic. */
class Model {
  part1: bigint;
  part2: bigint;

  constructor(seed: bigint, substreamId: number) {
    const base = seed + BigInt(substreamId) * K;
    this.part1 = finalise(u64(base + K));
    this.part2 = finalise(u64(base + 2n * K));
  }

  next(): bigint {
    const old = this.part2;
    const t = this.part1 ^ u64(this.part1 << 23n);
    this.part1 = old;
    this.part2 = t ^ old ^ (t >> 18n) ^ (old >> 5n);
    return u64(this.part2 + old);
  }

  nextRange(begin: number, end: number): number {
    const span = BigInt(end - begin);
    const surplus = 2n ** 32n % span;
    for (;;) {
      const product = (this.next() >> 32n) * span;
      if (product % 2n ** 32n >= surplus) return begin + Number(product >> 32n);
    }
  }
}

function finalise(value: bigint): bigint {
  const a = u64((value ^ (value >> 30n)) * 0xbf58476d1ce4e5b9n);
  const b = u64((a ^ (a >> 27n)) * 0x94d049bb133111ebn);
  return b ^ (b >> 31n);
}

function generator(seed: bigint, substreamId = 0): Random {
  const words = new Uint32Array(STATE_WORDS);
  return Random.seed(words, 0, Number(seed >> 32n), Number(seed & 0xffffffffn), substreamId);
}

function nextU64(random: Random): bigint {
  const out = new Uint32Array(2);
  random.nextU64Into(out);
  return (BigInt(out[0] ?? 0) << 32n) | BigInt(out[1] ?? 0);
}

const seeds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const ids = fc.oneof(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const RUNS = scaled({ tiny: 50, normal: 500, full: 20_000 });

describe('the stream', () => {
  it('of seed 1234567890ABCDEF begins with the published draws', () => {
    const random = generator(0x1234567890abcdefn);
    expect(nextU64(random)).toBe(0x6c6322b836e9ca2an);
    expect(nextU64(random)).toBe(0x80cbb0ce4f5f5b15n);
    expect(nextU64(random)).toBe(0xc1c40f25ed01d33bn);
  });

  it('of seed 1234567890ABCDEF has the published hash over 4096 draws', () => {
    const random = generator(0x1234567890abcdefn);
    const hash = new Fnv64();
    const out = new Uint32Array(2);
    for (let draw = 0; draw < 4096; draw++) {
      random.nextU64Into(out);
      hash.u32(out[0] ?? 0);
      hash.u32(out[1] ?? 0);
    }
    expect(hash.hex()).toBe('b64e76173859b6d8');
  });

  it('equals 64-bit arithmetic for every seed and substream', () => {
    fc.assert(
      fc.property(seeds, ids, (seed, id) => {
        const random = generator(seed, id);
        const model = new Model(seed, id);
        for (let draw = 0; draw < 32; draw++) expect(nextU64(random)).toBe(model.next());
      }),
      { numRuns: RUNS },
    );
  });

  it('of substream 0 is the master stream, and substreams add up', () => {
    fc.assert(
      fc.property(seeds, ids, (seed, id) => {
        const derived = u64(seed + BigInt(id) * K);
        expect(nextU64(generator(seed, id))).toBe(nextU64(generator(derived)));
      }),
    );
  });

  it('lies in the given words alone: a copy of them continues it', () => {
    const words = new Uint32Array(STATE_WORDS + 4).fill(0xdeadbeef);
    const random = Random.seed(words, 2, 7, 9, 3);
    random.nextU32();
    expect([words[0], words[1], words[8], words[9]]).toEqual(Array(4).fill(0xdeadbeef));
    const copy = new Random(words.slice(2, 2 + STATE_WORDS), 0);
    for (let draw = 0; draw < 100; draw++) expect(copy.nextU32()).toBe(random.nextU32());
  });

  it('keeps two generators apart that draw in turn', () => {
    const [a, b] = [generator(1n), generator(2n)];
    const [modelA, modelB] = [new Model(1n, 0), new Model(2n, 0)];
    for (let draw = 0; draw < 100; draw++) {
      expect(a.nextU32()).toBe(Number(modelA.next() >> 32n));
      expect(b.nextU32()).toBe(Number(modelB.next() >> 32n));
    }
  });

  it('keeps the seed of the substream, high word first, before the state', () => {
    const words = new Uint32Array(STATE_WORDS);
    Random.seed(words, 0, 0x12345678, 0x90abcdef, 2);
    const kept = (BigInt(words[0] ?? 0) << 32n) | BigInt(words[1] ?? 0);
    expect(kept).toBe(u64(0x1234567890abcdefn + 2n * K));
  });
});

describe('the ways to draw', () => {
  it('take the upper bits of one 64-bit draw each', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = generator(seed);
        const model = new Model(seed, 0);
        expect(random.nextU32()).toBe(Number(model.next() >> 32n));
        expect(random.nextFloat01()).toBe(Number(model.next() >> 40n) / 2 ** 24);
        expect(random.nextFloat64()).toBe(Number(model.next() >> 11n) / 2 ** 53);
        expect(random.nextU32()).toBe(Number(model.next() >> 32n));
      }),
      { numRuns: RUNS },
    );
  });

  it('give fractions in [0, 1) that f32 holds exactly', () => {
    const random = generator(99n);
    for (let draw = 0; draw < 10_000; draw++) {
      const value = random.nextFloat01();
      expect(value >= 0 && value < 1 && Math.fround(value) === value).toBe(true);
    }
  });

  it('give ranges as a 64-bit product with rejection does, at any span', () => {
    const spans = fc.oneof(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 2 ** 32 }),
      fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1, 2 ** 32, 3 * 2 ** 30),
    );
    fc.assert(
      fc.property(
        seeds,
        fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
        spans,
        (seed, begin, span) => {
          const random = generator(seed);
          const model = new Model(seed, 0);
          for (let draw = 0; draw < 16; draw++) {
            const value = random.nextRange(begin, begin + span);
            expect(value).toBe(model.nextRange(begin, begin + span));
            expect(value >= begin && value < begin + span).toBe(true);
          }
          // As many draws were taken, redraws included.
          expect(nextU64(random)).toBe(model.next());
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('favour no number of an odd range', () => {
    for (const span of [3, 7, 10, 97]) {
      const counts = Array.from({ length: span }, () => 0);
      const random = generator(BigInt(span));
      const draws = 2000 * span;
      for (let draw = 0; draw < draws; draw++) {
        const value = random.nextRange(0, span);
        counts[value] = (counts[value] ?? 0) + 1;
      }
      const chiSquare = counts.reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0);
      // Six standard deviations above the mean of that many degrees of freedom.
      expect(chiSquare).toBeLessThan(span - 1 + 6 * Math.sqrt(2 * (span - 1)));
    }
  });

  it('favour no third of a span where one product in three would be surplus', () => {
    const span = 3 * 2 ** 30;
    const counts = [0, 0, 0];
    const random = generator(5n);
    for (let draw = 0; draw < 30_000; draw++) {
      const third = Math.floor(random.nextRange(0, span) / 2 ** 30);
      counts[third] = (counts[third] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  it('spread fractions evenly over a hundred bins and keep neighbours apart', () => {
    const random = generator(0n);
    const bins = Array.from({ length: 100 }, () => 0);
    let correlation = 0;
    let last = random.nextFloat64() - 0.5;
    for (let draw = 0; draw < 100_000; draw++) {
      const value = random.nextFloat64();
      const bin = Math.floor(value * 100);
      bins[bin] = (bins[bin] ?? 0) + 1;
      correlation += last * (value - 0.5);
      last = value - 0.5;
    }
    const chiSquare = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect(chiSquare).toBeLessThan(99 + 6 * Math.sqrt(198));
    expect(Math.abs(correlation / 100_000)).toBeLessThan(0.0016);
  });
});

describe('a generator refuses', () => {
  const refusal = (run: () => unknown): unknown => {
    try {
      run();
    } catch (error) {
      return error instanceof EscapementError ? error.code : error;
    }
    return 'nothing';
  };

  it('ranges that are empty, too wide, or not of safe integers', () => {
    const random = generator(1n);
    const before = nextU64(generator(1n));
    for (const [begin, end] of [
      [0, 0],
      [1, 0],
      [0, 2 ** 32 + 1],
      [0.5, 3],
      [0, 2.5],
      [NaN, 1],
      [0, Infinity],
      [2 ** 53, 2 ** 53 + 2],
    ] as const) {
      expect(refusal(() => random.nextRange(begin, end))).toBe('VALUE_INVALID');
    }
    expect(nextU64(random)).toBe(before);
  });

  it('words that do not lie in the view', () => {
    const words = new Uint32Array(STATE_WORDS);
    for (const offset of [-1, 1, 0.5, NaN]) {
      expect(refusal(() => new Random(words, offset))).toBe('VALUE_INVALID');
      expect(refusal(() => Random.seed(words, offset, 0, 0, 0))).toBe('VALUE_INVALID');
    }
  });

  it('seeds and substreams that are not u32, and writes nothing', () => {
    const words = new Uint32Array(STATE_WORDS);
    for (const bad of [-1, 2 ** 32, 0.5, NaN]) {
      expect(refusal(() => Random.seed(words, 0, bad, 0, 0))).toBe('VALUE_INVALID');
      expect(refusal(() => Random.seed(words, 0, 0, bad, 0))).toBe('VALUE_INVALID');
      expect(refusal(() => Random.seed(words, 0, 0, 0, bad))).toBe('VALUE_INVALID');
    }
    expect([...words]).toEqual(Array(STATE_WORDS).fill(0));
  });
});

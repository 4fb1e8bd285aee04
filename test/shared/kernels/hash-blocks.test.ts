import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBlockHashKernel } from '../../../src/shared/kernels/block-hash-kernel.ts';
import {
  type BlockHasher,
  hashBlocks,
  type HashJob,
  hashKind,
  hashRoomBytes,
  ScriptBlockHasher,
} from '../../../src/shared/kernels/hash-blocks.ts';
import { createMemory, type KernelMemory } from '../../../src/shared/region.ts';
import { type ScalarType, scalarBytes } from '../../../src/shared/schema.ts';
import { scaled } from '../../scaled.ts';

const numRuns = scaled({ tiny: 20, normal: 100, full: 2000 });
const SLOTS = 2200;
const WIDTH_MAX = 33;
const BITSET_BYTES = 4 * Math.ceil(SLOTS / 32);
const ROWS_AT = 2 * Math.ceil(BITSET_BYTES / 64) * 64;
const ROOM = ROWS_AT + SLOTS * WIDTH_MAX * 8 + 64;
const SCALARS: readonly ScalarType[] = ['f32', 'f64', 'i32', 'u32', 'u16', 'u8', 'fixed'];
const WIDTHS = [...Array.from({ length: 18 }, (_, width) => width), WIDTH_MAX];

/** A memory and both ways to hash what lies in it. */
interface Bench {
  readonly buffer: ArrayBufferLike;
  readonly script: BlockHasher;
  readonly kernel: BlockHasher;
}

function openBench(shared: boolean): Bench {
  const memory = createMemory(ROOM + hashRoomBytes(SLOTS), shared);
  const kernel = openBlockHashKernel(memory, ROOM, SLOTS);
  if (kernel === undefined) throw new Error('this engine has no kernels');
  const { buffer } = memory as KernelMemory;
  return { buffer, script: new ScriptBlockHasher(SLOTS), kernel };
}

const benches = [openBench(true), openBench(false)] as const;

/** The words of the hash of one block in plain arithmetic. */
function told(words: readonly number[]): [number, number] {
  const a = Array.from({ length: 16 }, (_, lane) => Math.imul(lane + 1, 0x27d4eb2f));
  const b = Array.from({ length: 16 }, (_, lane) => Math.imul(lane + 1, 0x165667b1));
  const step = (x: number, y: number, first: number, second: number): [number, number] => {
    const [p, q] = [(x + first) | 0, y ^ second];
    const mixed = Math.imul(p ^ (q >>> 15), 0x9e3779b1);
    const low = (mixed + Math.imul(q ^ (p >>> 13), 0x85ebca77)) | 0;
    return [(mixed + low) | 0, low];
  };
  const whole = [...words, ...Array.from({ length: -words.length & 31 }, () => 0)];
  for (let at = 0; at < whole.length; at += 32) {
    for (let k = 0; k < 16; k++) {
      const [first, second] = [whole[at + k] as number, whole[at + 16 + k] as number];
      [a[k], b[k]] = step(a[k] as number, b[k] as number, first, second);
    }
  }
  let [high, low] = [0x27d4eb2f, 0x165667b1];
  for (let k = 0; k < 4; k++) {
    let pair: [number, number] = [0, 0];
    for (const lane of [k, k + 4, k + 8, k + 12]) {
      pair = step(...pair, spread(a[lane] as number), spread(b[lane] as number));
    }
    [high, low] = step(high, low, ...pair);
  }
  high = spread(high + Math.imul(low, 0x9e3779b1));
  low = spread(low + high);
  return [(high + low) | 0, low | 0];
}

function spread(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Column, presence and length of one hash. */
interface Case {
  readonly scalar: ScalarType;
  readonly width: number;
  readonly highWater: number;
  readonly isPacked: boolean;
  readonly alive: (word: number) => number;
  readonly presence: (word: number) => number;
  readonly number: (index: number) => number;
  /** A word of four bytes that is written over each of so many others, when it is told. */
  readonly odd: readonly [word: number, every: number];
}

const spreadBits = (seed: number, k: number): number =>
  Math.imul(Math.imul(seed + k, 0x9e3779b1) ^ (k >>> 3), 0x85ebca6b) >>> 0;

/** Words of a bitset: all, none, some, most, by eights, or all but the first and last blocks. */
const patterns = fc.nat().chain((seed) =>
  fc.constantFrom<((word: number) => number)[]>(
    () => 0xffffffff,
    () => 0,
    (k) => spreadBits(seed, k),
    (k) => (spreadBits(seed, k) | spreadBits(seed + 1, k) | spreadBits(seed + 2, k)) >>> 0,
    (k) => (spreadBits(seed, k) % 5 === 0 ? spreadBits(seed, k) : 0xffffffff),
    (k) => (spreadBits(seed, k) % 7 === 0 ? 1 << (seed & 31) : 0),
    (k) => ((k >>> 3) % 3 === seed % 3 ? 0xff00ff0f : 0xffffffff),
    (k) => (k < 32 || k > 63 ? 0 : 0xffffffff),
  ),
);

/** -0, NaN of many kinds, infinities, denormals: as the words of f32 and the upper ones of f64. */
const ODD_WORDS = [
  0x80000000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x7f800000, 0xff800000, 1, 0x80000001, 0x7ff80000,
  0x7ff00000, 0xfff00000, 0x7ff00001, 0xfff80000, 0x00100000, 0x3f800000, 0,
];

const cases: fc.Arbitrary<Case> = fc.record({
  scalar: fc.constantFrom(...SCALARS),
  width: fc.constantFrom(...WIDTHS),
  highWater: fc.oneof(
    fc.integer({ min: 0, max: 70 }),
    fc.integer({ min: 1000, max: 1050 }),
    fc.integer({ min: 0, max: SLOTS }),
  ),
  isPacked: fc.boolean(),
  alive: patterns,
  presence: patterns,
  number: fc.nat().map((seed) => (index: number) => spreadBits(seed, index)),
  odd: fc.tuple(fc.constantFrom(...ODD_WORDS), fc.constantFrom(1, 2, 3, 50, 1e9)),
});

/** Writes a case into a memory, with other words all around it. */
function place(bench: Bench, { alive, presence, number, odd, ...of }: Case): HashJob {
  const { buffer } = bench;
  new Uint32Array(buffer, 0, ROOM / 4).fill(0x7fa5a5a5);
  const words = Math.ceil(of.highWater / 32);
  const bits = [0, ROWS_AT / 2].map((at) => new Uint32Array(buffer, at, BITSET_BYTES / 4));
  const [living, having] = bits as [Uint32Array, Uint32Array];
  const last = of.highWater & 31;
  for (let k = 0; k < words; k++) {
    living[k] = alive(k);
    having[k] = presence(k);
  }
  if (last > 0) living[words - 1] = (living[words - 1] as number) & ((1 << last) - 1);
  const size = scalarBytes(of.scalar);
  const elements = of.highWater * of.width * (size === 8 ? 2 : 1);
  const rows =
    size >= 4
      ? new Int32Array(buffer, ROWS_AT, elements)
      : size === 2
        ? new Uint16Array(buffer, ROWS_AT, elements)
        : new Uint8Array(buffer, ROWS_AT, elements);
  for (let i = 0; i < elements; i++) rows[i] = number(i);
  const [word, every] = odd;
  const step = size === 8 ? 2 : 1;
  if (every < 1e9 && size >= 4) {
    for (let i = step - 1; i < elements; i += every * step) {
      rows[i] = word;
      if (step === 2 && i % 3 > 0) rows[i - 1] = 0;
    }
  }
  const kind = hashKind(of.scalar);
  const width = of.width * step;
  return { alive: living, presence: having, words, rows, width, kind, isPacked: of.isPacked };
}

/** What the description says the hashes are, and how many numbers are NaN. */
function expected(job: HashJob, scalar: ScalarType): [number[], number] {
  const hashes: number[] = [];
  let nans = 0;
  let packed = 0;
  for (let block = 0; block * 32 < job.words; block++) {
    const header: number[] = [];
    const numbers: number[] = [];
    for (let k = 32 * block; k < 32 * block + 32; k++) {
      const bits = k < job.words ? (job.alive[k] as number) & (job.presence[k] as number) : 0;
      header.push(bits);
      for (let bit = 0; bit < 32; bit++) {
        if (((bits >>> bit) & 1) === 0) continue;
        const row = job.isPacked ? packed++ : 32 * k + bit;
        const at = row * job.width;
        for (let i = at; i < at + job.width; i++) numbers.push(job.rows[i] as number);
      }
    }
    if (header.every((bits) => bits === 0)) {
      hashes.push(0, 0);
      continue;
    }
    const words = wordsOf(numbers, scalar);
    nans += words.nans;
    hashes.push(...told([...header, ...words.list]));
  }
  return [hashes, nans];
}

function wordsOf(numbers: readonly number[], scalar: ScalarType): { list: number[]; nans: number } {
  const size = scalarBytes(scalar);
  const bytes = new Uint8Array(Math.ceil((numbers.length * Math.min(4, size)) / 4) * 4);
  if (size === 1) bytes.set(numbers);
  else if (size === 2) new Uint16Array(bytes.buffer, 0, numbers.length).set(numbers);
  else new Int32Array(bytes.buffer).set(numbers);
  let nans = 0;
  if (scalar === 'f32' || scalar === 'f64') {
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < bytes.length; at += size) {
      const value = size === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true);
      if (Number.isNaN(value)) nans++;
      if (!Number.isNaN(value) && value !== 0) continue;
      const upper = size === 4 ? 0x7fc00000 : 0x7ff80000;
      view.setUint32(at, 0, true);
      view.setUint32(at + size - 4, value === 0 ? 0 : upper, true);
    }
  }
  return { list: [...new Int32Array(bytes.buffer)], nans };
}

describe('the hashes of blocks', () => {
  for (const scalar of SCALARS) {
    it(`are the ones described, in JavaScript and by the kernel, for ${scalar}`, () => {
      fc.assert(
        fc.property(cases, fc.constantFrom(...benches), (any, bench) => {
          const job = place(bench, { ...any, scalar });
          const [hashes, nans] = expected(job, scalar);
          const before = new Uint8Array(bench.buffer).slice(0, ROOM);
          for (const hasher of [bench.script, bench.kernel]) {
            expect(hasher.hash(job)).toBe(nans);
            expect([...hasher.hashes.subarray(0, hashes.length)]).toEqual(hashes);
          }
          const after = new Uint8Array(bench.buffer).slice(0, ROOM);
          expect(Buffer.compare(after, before)).toBe(0);
        }),
        { numRuns },
      );
    });
  }

  it('are two words for each 1024 slots', () => {
    expect([0, 1, 1024, 1025, 2 ** 20].map(hashBlocks)).toEqual([0, 1, 1, 2, 1024]);
  });

  it('are the ones described for the widest rows', () => {
    const slots = 60;
    const width = 2048;
    const room = 64 * 3 + slots * width * 4;
    const memory = createMemory(room + hashRoomBytes(slots), true) as KernelMemory;
    const { buffer } = memory;
    const alive = new Uint32Array(buffer, 0, 2);
    const rows = new Int32Array(buffer, 128, slots * width);
    for (let i = 0; i < rows.length; i++) rows[i] = spreadBits(3, i) & 0x7fefffff;
    const kernel = openBlockHashKernel(memory, room, slots);
    for (const bits of [0xffffffff, 0x80000001, 0xaaaaaaaa, 0x7fffffff]) {
      alive.fill(bits);
      alive[1] = bits & 0x0fffffff;
      const of = { alive, presence: alive, words: 2, rows, width, isPacked: false };
      const job: HashJob = { ...of, kind: hashKind('f64') };
      const script = new ScriptBlockHasher(slots);
      const [hashes] = expected(job, 'f64');
      expect([script.hash(job), kernel?.hash(job)]).toEqual([0, 0]);
      expect([...script.hashes]).toEqual(hashes);
      expect([...(kernel as BlockHasher).hashes]).toEqual(hashes);
    }
  });
});

describe('a kernel that hashes', () => {
  it('is not there for a memory that is not WebAssembly', () => {
    expect(openBlockHashKernel(new ArrayBuffer(2 ** 16), 0, 1)).toBeUndefined();
  });

  it('refuses what lies elsewhere, and what lies behind its room', () => {
    const [bench] = benches;
    const alive = new Uint32Array(bench.buffer, 0, 1);
    const rows = new Int32Array(bench.buffer, 64, 32);
    const job = { alive, presence: alive, words: 1, rows, width: 1, kind: 0, isPacked: false };
    const elsewhere = { ...job, rows: new Int32Array(32) };
    const behind = { ...job, rows: new Int32Array(bench.buffer, ROOM, 32) };
    for (const wrong of [elsewhere, behind]) {
      expect(() => bench.kernel.hash(wrong)).toThrow('before its room in the same memory');
    }
  });
});

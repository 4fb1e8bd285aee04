import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StateHasher } from '../../src/shared/state-hasher.ts';
import { scaled } from '../scaled.ts';

const RUNS = scaled({ tiny: 200, normal: 1000, full: 50_000 });
const WORD = 2n ** 32n;

const words = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 40 });

function hash(list: readonly number[]): string {
  const hasher = new StateHasher();
  for (const word of list) hasher.word(word);
  return hasher.hex();
}

/** The description of the hash in plain 64-bit arithmetic. */
function told(list: readonly number[]): string {
  let high = 0x9e3779b9n;
  let low = 0x7f4a7c15n;
  for (const word of list) {
    const a = rotate((BigInt(word) * 0xcc9e2d51n) % WORD, 15n);
    high = (rotate(high ^ ((a * 0x1b873593n) % WORD), 13n) * 5n + 0xe6546b64n) % WORD;
    const b = rotate((BigInt(word) * 0x85ebca6bn) % WORD, 16n);
    low = (rotate(low ^ ((b * 0xc2b2ae35n) % WORD), 17n) * 9n + 0x38495ab5n) % WORD;
  }
  high ^= BigInt(list.length);
  low ^= BigInt(list.length);
  high = finish((high + low * 0x9e3779b1n) % WORD);
  low = finish((low + high) % WORD);
  high = (high + low) % WORD;
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

function rotate(word: bigint, by: bigint): bigint {
  return ((word << by) | (word >> (32n - by))) % WORD;
}

function finish(word: bigint): bigint {
  let h = word ^ (word >> 16n);
  h = (h * 0x85ebca6bn) % WORD;
  h ^= h >> 13n;
  h = (h * 0xc2b2ae35n) % WORD;
  return h ^ (h >> 16n);
}

describe('the hasher of the state', () => {
  it('is what its description says, for any words', () => {
    fc.assert(
      fc.property(words, (list) => {
        expect(hash(list)).toBe(told(list));
      }),
      { numRuns: RUNS },
    );
  });

  it('takes 32 bits of a word, a whole number as its high and its low word', () => {
    const hasher = new StateHasher();
    hasher.word(-1);
    expect(hasher.hex()).toBe(hash([0xffffffff]));
    for (const whole of [0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1]) {
      hasher.reset();
      hasher.whole(whole);
      expect(hasher.hex()).toBe(hash([Math.floor(whole / 2 ** 32), whole % 2 ** 32]));
    }
  });

  it('can be read on the way, and begins anew after a reset', () => {
    fc.assert(
      fc.property(words, words, (first, second) => {
        const hasher = new StateHasher();
        const out = new Uint32Array(2);
        for (const word of first) hasher.word(word);
        hasher.read(out);
        for (const word of second) hasher.word(word);
        expect(hasher.hex()).toBe(hash([...first, ...second]));
        hasher.reset();
        expect(hasher.hex()).toBe(hash([]));
      }),
      { numRuns: RUNS },
    );
  });

  it('tells words in another order, fewer of them and more of them apart', () => {
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (list, a, b) => {
        const base = hash(list);
        expect(hash([...list, 0])).not.toBe(base);
        if (list.length === 0) return;
        expect(hash(list.slice(0, -1))).not.toBe(base);
        const [i, j] = [a % list.length, b % list.length];
        const swapped = [...list];
        [swapped[i], swapped[j]] = [list[j] as number, list[i] as number];
        expect(hash(swapped) === base).toBe(list[i] === list[j]);
      }),
      { numRuns: RUNS },
    );
  });

  it('gives every short list of zeros and ones a hash of its own', () => {
    const hashes = new Set<string>();
    let count = 0;
    for (let length = 0; length <= 12; length++) {
      for (let bits = 0; bits < 2 ** length; bits++, count++) {
        hashes.add(hash(Array.from({ length }, (_, at) => (bits >>> at) & 1)));
      }
    }
    expect(hashes.size).toBe(count);
  });

  it('spreads each bit of each word over all bits of the hash: about half of them flip', () => {
    const lists = scaled({ tiny: 100, normal: 400, full: 4000 });
    const length = 6;
    const flips = new Int32Array(64);
    let total = 0;
    for (let n = 0; n < lists; n++) {
      const list = Array.from({ length }, (_, at) => Math.imul(n * length + at, 0x9e3779b1) >>> 0);
      const base = BigInt(`0x${hash(list)}`);
      for (let bit = 0; bit < 32 * length; bit++, total++) {
        const other = list.map((word, at) => (at === bit >>> 5 ? word ^ (1 << (bit & 31)) : word));
        const changed = base ^ BigInt(`0x${hash(other)}`);
        for (let out = 0; out < 64; out++)
          (flips[out] as number) += Number((changed >> BigInt(out)) & 1n);
      }
    }
    for (const count of flips) expect(Math.abs(count / total - 0.5)).toBeLessThan(0.02);
  });
});

/*
 * Two lanes of 32 bits, each a chain of multiply, rotate, multiply over the words in order (the
 * round of MurmurHash3_x86_32 by A. Appleby), with different multipliers and different starts; each
 * lane takes the other one in at the end. Ordered: two words swapped are another hash. Not for
 * adversaries.
 */

const START_HIGH = 0x9e3779b9 | 0;
const START_LOW = 0x7f4a7c15;

/** Hashes 32-bit words, in order, to 64 bits. Allocates nothing except in {@link hex}. */
export class StateHasher {
  #high: number = START_HIGH;
  #low: number = START_LOW;
  #count = 0;

  /** Starts over. */
  reset(): void {
    this.#high = START_HIGH;
    this.#low = START_LOW;
    this.#count = 0;
  }

  /** Feeds one word; only its 32 bits count. */
  word(value: number): void {
    let a = Math.imul(value, 0xcc9e2d51);
    a = Math.imul((a << 15) | (a >>> 17), 0x1b873593);
    const high = this.#high ^ a;
    this.#high = (Math.imul((high << 13) | (high >>> 19), 5) + 0xe6546b64) | 0;
    let b = Math.imul(value, 0x85ebca6b);
    b = Math.imul((b << 16) | (b >>> 16), 0xc2b2ae35);
    const low = this.#low ^ b;
    this.#low = (Math.imul((low << 17) | (low >>> 15), 9) + 0x38495ab5) | 0;
    this.#count = (this.#count + 1) | 0;
  }

  /** Feeds a whole number from 0 to 2^53 - 1 as its high and its low word. */
  whole(value: number): void {
    this.word(Math.floor(value / 4_294_967_296));
    this.word(value >>> 0);
  }

  /** Writes the hash so far to `out[0]`, its upper 32 bits, and `out[1]`; it can go on. */
  read(out: Uint32Array | Int32Array): void {
    let high = this.#high ^ this.#count;
    let low = this.#low ^ this.#count;
    high = finish((high + Math.imul(low, 0x9e3779b1)) | 0);
    low = finish((low + high) | 0);
    high = (high + low) | 0;
    out[0] = high;
    out[1] = low;
  }

  /** Returns the hash so far as 16 lowercase hexadecimal digits. */
  hex(): string {
    const out = new Uint32Array(2);
    this.read(out);
    return hexOfWords(out, 0);
  }
}

/** Returns the hash whose upper word is `words[at]`, as 16 lowercase hexadecimal digits. */
export function hexOfWords(words: Uint32Array | Int32Array, at: number): string {
  const [high, low] = [words[at] as number, words[at + 1] as number];
  return [high, low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Spreads every bit of a word over all of them (the finaliser of MurmurHash3_x86_32). */
function finish(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

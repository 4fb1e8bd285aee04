import { EscapementError } from '../error.ts';

/*
 * Threads    the one thread that owns the words; a generator is never shared.
 * Memory     STATE_WORDS u32 of the caller's view: seed, part 1, part 2, high word first each.
 * Ordering   plain accesses; whoever publishes or copies the block publishes the state with it.
 * Progress   wait-free, allocates nothing; `nextRange` redraws, less than twice on average.
 * Invariant  part 1 and part 2 are not both zero.
 */

/** Words of u32 that one generator takes. */
export const STATE_WORDS = 6;

/** The increment of splitmix64, 2^64 / golden ratio. */
const K_HIGH = 0x9e3779b9;
const K_LOW = 0x7f4a7c15;

const TWO_32 = 4_294_967_296;
const TWO_21 = 2_097_152;
const TWO_MINUS_24 = 5.960464477539063e-8;
const TWO_MINUS_53 = 1.1102230246251565e-16;

/** Where the two parts of the state begin; the seed lies before them. */
const PART_1 = 2;
const PART_2 = 4;

/**
 * A seeded generator: xorshift128+ (shifts 23, 18, 5), seeded through the finaliser of splitmix64.
 * All its state lies in memory that the caller gives, so that a copy of the block is a copy of the
 * stream. The same seed, substream and calls give the same numbers everywhere. Not for secrets.
 */
export class Random {
  readonly #words: Uint32Array;
  /** Index of part 1; part 2 follows it. */
  readonly #stateAt: number;

  /**
   * Attaches to the generator whose state begins at `words[offset]`; {@link Random.seed} wrote it.
   * Refuses a place that does not hold {@link STATE_WORDS} words.
   */
  constructor(words: Uint32Array, offset: number) {
    checkPlace(words, offset);
    this.#words = words;
    this.#stateAt = offset + PART_1;
  }

  /**
   * Writes the first state of substream `substreamId` (a u32; 0 is the master stream) of the 64-bit
   * seed given as two u32. A substream is the generator of seed + substreamId * K, modulo 2^64, and
   * that sum is the seed that is kept in the state: substream j of it is substream i + j. Returns
   * the generator over those words.
   */
  static seed(
    words: Uint32Array,
    offset: number,
    seedHigh: number,
    seedLow: number,
    substreamId: number,
  ): Random {
    const random = new Random(words, offset);
    checkU32('seedHigh', seedHigh);
    checkU32('seedLow', seedLow);
    checkU32('substreamId', substreamId);
    const idLow = Math.imul(substreamId, K_LOW);
    const idHigh = multiplyHigh(substreamId, K_LOW) + Math.imul(substreamId, K_HIGH);
    let low = (seedLow + (idLow >>> 0)) >>> 0;
    let high = (seedHigh + idHigh + (low < seedLow ? 1 : 0)) >>> 0;
    words[offset] = high;
    words[offset + 1] = low;
    for (let part = PART_1; part <= PART_2; part += 2) {
      low = (low + K_LOW) >>> 0;
      high = (high + K_HIGH + (low < K_LOW ? 1 : 0)) >>> 0;
      writeMixed(words, offset + part, high, low);
    }
    return random;
  }

  /** Draws 32 bits: the upper half of one 64-bit draw. */
  nextU32(): number {
    step(this.#words, this.#stateAt);
    return draw[0] as number;
  }

  /** Draws 64 bits into `out`: `out[0]` is the high word, `out[1]` the low one. */
  nextU64Into(out: Uint32Array): void {
    step(this.#words, this.#stateAt);
    out[0] = draw[0] as number;
    out[1] = draw[1] as number;
  }

  /** Draws a multiple of 2^-24 in [0, 1): the upper 24 bits of one 64-bit draw, exact in f32. */
  nextFloat01(): number {
    step(this.#words, this.#stateAt);
    return ((draw[0] as number) >>> 8) * TWO_MINUS_24;
  }

  /** Draws a multiple of 2^-53 in [0, 1): the upper 53 bits of one 64-bit draw. */
  nextFloat64(): number {
    step(this.#words, this.#stateAt);
    return ((draw[0] as number) * TWO_21 + ((draw[1] as number) >>> 11)) * TWO_MINUS_53;
  }

  /**
   * Draws a whole number in [begin, end), each equally likely: the upper 32 bits of a draw times
   * the span, divided by 2^32, redrawn where that would favour some (D. Lemire, "Fast random
   * integer generation in an interval", 2019). Refuses bounds that are not safe integers, an empty
   * range, and a span above 2^32.
   */
  nextRange(begin: number, end: number): number {
    checkRange(begin, end);
    const span = end - begin;
    step(this.#words, this.#stateAt);
    let low = Math.imul(draw[0] as number, span) >>> 0;
    if (low < span) {
      // 2^32 mod span: as many products as this would come up once too often.
      const surplus = (TWO_32 - span) % span;
      while (low < surplus) {
        step(this.#words, this.#stateAt);
        low = Math.imul(draw[0] as number, span) >>> 0;
      }
    }
    return begin + multiplyHigh(draw[0] as number, span);
  }
}

/** The 64 bits drawn last, high word first: no double leaves a step, so none is boxed. */
const draw: Uint32Array = new Uint32Array(2);

/** Advances the two parts of state at `words[at]` and writes what they draw to `draw`. */
function step(words: Uint32Array, at: number): void {
  const oldHigh = words[at] as number;
  const oldLow = words[at + 1] as number;
  const high = words[at + 2] as number;
  const low = words[at + 3] as number;
  const tHigh = oldHigh ^ ((oldHigh << 23) | (oldLow >>> 9));
  const tLow = oldLow ^ (oldLow << 23);
  const newHigh = tHigh ^ high ^ (tHigh >>> 18) ^ (high >>> 5);
  const newLow = tLow ^ low ^ ((tLow >>> 18) | (tHigh << 14)) ^ ((low >>> 5) | (high << 27));
  words[at] = high;
  words[at + 1] = low;
  words[at + 2] = newHigh;
  words[at + 3] = newLow;
  const sum = (newLow >>> 0) + low;
  draw[1] = sum;
  draw[0] = newHigh + high + (sum >= TWO_32 ? 1 : 0);
}

/** Writes the finaliser of splitmix64 of (high, low) to `words[at]` and `words[at + 1]`. */
function writeMixed(words: Uint32Array, at: number, high: number, low: number): void {
  let low1 = low ^ ((low >>> 30) | (high << 2));
  let high1 = high ^ (high >>> 30);
  const low2 = Math.imul(low1, 0x1ce4e5b9);
  const high2 = multiplyPairHigh(high1, low1, 0xbf58476d, 0x1ce4e5b9);
  low1 = low2 ^ ((low2 >>> 27) | (high2 << 5));
  high1 = high2 ^ (high2 >>> 27);
  const low3 = Math.imul(low1, 0x133111eb);
  const high3 = multiplyPairHigh(high1, low1, 0x94d049bb, 0x133111eb);
  words[at] = high3 ^ (high3 >>> 31);
  words[at + 1] = low3 ^ ((low3 >>> 31) | (high3 << 1));
}

/** The upper word of a 64-bit product modulo 2^64. */
function multiplyPairHigh(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  return (multiplyHigh(aLow, bLow) + Math.imul(aHigh, bLow) + Math.imul(aLow, bHigh)) | 0;
}

/** The upper 32 bits of the product of the u32 `a` and a whole number `b` in [0, 2^32]. */
function multiplyHigh(a: number, b: number): number {
  // Both products and the sum stay below 2^50; a division by 2^16 is exact.
  const lower = Math.floor(((a & 0xffff) * b) / 65_536);
  return Math.floor(((a >>> 16) * b + lower) / 65_536);
}

function checkPlace(words: Uint32Array, offset: number): void {
  if (Number.isInteger(offset) && offset >= 0 && offset + STATE_WORDS <= words.length) return;
  throw new EscapementError('VALUE_INVALID', 'The words of a generator do not lie in the view.', {
    given: `offset ${offset} in ${words.length} words`,
    allowed: `a whole offset with ${STATE_WORDS} words behind it`,
  });
}

function checkU32(name: string, value: number): void {
  if (value >>> 0 === value) return;
  throw new EscapementError('VALUE_INVALID', `The ${name} of a generator is not a u32.`, {
    given: String(value),
    allowed: 'a whole number from 0 to 4294967295',
  });
}

function checkRange(begin: number, end: number): void {
  const span = end - begin;
  if (Number.isSafeInteger(begin) && Number.isSafeInteger(end) && span >= 1 && span <= TWO_32) {
    return;
  }
  throw new EscapementError('VALUE_INVALID', 'A random range is empty or out of bounds.', {
    given: `begin ${begin}, end ${end}`,
    allowed: 'safe integers with 1 <= end - begin <= 4294967296',
  });
}

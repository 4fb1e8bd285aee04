import {
  HASH_BITS,
  HASH_BLOCK_WORDS,
  HASH_F32,
  HASH_F64,
  HASH_FACTOR_A,
  HASH_FACTOR_B,
  HASH_ROOM_WORDS,
  HASH_SHIFT_A,
  HASH_SHIFT_B,
  HASH_START_A,
  HASH_START_B,
} from './parameters.ts';
import type { ScalarType } from '../schema.ts';

/*
 * The hash of each block of 1024 slots of a column, as `assembly/hash.ts` makes it, bit for bit.
 *
 * A block with no row has the hash 0. Any other is a list of words: 32 words of who has a row, then
 * the rows of those, one behind the other, then zeros up to a multiple of 32 words. There are 16
 * lanes of two words, a and b. Of each 32 words lane k takes word k and word 16 + k:
 *
 *     p = a + first             q = b ^ second
 *     P = (p ^ q >>> 15) * A    Q = (q ^ p >>> 13) * B
 *     b = P + Q                 a = P + b
 *
 * A step can be undone, and no two pairs of words lead to the same one: what one of them changes
 * stays changed. It reaches a and b, so that a later word alone cannot take it back, and were it
 * but a sign, it reaches many bits. In the end every word of a lane is spread over itself; four
 * lanes take in all of them, and then two words those four, by the same steps.
 */

/** Slots of a block. */
const HASH_BLOCK_SLOTS: number = HASH_BLOCK_WORDS * 32;

/** A column's rows, and who has one. */
export interface HashJob {
  /** A bit for each slot that lives. */
  alive: Uint32Array;
  /** A bit for each slot that has a row if it lives. */
  presence: Uint32Array;
  /** Words of both to look at. */
  words: number;
  /** The rows, as words for numbers of four and of eight bytes. */
  rows: Int32Array | Uint16Array | Uint8Array;
  /** Elements of `rows` that are one row. */
  width: number;
  /** What the words are: {@link hashKind}. */
  kind: number;
  /** Whether only those that have a row have a place in `rows`, in ascending order. */
  isPacked: boolean;
}

/** Hashes blocks of slots. */
export interface BlockHasher {
  /** What was hashed last: two words a block, the upper one first. */
  readonly hashes: Int32Array;
  /** Hashes every block that `words` reaches into. Returns how many numbers were NaN. */
  hash(job: HashJob): number;
}

/** Returns what a scalar's words are to a hash. */
export function hashKind(scalar: ScalarType): number {
  return scalar === 'f32' ? HASH_F32 : scalar === 'f64' ? HASH_F64 : HASH_BITS;
}

/** Returns how many blocks have one of `slots` slots. */
export function hashBlocks(slots: number): number {
  return Math.ceil(slots / HASH_BLOCK_SLOTS);
}

/** Returns the bytes of the room that the kernel needs for `capacity` slots. */
export function hashRoomBytes(capacity: number): number {
  return HASH_ROOM_WORDS * 4 + hashBlocks(capacity) * 8;
}

// Names of this file's own: V8 reads an imported constant anew at each use.
const [FACTOR_A, FACTOR_B, SHIFT_A, SHIFT_B, START_A, START_B] = [
  HASH_FACTOR_A,
  HASH_FACTOR_B,
  HASH_SHIFT_A,
  HASH_SHIFT_B,
  HASH_START_A,
  HASH_START_B,
];

/** The sign alone, as a signed word. */
const MINUS_ZERO = -0x80000000;

const LANES = 16;
const STAGE_BYTES = 16384;
/** Two words a lane. */
const STRIPE_BYTES = 8 * LANES;

/** Hashes blocks of slots in JavaScript. */
export class ScriptBlockHasher implements BlockHasher {
  readonly hashes: Int32Array;
  readonly #header: Int32Array = new Int32Array(HASH_BLOCK_WORDS);
  /** Words that were gathered and are not hashed yet; those behind are 0 when they are needed. */
  readonly #words: Int32Array = new Int32Array(STAGE_BYTES / 4);
  readonly #halves: Uint16Array = new Uint16Array(this.#words.buffer);
  readonly #bytes: Uint8Array = new Uint8Array(this.#words.buffer);
  readonly #lanes: Int32Array = new Int32Array(2 * LANES);
  #filled = 0;
  #nans = 0;

  /** Makes one for columns of up to `capacity` slots. */
  constructor(capacity: number) {
    this.hashes = new Int32Array(2 * hashBlocks(capacity));
  }

  hash(job: HashJob): number {
    this.#nans = 0;
    let packed = 0;
    for (let first = 0; first < job.words; first += HASH_BLOCK_WORDS) {
      const present = this.#readHeader(job, first);
      const at = first >>> 4;
      if (present === 0) {
        this.hashes[at] = 0;
        this.hashes[at + 1] = 0;
        continue;
      }
      startLanes(this.#lanes);
      this.#words.set(this.#header);
      fold(this.#words, HASH_BLOCK_WORDS, this.#lanes);
      if (job.isPacked) this.#gather(job, packed, packed + present);
      else this.#gatherPresent(job, first);
      packed += present;
      this.#bytes.fill(0, this.#filled, upTo(this.#filled, STRIPE_BYTES));
      this.#fold();
      finishLanes(this.#lanes, this.hashes, at);
    }
    return this.#nans;
  }

  /** Reads who has a row in a block; returns how many. */
  #readHeader({ alive, presence, words }: HashJob, first: number): number {
    const header = this.#header;
    let present = 0;
    for (let i = 0; i < HASH_BLOCK_WORDS; i++) {
      const word = first + i;
      const bits = word < words ? (alive[word] as number) & (presence[word] as number) : 0;
      header[i] = bits;
      present += countBits(bits);
    }
    return present;
  }

  /** Gathers the rows of a block in which each slot has a place. */
  #gatherPresent(job: HashJob, first: number): void {
    let begin = 0;
    let end = 0;
    for (let i = 0; i < HASH_BLOCK_WORDS; i++) {
      const slot = (first + i) * 32;
      for (let rest = this.#header[i] as number; rest !== 0; ) {
        // A run of slots with a row: from the lowest bit that is set to the lowest that is not.
        const from = 31 - Math.clz32(rest & -rest);
        const above = ~rest >>> from;
        const length = above === 0 ? 32 - from : 31 - Math.clz32(above & -above);
        if (slot + from !== end) {
          this.#gather(job, begin, end);
          begin = slot + from;
        }
        end = slot + from + length;
        rest = from + length >= 32 ? 0 : rest & (-1 << (from + length));
      }
    }
    this.#gather(job, begin, end);
  }

  /** Gathers the rows from `begin` up to, not including, `end`. */
  #gather({ rows, width, kind }: HashJob, begin: number, end: number): void {
    const last = end * width;
    const size = rows.BYTES_PER_ELEMENT;
    // `| 0`: the engine takes a quotient for a double, and then whatever is counted up to it.
    for (let from = begin * width; from < last; ) {
      const to = Math.min(last, from + (((STAGE_BYTES - this.#filled) / size) | 0));
      const into = (this.#filled / size) | 0;
      if (rows instanceof Uint8Array) copyBytes(rows, from, to, this.#bytes, into);
      else if (rows instanceof Uint16Array) copyHalves(rows, from, to, this.#halves, into);
      else if (kind === HASH_F32) this.#nans += copyF32(rows, from, to, this.#words, into);
      else if (kind === HASH_F64) this.#nans += copyF64(rows, from, to, this.#words, into);
      else copyWords(rows, from, to, this.#words, into);
      this.#filled += (to - from) * size;
      if (this.#filled === STAGE_BYTES) this.#fold();
      from = to;
    }
  }

  #fold(): void {
    fold(this.#words, upTo(this.#filled, STRIPE_BYTES) >>> 2, this.#lanes);
    this.#filled = 0;
  }
}

/** Rounds up to a multiple of a power of two. */
function upTo(count: number, multiple: number): number {
  return (count + multiple - 1) & -multiple;
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function copyBytes(from: Uint8Array, begin: number, end: number, to: Uint8Array, at: number): void {
  for (let i = begin; i < end; i++) to[at++] = from[i] as number;
}

function copyHalves(
  from: Uint16Array,
  begin: number,
  end: number,
  to: Uint16Array,
  at: number,
): void {
  for (let i = begin; i < end; i++) to[at++] = from[i] as number;
}

function copyWords(from: Int32Array, begin: number, end: number, to: Int32Array, at: number): void {
  for (let i = begin; i < end; i++) to[at++] = from[i] as number;
}

/** Copies f32, -0 as 0 and every NaN as one; returns how many of those there are. */
function copyF32(from: Int32Array, begin: number, end: number, to: Int32Array, at: number): number {
  let nans = 0;
  for (let i = begin; i < end; i++) {
    let bits = from[i] as number;
    if ((bits & 0x7fffffff) > 0x7f800000) {
      bits = 0x7fc00000;
      nans++;
    }
    to[at++] = bits === MINUS_ZERO ? 0 : bits;
  }
  return nans;
}

/** Copies f64, as two words each, -0 as 0 and every NaN as one; returns how many of those. */
function copyF64(from: Int32Array, begin: number, end: number, to: Int32Array, at: number): number {
  let nans = 0;
  for (let i = begin; i < end; i += 2, at += 2) {
    let low = from[i] as number;
    let high = from[i + 1] as number;
    const magnitude = high & 0x7fffffff;
    if (magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && low !== 0)) {
      low = 0;
      high = 0x7ff80000;
      nans++;
    } else if (high === MINUS_ZERO && low === 0) high = 0;
    to[at] = low;
    to[at + 1] = high;
  }
  return nans;
}

function startLanes(lanes: Int32Array): void {
  for (let lane = 0; lane < LANES; lane++) {
    lanes[lane] = Math.imul(lane + 1, START_A);
    lanes[LANES + lane] = Math.imul(lane + 1, START_B);
  }
}

/** Feeds the first `count` words, a multiple of 32; two lanes at a time keep the engine busy. */
function fold(words: Int32Array, count: number, lanes: Int32Array): void {
  for (let lane = 0; lane < LANES; lane += 2) {
    let a0 = lanes[lane] as number;
    let a1 = lanes[lane + 1] as number;
    let b0 = lanes[LANES + lane] as number;
    let b1 = lanes[LANES + lane + 1] as number;
    for (let at = lane; at < count; at += 2 * LANES) {
      const p0 = (a0 + (words[at] as number)) | 0;
      const q0 = b0 ^ (words[at + LANES] as number);
      const mixed0 = Math.imul(p0 ^ (q0 >>> SHIFT_A), FACTOR_A);
      b0 = (mixed0 + Math.imul(q0 ^ (p0 >>> SHIFT_B), FACTOR_B)) | 0;
      a0 = (mixed0 + b0) | 0;
      const p1 = (a1 + (words[at + 1] as number)) | 0;
      const q1 = b1 ^ (words[at + LANES + 1] as number);
      const mixed1 = Math.imul(p1 ^ (q1 >>> SHIFT_A), FACTOR_A);
      b1 = (mixed1 + Math.imul(q1 ^ (p1 >>> SHIFT_B), FACTOR_B)) | 0;
      a1 = (mixed1 + b1) | 0;
    }
    lanes[lane] = a0;
    lanes[lane + 1] = a1;
    lanes[LANES + lane] = b0;
    lanes[LANES + lane + 1] = b1;
  }
}

/** Brings the lanes down to two words. */
function finishLanes(lanes: Int32Array, out: Int32Array, at: number): void {
  let high = START_A | 0;
  let low = START_B | 0;
  for (let lane = 0; lane < 4; lane++) {
    let a = 0;
    let b = 0;
    for (let other = lane; other < LANES; other += 4) {
      const p = (a + spread(lanes[other] as number)) | 0;
      const q = b ^ spread(lanes[LANES + other] as number);
      const mixed = Math.imul(p ^ (q >>> SHIFT_A), FACTOR_A);
      b = (mixed + Math.imul(q ^ (p >>> SHIFT_B), FACTOR_B)) | 0;
      a = (mixed + b) | 0;
    }
    const p = (high + a) | 0;
    const q = low ^ b;
    const mixed = Math.imul(p ^ (q >>> SHIFT_A), FACTOR_A);
    low = (mixed + Math.imul(q ^ (p >>> SHIFT_B), FACTOR_B)) | 0;
    high = (mixed + low) | 0;
  }
  high = spread((high + Math.imul(low, FACTOR_A)) | 0);
  low = spread((low + high) | 0);
  out[at] = high + low;
  out[at + 1] = low;
}

/** Spreads every bit of a word over all of them (the finaliser of MurmurHash3_x86_32). */
function spread(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

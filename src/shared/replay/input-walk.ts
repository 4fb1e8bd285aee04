import { getU32 } from '../little-endian.ts';
import { ByteCursor } from './byte-cursor.ts';
import { CHUNK_HEAD_BYTES } from './format.ts';
import type { VisitInput } from './replay.ts';

/** Where the chunks of a file lie, in order. */
export interface ChunkTable {
  /** Offset of each payload. */
  readonly begins: Float64Array;
  /** The last tick of each. */
  readonly throughs: Float64Array;
  count: number;
}

/** Makes a table with room for `length` chunks. */
export function createChunkTable(length: number): ChunkTable {
  return { begins: new Float64Array(length), throughs: new Float64Array(length), count: 0 };
}

/**
 * Finds the inputs of one tick after the other in checked chunks. Goes on from where it was, so
 * ascending ticks read every byte once; any other tick starts at the head of its chunk.
 */
export class InputWalk {
  readonly #bytes: Uint8Array;
  readonly #chunks: ChunkTable;
  readonly #lengths: Uint32Array;
  readonly #firstTick: number;
  readonly #cursor: ByteCursor;
  /** The words of one input at a time, on a whole word. */
  readonly #words: Uint32Array;
  #chunk = -1;
  /** Offset of the next entry, how many are left, and the tick of the one before. */
  #at = 0;
  #left = 0;
  #tick = 0;
  /** All entries of earlier ticks lie behind. */
  #floor: number = Number.POSITIVE_INFINITY;

  constructor(bytes: Uint8Array, chunks: ChunkTable, lengths: Uint32Array, firstTick: number) {
    this.#bytes = bytes;
    this.#chunks = chunks;
    this.#lengths = lengths;
    this.#firstTick = firstTick;
    this.#cursor = new ByteCursor(bytes);
    this.#words = new Uint32Array(lengths.reduce((most, length) => Math.max(most, length), 0));
  }

  /** Visits the inputs of a tick and returns their number. */
  visit(wanted: number, visit: VisitInput): number {
    const chunk = this.#find(wanted);
    if (chunk < 0) return 0;
    if (chunk !== this.#chunk || wanted < this.#floor) this.#enter(chunk);
    // In locals, and no place to go on from until the end: `visit` may throw, or come back here.
    const cursor = this.#cursor;
    const chunkEnd = this.#bytes.length;
    let at = this.#at;
    let left = this.#left;
    let tick = this.#tick;
    this.#floor = Number.POSITIVE_INFINITY;
    let count = 0;
    for (; left > 0; left--) {
      cursor.open(at, chunkEnd);
      const next = tick + cursor.varint();
      if (next > wanted) break;
      const input = cursor.varint();
      const length = this.#lengths[input] as number;
      const words = cursor.at;
      at = words + 4 * length;
      tick = next;
      if (tick < wanted) continue;
      for (let word = 0; word < length; word++) {
        this.#words[word] = getU32(this.#bytes, words + 4 * word);
      }
      count++;
      visit(input, this.#words, 0, length);
    }
    this.#chunk = chunk;
    this.#at = at;
    this.#left = left;
    this.#tick = tick;
    this.#floor = wanted + 1;
    return count;
  }

  /** Returns the first tick from `wanted` on that has an input, -1 if there is none. */
  nextTick(wanted: number): number {
    const { throughs, count } = this.#chunks;
    const cursor = this.#cursor;
    let chunk = firstNotBelow(throughs, count, wanted);
    for (; chunk < count; chunk++) {
      if (chunk !== this.#chunk || wanted < this.#floor) this.#enter(chunk);
      this.#floor = wanted;
      for (; this.#left > 0; this.#left--) {
        cursor.open(this.#at, this.#bytes.length);
        const next = this.#tick + cursor.varint();
        if (next >= wanted) return next;
        const length = this.#lengths[cursor.varint()] as number;
        this.#at = cursor.at + 4 * length;
        this.#tick = next;
      }
    }
    return -1;
  }

  #enter(chunk: number): void {
    const begin = this.#chunks.begins[chunk] as number;
    this.#at = begin + CHUNK_HEAD_BYTES;
    this.#left = getU32(this.#bytes, begin + 16);
    this.#tick = chunk === 0 ? this.#firstTick : (this.#chunks.throughs[chunk - 1] as number);
    this.#chunk = chunk;
  }

  /** Returns the chunk that a tick lies in, -1 if none. */
  #find(tick: number): number {
    const { throughs, count } = this.#chunks;
    if (!(Number.isInteger(tick) && tick > this.#firstTick)) return -1;
    const chunk = firstNotBelow(throughs, count, tick);
    return chunk < count ? chunk : -1;
  }
}

/** Returns the place of the first of `count` ascending numbers that is not below `wanted`. */
export function firstNotBelow(numbers: Float64Array, count: number, wanted: number): number {
  let begin = 0;
  let end = count;
  while (begin < end) {
    const middle = (begin + end) >>> 1;
    if ((numbers[middle] as number) < wanted) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

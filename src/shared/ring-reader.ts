import { assert } from './assert.ts';
import { payloadWordsMax, RECORD_WORDS_MAX, type RingBlock } from './ring-block.ts';

/*
 * Threads    one consuming thread, for the life of the ring; a `RingWriter` has the other end.
 * Memory     writes tail; reads head, dropped and the data words in between.
 * Ordering   the load of head comes before the record is read; the store to tail, after it was
 *            copied out, gives its words back.
 * Progress   wait-free, allocates nothing: a record is copied into scratch of this object.
 * Invariant  0 <= head - tail <= capacity modulo 2^32; data in [tail, head) is whole records.
 */

/** The consumer's end of a ring: single producer, single consumer. */
export class RingReader {
  /** The kind of the record that {@link next} took last. */
  kind = 0;
  /** Words of that record's payload. */
  lengthWords = 0;
  /** Its payload in the first `lengthWords`; the rest is left from earlier records. */
  readonly words: Uint32Array;
  /** The same payload as floats. */
  readonly floats: Float32Array;
  /** The same payload as doubles, two words each. */
  readonly doubles: Float64Array;

  readonly #ring: Int32Array;
  readonly #block: RingBlock;

  /** Opens the end over a view of the whole region, shared or not. */
  constructor(ring: Int32Array, block: RingBlock) {
    const scratch = new ArrayBuffer(Math.ceil(payloadWordsMax(block.capacityWords) / 2) * 8);
    this.words = new Uint32Array(scratch);
    this.floats = new Float32Array(scratch);
    this.doubles = new Float64Array(scratch);
    this.#ring = ring;
    this.#block = block;
  }

  /**
   * Takes the next record into `kind`, `lengthWords` and `words`. Returns false, and leaves those
   * as they are, when there is none. May be stale: the writer may have added one since.
   */
  next(): boolean {
    const ring = this.#ring;
    const { headIndex, tailIndex, dataIndex, capacityWords } = this.#block;
    const tail = Atomics.load(ring, tailIndex);
    const available = (Atomics.load(ring, headIndex) - tail) >>> 0;
    if (available === 0) return false;
    assert(available <= capacityWords, 'a ring holds no more than its capacity');
    const mask = capacityWords - 1;
    const header = ring[dataIndex + (tail & mask)] as number;
    const lengthWords = header & RECORD_WORDS_MAX;
    assert(lengthWords < available, 'a record in a ring is whole');
    const { words } = this;
    for (let i = 0; i < lengthWords; i++) {
      words[i] = ring[dataIndex + ((tail + 1 + i) & mask)] as number;
    }
    this.kind = header >>> 16;
    this.lengthWords = lengthWords;
    Atomics.store(ring, tailIndex, (tail + 1 + lengthWords) | 0);
    return true;
  }

  /**
   * Returns the words that wait, headers included; 0 means no record. May be stale in one
   * direction: the writer may have added more since.
   */
  pending(): number {
    const { headIndex, tailIndex } = this.#block;
    return (Atomics.load(this.#ring, headIndex) - Atomics.load(this.#ring, tailIndex)) >>> 0;
  }

  /** Returns the records refused so far, modulo 2^32. May be stale: there may be more by now. */
  droppedCount(): number {
    return Atomics.load(this.#ring, this.#block.droppedIndex) >>> 0;
  }
}

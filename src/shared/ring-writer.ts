import { assert } from './assert.ts';
import { EscapementError } from './error.ts';
import { payloadWordsMax, RECORD_WORDS_MAX, type RingBlock } from './ring-block.ts';

/*
 * Threads    one producing thread, for the life of the ring; a `RingReader` has the other end.
 * Memory     writes head, dropped and the free data words; reads tail.
 * Ordering   the store to head publishes the record: its words are plain and stored before. The
 *            load of tail comes before them, so words still being copied out are never touched.
 * Progress   wait-free, allocates nothing.
 * Invariant  0 <= head - tail <= capacity modulo 2^32; data in [tail, head) is whole records.
 */

/** The producer's end of a ring: single producer, single consumer. */
export class RingWriter {
  readonly #words: Int32Array;
  readonly #block: RingBlock;

  /** Opens the end over a view of the whole region, shared or not. */
  constructor(words: Int32Array, block: RingBlock) {
    this.#words = words;
    this.#block = block;
  }

  /**
   * Refuses, with `CAPACITY_EXHAUSTED`, records of a length that this ring could not hold even
   * when empty. Called once at set-up for each kind of record.
   */
  check(lengthWords: number): void {
    const { capacityWords } = this.#block;
    const most = payloadWordsMax(capacityWords);
    if (Number.isSafeInteger(lengthWords) && lengthWords >= 0 && lengthWords <= most) return;
    throw new EscapementError('CAPACITY_EXHAUSTED', 'A record is larger than its ring.', {
      given: `${lengthWords} words in a ring of ${capacityWords}`,
      allowed: `0 to ${most} words`,
      fix:
        most < RECORD_WORDS_MAX
          ? `Give the ring at least ${lengthWords + 1} words, or the record fewer fields.`
          : 'Give the record fewer fields: no ring takes a longer one.',
    });
  }

  /**
   * Appends a record of the first `lengthWords` of `payload`. Returns false and counts the record
   * as dropped when there is no room; the data is then untouched. `kind` has 16 bits; the length
   * has passed {@link check}.
   */
  tryWrite(kind: number, payload: Uint32Array, lengthWords: number): boolean {
    const words = this.#words;
    const { headIndex, tailIndex, droppedIndex, dataIndex, capacityWords } = this.#block;
    assert(kind >>> 16 === 0, 'a record kind has 16 bits');
    assert(
      lengthWords >= 0 && lengthWords <= payload.length && lengthWords < capacityWords,
      'a record is no longer than its payload and fits into its ring',
    );
    assert(lengthWords <= RECORD_WORDS_MAX, 'a record length has 16 bits');
    const head = Atomics.load(words, headIndex);
    const used = (head - Atomics.load(words, tailIndex)) >>> 0;
    assert(used <= capacityWords, 'a ring holds no more than its capacity');
    if (capacityWords - used <= lengthWords) {
      Atomics.add(words, droppedIndex, 1);
      return false;
    }
    const mask = capacityWords - 1;
    words[dataIndex + (head & mask)] = (kind << 16) | lengthWords;
    for (let i = 0; i < lengthWords; i++) {
      words[dataIndex + ((head + 1 + i) & mask)] = payload[i] as number;
    }
    Atomics.store(words, headIndex, (head + 1 + lengthWords) | 0);
    return true;
  }

  /**
   * Returns the words that are free now; a record takes one more than its payload. May be stale in
   * one direction: the reader may have freed more since.
   */
  freeWords(): number {
    return this.#block.capacityWords - this.#usedWords();
  }

  /** Returns how full the ring is, 0 to 1. May be stale: the reader may have emptied it since. */
  fill(): number {
    return this.#usedWords() / this.#block.capacityWords;
  }

  /** Returns how many records were refused because there was no room, modulo 2^32. */
  droppedCount(): number {
    return Atomics.load(this.#words, this.#block.droppedIndex) >>> 0;
  }

  #usedWords(): number {
    const { headIndex, tailIndex } = this.#block;
    return (Atomics.load(this.#words, headIndex) - Atomics.load(this.#words, tailIndex)) >>> 0;
  }
}

import { RECORD_BYTES } from './layout.ts';
import type { Region } from './region.ts';
import { HEADER, READER, READER_WORDS } from './words.ts';

/*
 * Threads    the thread that claimed the reader index, alone.
 * Memory     its own hazard word; reads `current`, and the record and places it has pinned.
 * Ordering   announce, then load `current` again: only an equal index confirms the pin, and fields
 *            are read only after that. Release stores 0 after the last plain read.
 * Progress   lock-free with a bound: at most eight tries, then the caller keeps its last frame.
 * Invariant  between a confirmed pin and release, no byte of the record or its places changes.
 */

/** Tries before a pin gives up; each failure means that a publication overtook it. */
const PIN_TRIES = 8;

/** Pins the record in force, so that its bytes stand still. */
export class PublicationReader {
  readonly region: Region;
  /** Words of the pinned record start here; valid between a pin and its release. */
  recordWord = 0;
  /** Doubles of the pinned record start here. */
  recordDouble = 0;
  readonly #i32: Int32Array;
  readonly #hazard: number;
  readonly #confirm: boolean;

  /**
   * Attaches to a claimed reader index. `confirm` exists for the test that shows what happens
   * without the confirming load; it is never false in use.
   */
  constructor(region: Region, reader: number, confirm = true) {
    this.region = region;
    this.#i32 = region.i32;
    this.#hazard = region.layout.readerBlocks / 4 + reader * READER_WORDS + READER.hazard;
    this.#confirm = confirm;
  }

  /** Pins the newest record. Returns its index, -1 before the first, -2 when it stayed busy. */
  pin(): number {
    const words = this.#i32;
    for (let attempt = 0; attempt < PIN_TRIES; attempt++) {
      const index = Atomics.load(words, HEADER.current);
      if (index < 0) return -1;
      Atomics.store(words, this.#hazard, index + 1);
      if (!this.#confirm || Atomics.load(words, HEADER.current) === index) {
        const offset = this.region.layout.records + index * RECORD_BYTES;
        this.recordWord = offset / 4;
        this.recordDouble = offset / 8;
        return index;
      }
    }
    Atomics.store(words, this.#hazard, 0);
    return -2;
  }

  /** Lets the pinned record go. */
  release(): void {
    Atomics.store(this.#i32, this.#hazard, 0);
  }
}

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

/** What a test changes about a pin, to show that the protocol holds and what holds it. */
export interface PinTrial {
  /** Whether the confirming load is made; without it reads tear. */
  readonly confirm?: boolean;
  /** Called between the load and the announcement: the moment at which a thread may be stopped. */
  readonly hesitate?: () => void;
}

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
  readonly #hesitate: (() => void) | undefined;

  /** Attaches to a claimed reader index. `trial` is for the tests of the protocol alone. */
  constructor(region: Region, reader: number, trial: PinTrial = {}) {
    this.region = region;
    this.#i32 = region.i32;
    this.#hazard = region.layout.readerBlocks / 4 + reader * READER_WORDS + READER.hazard;
    this.#confirm = trial.confirm ?? true;
    this.#hesitate = trial.hesitate;
  }

  /** Pins the newest record. Returns its index, -1 before the first, -2 when it stayed busy. */
  pin(): number {
    const words = this.#i32;
    for (let attempt = 0; attempt < PIN_TRIES; attempt++) {
      const index = Atomics.load(words, HEADER.current);
      if (index < 0) return -1;
      this.#hesitate?.();
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

import { createInstant, type Instant, type MonotonicClock } from '../shared/instant.ts';
import type { Region } from '../shared/region.ts';
import { READER, READER_WORDS } from '../shared/words.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     each reader's probe words.
 * Ordering   the reading is stored before `probeAnswered`, which publishes it; then notify.
 * Progress   wait-free: one load a reader when nobody asks.
 * Invariant  an answer carries a reading taken after its question was seen.
 */

/** Answers clock probes: each reader measures its own offset to the simulation's clock. */
export class ProbeDesk {
  readonly #words: Int32Array;
  readonly #first: number;
  readonly #answered: Int32Array;
  readonly #clock: MonotonicClock;
  readonly #reading: Instant = createInstant();

  constructor(region: Region, clock: MonotonicClock) {
    this.#words = region.i32;
    this.#first = region.layout.readerBlocks / 4;
    this.#answered = new Int32Array(region.layout.readers);
    this.#clock = clock;
  }

  /** Answers whoever asked since the last call. */
  answer(): void {
    const words = this.#words;
    for (let reader = 0; reader < this.#answered.length; reader++) {
      const block = this.#first + reader * READER_WORDS;
      const asked = Atomics.load(words, block + READER.probeAsked);
      if (asked === this.#answered[reader]) continue;
      this.#answered[reader] = asked;
      this.#clock.read(this.#reading);
      Atomics.store(words, block + READER.probeSeconds, this.#reading.seconds | 0);
      Atomics.store(words, block + READER.probeNanos, this.#reading.nanos);
      Atomics.store(words, block + READER.probeAnswered, asked);
      Atomics.notify(words, block + READER.probeAnswered);
    }
  }
}

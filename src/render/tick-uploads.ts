import type { FramePair } from './frame.ts';

/** How many ticks lie on the other side: the two of a frame, and the one before or after them. */
export const UPLOAD_BUFFERS = 3;

/**
 * Decides which of three buffers hold the two sides of a frame's pair and which of them must be
 * filled now. Contents go by a key within one generation: equal keys are equal contents. What is
 * overwritten is never what the last frame may still be drawing, unless the pair skipped.
 */
export class BufferRing {
  /** Which buffers hold the earlier and the later side: 0, 1 or 2; the same one for equal keys. */
  earlier = 0;
  later = 0;
  /** Rows to upload into `earlier` and `later`, from row 0 on, before drawing; 0 for none. */
  earlierRows = 0;
  laterRows = 0;
  readonly #clears: boolean;
  readonly #keys: number[] = [-1, -1, -1];
  /** Of which generation the keys are: those of older ones say nothing. */
  readonly #generations: number[] = [-1, -1, -1];
  /** Rows of each buffer that may hold something. */
  readonly #filled: number[] = [0, 0, 0];
  #generation = 0;

  /** `clears`: rows beyond those of a side must be 0, so an upload covers what was there before. */
  constructor(clears: boolean) {
    this.#clears = clears;
  }

  /** Takes all buffers as empty: their keys meant something else, or their contents are lost. */
  forget(): void {
    this.#generation++;
  }

  /** Takes all buffers as made anew, of zeros. */
  reset(): void {
    this.forget();
    this.#filled.fill(0);
  }

  /** Places a pair: two keys, and the rows that belong to each. */
  place(earlierKey: number, earlierRows: number, laterKey: number, laterRows: number): void {
    const earlier = this.#find(earlierKey);
    const later = this.#find(laterKey);
    // The one that is held must not give way to the other.
    this.earlier = earlier < 0 ? this.#give(earlierKey, later) : earlier;
    this.earlierRows = earlier < 0 ? this.#fill(this.earlier, earlierRows) : 0;
    this.laterRows = 0;
    if (laterKey === earlierKey) {
      this.later = this.earlier;
      return;
    }
    this.later = later < 0 ? this.#give(laterKey, this.earlier) : later;
    if (later < 0) this.laterRows = this.#fill(this.later, laterRows);
  }

  #find(key: number): number {
    for (let buffer = 0; buffer < UPLOAD_BUFFERS; buffer++) {
      if (this.#generations[buffer] === this.#generation && this.#keys[buffer] === key) {
        return buffer;
      }
    }
    return -1;
  }

  /** Gives a buffer to a key: one of an older generation, else that of the lowest key. */
  #give(key: number, kept: number): number {
    let chosen = -1;
    let lowest = Number.POSITIVE_INFINITY;
    for (let buffer = 0; buffer < UPLOAD_BUFFERS; buffer++) {
      if (buffer === kept) continue;
      const held = this.#generations[buffer] === this.#generation;
      const rank = held ? (this.#keys[buffer] as number) : -1;
      if (rank >= lowest) continue;
      lowest = rank;
      chosen = buffer;
    }
    this.#generations[chosen] = this.#generation;
    this.#keys[chosen] = key;
    return chosen;
  }

  #fill(buffer: number, rows: number): number {
    const before = this.#filled[buffer] as number;
    this.#filled[buffer] = rows;
    return this.#clears ? Math.max(rows, before) : rows;
  }
}

/** What of a frame's pair says which contents it needs. */
export type PairContents = Pick<
  FramePair,
  | 'run'
  | 'epoch'
  | 'earlierTick'
  | 'laterTick'
  | 'earlierVersion'
  | 'laterVersion'
  | 'earlierSlotCount'
  | 'slotCount'
>;

/**
 * Decides what a frame has to upload for a blend elsewhere: `columns` by tick, for all channels
 * alike, and `words` by roster, made with `pair.earlierWords` and `pair.laterWords`. A frame
 * without a new tick uploads nothing, one with the next tick one column a channel, one after
 * skipped ticks, a seek or a restart two; words only when the roster changed. Knows no GPU.
 * Buffers of words must be made of zeros; rows to upload beyond a roster's own must be 0.
 */
export class TickUploads {
  readonly columns: BufferRing = new BufferRing(false);
  readonly words: BufferRing = new BufferRing(true);
  /** Slots of the pair's later tick: what there is to draw. */
  slotCount = 0;
  #run = -1;
  #epoch = -1;

  /** Places the pair of a frame that shows data: not one that is `busy` or `not-ready`. */
  place(pair: PairContents): void {
    if (pair.run !== this.#run) this.forget();
    else if (pair.epoch !== this.#epoch) this.columns.forget();
    this.#run = pair.run;
    this.#epoch = pair.epoch;
    const { earlierSlotCount, slotCount } = pair;
    this.slotCount = slotCount;
    this.columns.place(pair.earlierTick, earlierSlotCount, pair.laterTick, slotCount);
    this.words.place(pair.earlierVersion, earlierSlotCount, pair.laterVersion, slotCount);
  }

  /** Takes all buffers as empty: after the loss of a context, or when they were made anew. */
  forget(): void {
    this.columns.forget();
    this.words.forget();
  }

  /** Takes all buffers as made anew, of zeros and perhaps of another length. */
  reset(): void {
    this.columns.reset();
    this.words.reset();
  }
}

import type { FrameRecord } from '../shared/profile-report.ts';

/** Frames kept. */
const CAPACITY = 32;

/** Doubles of a row: tick, ticks, nanoseconds, allocations, bytes allocated, overruns. */
const ROW = 6;

/** Keeps what the last 32 frames cost. Recording allocates nothing. */
export class FrameRecords {
  /** Rows in the order of their slots, written by {@link record}; valid for the slots counted. */
  readonly #rows: Float64Array = new Float64Array(CAPACITY * ROW);
  #count = 0;
  #next = 0;
  #simAllocsTotal = 0;

  /** Frames held. */
  get count(): number {
    return this.#count;
  }

  /** Allocations in all frames ever recorded. */
  get simAllocsTotal(): number {
    return this.#simAllocsTotal;
  }

  /** Takes a frame in; the oldest goes when 32 are held. All whole numbers; `ns` nanoseconds. */
  record(
    ns: number,
    ticks: number,
    simAllocs: number,
    simAllocBytes: number,
    overruns: number,
    tick: number,
  ): void {
    const rows = this.#rows;
    const at = this.#next * ROW;
    rows[at] = tick;
    rows[at + 1] = ticks;
    rows[at + 2] = ns;
    rows[at + 3] = simAllocs;
    rows[at + 4] = simAllocBytes;
    rows[at + 5] = overruns;
    this.#next = this.#next + 1 === CAPACITY ? 0 : this.#next + 1;
    if (this.#count < CAPACITY) this.#count += 1;
    if (simAllocs > 0) this.#simAllocsTotal += simAllocs;
  }

  /** Returns the frames held, the oldest first, each with its verdict. */
  list(): FrameRecord[] {
    const oldest = this.#count < CAPACITY ? 0 : this.#next;
    return Array.from({ length: this.#count }, (_, i) => this.#read((oldest + i) % CAPACITY));
  }

  #read(slot: number): FrameRecord {
    const double = (field: number): number => this.#rows[slot * ROW + field] as number;
    const simAllocs = double(3);
    const overruns = double(5);
    return {
      tick: double(0),
      ticks: double(1),
      ms: double(2) / 1e6,
      simAllocs,
      simAllocBytes: double(4),
      overruns,
      // NaN, where nothing was watched, is no allocation.
      verdict: simAllocs > 0 || overruns > 0 ? 'FAIL' : 'PASS',
    };
  }
}

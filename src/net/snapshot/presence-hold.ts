import { NetError } from '../net-error.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { gatherRows } from './gather-rows.ts';
import { checkOutput } from './output-check.ts';
import { RowSources } from './row-sources.ts';
import { Snapshot } from './snapshot.ts';

/**
 * Keeps entities in the picture for a while after they have gone, as they were last. One that walks
 * along the edge of an area of interest would else come and go with every update. It cannot know
 * why an entity is gone, so one that was destroyed stays as long. Warm, it allocates nothing.
 *
 * It stands before a {@link SnapshotPair}: `pair.apply(hold.apply(snapshot, nowSeconds))`.
 */
export class PresenceHold {
  readonly #holdS: number;
  /** Rows of the population shown so far by their index, of the new one by the complement. */
  readonly #sources = new RowSources();
  #shown: Snapshot;
  #next: Snapshot;
  /** When each row of what is shown was last in a snapshot, in seconds. */
  #seen = new Float64Array(0);
  #nextSeen = new Float64Array(0);
  #heldCount = 0;

  /**
   * @param holdSeconds how long an entity stays, in the time that `apply` is told.
   * @throws NetError `hold-invalid` if it is negative or not finite.
   */
  constructor(shape: RecordShape, holdSeconds: number) {
    if (!(holdSeconds >= 0 && holdSeconds < Number.POSITIVE_INFINITY)) {
      throw new NetError('OPTION_INVALID', 'hold-invalid', 'holdSeconds is no length of time.', {
        given: String(holdSeconds),
        allowed: 'a finite number of seconds from 0',
        fix: 'Give 0 to hold nothing; 0.25 hides what flickers at an edge.',
      });
    }
    this.#holdS = holdSeconds;
    this.#shown = new Snapshot(shape);
    this.#next = new Snapshot(shape);
  }

  /** Entities of the last result that were not in the snapshot given. */
  get heldCount(): number {
    return this.#heldCount;
  }

  /**
   * Returns the population of a valid snapshot and those that were last in one less than the hold
   * ago. It is good until the next call, and is not to be changed.
   *
   * @throws NetError `time-range` if the time is not finite; `shape-mismatch` or `output-is-input`
   * if the snapshot is of another record or one returned here.
   */
  apply(snapshot: Snapshot, nowSeconds: number): Snapshot {
    checkOutput(this.#next, snapshot);
    checkOutput(this.#shown, snapshot);
    if (!Number.isFinite(nowSeconds)) {
      throw new NetError('VALUE_INVALID', 'time-range', 'nowSeconds is no time.', {
        given: String(nowSeconds),
        allowed: 'a finite number of seconds',
        fix: 'Give the time that the snapshot came.',
      });
    }
    this.#merge(snapshot, nowSeconds);
    const next = this.#next;
    gatherRows(this.#shown, snapshot, this.#sources, next);
    next.tickHigh = snapshot.tickHigh;
    next.tickLow = snapshot.tickLow;
    this.#heldCount = next.count - snapshot.count;
    this.#turn();
    return next;
  }

  /** Forgets all: the next result is the snapshot given. */
  clear(): void {
    this.#shown.clear();
    this.#heldCount = 0;
  }

  #merge(snapshot: Snapshot, nowS: number): void {
    const shown = this.#shown;
    const sources = this.#sources;
    const most = shown.count + snapshot.count;
    sources.reserve(most);
    if (most > this.#nextSeen.length)
      this.#nextSeen = new Float64Array(Math.max(most, this.#nextSeen.length * 2, 16));
    const seen = this.#seen;
    const nextSeen = this.#nextSeen;
    const { rows } = sources;
    let count = 0;
    let row = 0;
    for (let fresh = 0; fresh <= snapshot.count; fresh++) {
      // Behind the last row of the snapshot stands an id that is above all.
      const id = fresh < snapshot.count ? (snapshot.ids[fresh] as number) : Number.MAX_SAFE_INTEGER;
      for (; row < shown.count && (shown.ids[row] as number) < id; row++) {
        if (nowS - (seen[row] as number) >= this.#holdS) continue;
        nextSeen[count] = seen[row] as number;
        rows[count++] = row;
      }
      if (row < shown.count && shown.ids[row] === id) row++;
      if (fresh === snapshot.count) break;
      nextSeen[count] = nowS;
      rows[count++] = ~fresh;
    }
    sources.count = count;
  }

  #turn(): void {
    const shown = this.#shown;
    this.#shown = this.#next;
    this.#next = shown;
    const seen = this.#seen;
    this.#seen = this.#nextSeen;
    this.#nextSeen = seen;
  }
}

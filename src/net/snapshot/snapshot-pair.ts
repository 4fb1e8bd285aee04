import { NetError } from '../net-error.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { checkSameRecord } from '../record/same-record.ts';
import { blendSnapshots } from './interpolate.ts';
import { Snapshot } from './snapshot.ts';
import { validateSnapshot } from './snapshot-check.ts';
import type { SnapshotFault } from './snapshot-check.ts';

/** What became of a snapshot that was given to a {@link SnapshotPair}. */
export type ApplyStatus = 'applied' | 'older-tick' | SnapshotFault;

const WORD = 2 ** 32;

/** Places in the numbers of a pair; alpha is the first, as a blend wants it. */
const ALPHA = 0;
const ELAPSED_S = 1;
const GAP_TICKS = 2;

/**
 * What a client shows: the last two snapshots that came, and how far between them it is. The time
 * starts anew with each new tick and runs for as long as the ticks between the two take; then the
 * current one stands. Nothing is predicted and nothing is held back, so the picture is one update
 * late. Warm, it allocates nothing.
 */
export class SnapshotPair {
  /** While true the current snapshot is shown as it is; the time still runs. */
  paused = false;
  readonly #tickRateHz: number;
  readonly #blended: Snapshot;
  #previous: Snapshot;
  #current: Snapshot;
  /** Snapshots that came, up to two. */
  #count = 0;
  /** Alpha, seconds since the last new tick, ticks between the two. In place: a field is a box. */
  readonly #numbers = new Float64Array(3);

  /**
   * @param tickRateHz ticks of the simulation in a second, not updates.
   * @throws NetError `tick-rate-invalid` if it is not above 0 and finite.
   */
  constructor(shape: RecordShape, tickRateHz: number) {
    if (!(tickRateHz > 0 && tickRateHz < Number.POSITIVE_INFINITY)) {
      throw new NetError('OPTION_INVALID', 'tick-rate-invalid', 'tickRateHz is no rate.', {
        given: String(tickRateHz),
        allowed: 'a finite number above 0',
        fix: 'Give the tick rate of the simulation that the snapshots are of.',
      });
    }
    this.#tickRateHz = tickRateHz;
    this.#blended = new Snapshot(shape);
    this.#previous = new Snapshot(shape);
    this.#current = new Snapshot(shape);
  }

  /** The snapshot that came last, or null. */
  get current(): Snapshot | null {
    return this.#count > 0 ? this.#current : null;
  }

  /** The one of the tick before, or null. */
  get previous(): Snapshot | null {
    return this.#count > 1 ? this.#previous : null;
  }

  /** How far {@link sample} is between the two, 0 to 1; 1 with fewer than two and while paused. */
  get alpha(): number {
    this.#setAlpha();
    return this.#numbers[ALPHA] as number;
  }

  /**
   * Copies a snapshot as the current one; the one so far becomes the previous one. One of the same
   * tick only takes the place of the current one, and the time runs on. One of an older tick, or
   * one that is not valid, changes nothing.
   *
   * @throws NetError `shape-mismatch` if it is of another record.
   */
  apply(snapshot: Snapshot): ApplyStatus {
    checkSameRecord(this.#current, snapshot);
    const fault = validateSnapshot(snapshot);
    if (fault !== 'ok') return fault;
    if (this.#count === 0) {
      this.#count = 1;
    } else {
      const high = snapshot.tickHigh - this.#current.tickHigh;
      const gap = high * WORD + (snapshot.tickLow - this.#current.tickLow);
      if (gap < 0) return 'older-tick';
      if (gap > 0) {
        this.#numbers[GAP_TICKS] = gap;
        this.#turn();
      }
    }
    this.#current.copyFrom(snapshot);
    return 'applied';
  }

  /**
   * Lets time pass.
   *
   * @param seconds since the last call, in the time of the simulation.
   * @throws NetError `time-range` if it is negative or not finite.
   */
  advance(seconds: number): void {
    if (!(seconds >= 0 && seconds < Number.POSITIVE_INFINITY)) {
      throw new NetError('VALUE_INVALID', 'time-range', 'Time cannot pass like that.', {
        given: String(seconds),
        allowed: 'a finite number of seconds from 0',
        fix: 'Give the time between two frames.',
      });
    }
    this.#numbers[ELAPSED_S] = (this.#numbers[ELAPSED_S] as number) + seconds;
  }

  /**
   * Returns the population to show, or null before the first snapshot. At alpha 1 that is the
   * current snapshot itself, to the bit. It is good until the next `sample` or `apply`, and is not
   * to be changed.
   */
  sample(): Snapshot | null {
    if (this.#count === 0) return null;
    this.#setAlpha();
    // As f32, which is what a blend would take it as.
    if (Math.fround(this.#numbers[ALPHA] as number) === 1) return this.#current;
    blendSnapshots(this.#previous, this.#current, this.#numbers, this.#blended);
    return this.#blended;
  }

  /** Forgets both snapshots; the next one may have any tick. */
  clear(): void {
    this.#count = 0;
    this.#numbers[ELAPSED_S] = 0;
  }

  #setAlpha(): void {
    const numbers = this.#numbers;
    const ticks = (numbers[ELAPSED_S] as number) * this.#tickRateHz;
    const between = !this.paused && this.#count === 2;
    numbers[ALPHA] = between ? Math.min(1, ticks / (numbers[GAP_TICKS] as number)) : 1;
  }

  /** Makes the current snapshot the previous one; the place of the current one is to be filled. */
  #turn(): void {
    const recycled = this.#previous;
    this.#previous = this.#current;
    this.#current = recycled;
    this.#count = 2;
    this.#numbers[ELAPSED_S] = 0;
  }
}

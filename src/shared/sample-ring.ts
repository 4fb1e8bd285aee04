import { assert } from './assert.ts';

/**
 * Keeps the last `capacity` samples, whole nanoseconds as a rule, in the order in which they came.
 * Recording costs one store; the figures are worked out when asked for, from one sort. Where each
 * sample is followed by a question, `RollingQuantile` is the better one. Nothing here allocates
 * after construction.
 */
export class SampleRing {
  /** Samples in the order of their slots: 0 to count - 1 until the ring is full, then all. */
  readonly #samples: Float64Array;
  /** The samples in ascending order, then Infinity; valid while {@link #sortedAt} says so. */
  readonly #sorted: Float64Array;
  #count = 0;
  #next = 0;
  #totalRecorded = 0;
  /** The total for which {@link #sorted} holds; -1 is none. */
  #sortedAt = -1;

  /** Makes an empty ring. Asserts that `capacity` is a whole number from 1. */
  constructor(capacity: number) {
    assert(Number.isSafeInteger(capacity) && capacity >= 1, 'a sample ring holds a sample or more');
    this.#samples = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  /** Samples it holds at most. */
  get capacity(): number {
    return this.#samples.length;
  }

  /** Samples held. */
  get count(): number {
    return this.#count;
  }

  /** Samples ever recorded, those that were dropped since included. */
  get totalRecorded(): number {
    return this.#totalRecorded;
  }

  /** The latest sample; NaN when there is none. */
  get last(): number {
    if (this.#count === 0) return Number.NaN;
    const slot = this.#next === 0 ? this.#samples.length - 1 : this.#next - 1;
    return this.#samples[slot] as number;
  }

  /** Takes a sample in; the oldest goes when the ring is full. NaN is passed over. */
  record(ns: number): void {
    if (Number.isNaN(ns)) return;
    const { length } = this.#samples;
    this.#samples[this.#next] = ns;
    this.#next = this.#next + 1 === length ? 0 : this.#next + 1;
    if (this.#count < length) this.#count += 1;
    this.#totalRecorded += 1;
  }

  /**
   * Returns the `percent`-th percentile of what is held by nearest rank,
   * `sorted[ceil(percent * n / 100) - 1]` with the rank kept in 1 to n; NaN when nothing is held.
   */
  percentile(percent: number): number {
    if (this.#count === 0) return Number.NaN;
    this.#sort();
    const rank = Math.max(1, Math.ceil((percent * this.#count) / 100));
    return this.#sorted[Math.min(rank, this.#count) - 1] as number;
  }

  /** Returns the mean of what is held, exact up to the division; NaN when nothing is held. */
  mean(): number {
    let sum = 0;
    for (let i = 0; i < this.#count; i++) sum += this.#samples[i] as number;
    return sum / this.#count;
  }

  /** Returns the largest sample held; NaN when nothing is held. */
  max(): number {
    if (this.#count === 0) return Number.NaN;
    let max = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.#count; i++) max = Math.max(max, this.#samples[i] as number);
    return max;
  }

  /** Forgets everything, the total too. */
  clear(): void {
    this.#count = 0;
    this.#next = 0;
    this.#totalRecorded = 0;
    this.#sortedAt = -1;
  }

  #sort(): void {
    if (this.#sortedAt === this.#totalRecorded) return;
    // The whole array is sorted, with Infinity behind the samples: a part of it would need a view.
    this.#sorted.set(this.#samples);
    if (this.#count < this.#sorted.length) {
      this.#sorted.fill(Number.POSITIVE_INFINITY, this.#count);
    }
    this.#sorted.sort();
    this.#sortedAt = this.#totalRecorded;
  }
}

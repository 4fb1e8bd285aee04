import { EscapementError } from '../shared/error.ts';
import type { Column } from '../shared/schema.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     in the world's block: a count, then the slots of the rows; the numbers beside them.
 * Ordering   plain accesses.
 * Progress   finding is a binary search, inserting and removing move the rows behind; allocates
 *            nothing.
 * Invariant  slots ascend strictly, so that the rows follow from who has the component alone.
 */

/** The packed rows of a sparse component: which slot each belongs to, ascending. */
export class SparseRows {
  /** Slot index of each row; the first {@link count} are valid. */
  readonly slots: Uint32Array;
  readonly #count: Uint32Array;
  readonly #column: Column;
  readonly #width: number;
  readonly #name: string;

  constructor(name: string, width: number, count: Uint32Array, slots: Uint32Array, column: Column) {
    this.#name = name;
    this.#width = width;
    this.#count = count;
    this.slots = slots;
    this.#column = column;
  }

  /** Rows in use. */
  get count(): number {
    return this.#count[0] as number;
  }

  /** The most rows. */
  get capacity(): number {
    return this.slots.length;
  }

  /** Returns the row of a slot, -1 when it has none. */
  find(slot: number): number {
    const row = this.#lowerBound(slot);
    return row < this.count && this.slots[row] === slot ? row : -1;
  }

  /** Throws CAPACITY_EXHAUSTED when every row is in use. */
  checkRoom(): void {
    if (this.count === this.slots.length) this.#refuse();
  }

  /**
   * Opens a row for a slot that has none and returns it; its numbers are 0. Throws
   * CAPACITY_EXHAUSTED when every row is in use.
   */
  insert(slot: number): number {
    this.checkRoom();
    const { count, slots } = this;
    const row = this.#lowerBound(slot);
    const width = this.#width;
    slots.copyWithin(row + 1, row, count);
    this.#column.copyWithin((row + 1) * width, row * width, count * width);
    slots[row] = slot;
    this.#column.fill(0, row * width, (row + 1) * width);
    this.#count[0] = count + 1;
    return row;
  }

  /** Closes the row of a slot that has one. */
  remove(slot: number): void {
    const { count, slots } = this;
    const row = this.#lowerBound(slot);
    const width = this.#width;
    slots.copyWithin(row, row + 1, count);
    this.#column.copyWithin(row * width, (row + 1) * width, count * width);
    this.#count[0] = count - 1;
  }

  /** The first row whose slot is not below `slot`. */
  #lowerBound(slot: number): number {
    const { slots } = this;
    let low = 0;
    let high = this.count;
    // Whoever walks the slots ascending appends.
    if (high > 0 && (slots[high - 1] as number) < slot) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((slots[middle] as number) < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #refuse(): never {
    throw new EscapementError('CAPACITY_EXHAUSTED', `No row is left for "${this.#name}".`, {
      given: `one more than ${this.slots.length} entities with it`,
      allowed: `${this.slots.length} rows`,
      fix: 'Raise the `rows` given to sparse(), or declare the component without it.',
    });
  }
}

import { assert } from '../shared/assert.ts';
import type { FlightTable } from './flight-table.ts';

/** Slots of a {@link FlightTable} by what is due first: a binary heap. */
export class SlotHeap {
  readonly #table: FlightTable;
  readonly #slots: Int32Array;
  #count = 0;

  constructor(table: FlightTable, capacity: number) {
    this.#table = table;
    this.#slots = new Int32Array(capacity);
  }

  /** The slot that is due first; -1 where there is none. */
  get first(): number {
    return this.#count === 0 ? -1 : (this.#slots[0] as number);
  }

  /** Adds a slot; its row does not change until it is removed. */
  push(slot: number): void {
    const slots = this.#slots;
    assert(this.#count < slots.length, 'a heap holds no more slots than there are');
    let at = this.#count++;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      const above = slots[parent] as number;
      if (!this.#table.isBefore(slot, above)) break;
      slots[at] = above;
      at = parent;
    }
    slots[at] = slot;
  }

  /** Takes out the slot that is due first. */
  removeFirst(): void {
    assert(this.#count > 0, 'a slot is removed from a heap that holds one');
    const slots = this.#slots;
    const count = --this.#count;
    const last = slots[count] as number;
    let at = 0;
    for (let child = 1; child < count; child = 2 * at + 1) {
      const right = child + 1;
      if (right < count && this.#table.isBefore(slots[right] as number, slots[child] as number)) {
        child = right;
      }
      const below = slots[child] as number;
      if (!this.#table.isBefore(below, last)) break;
      slots[at] = below;
      at = child;
    }
    slots[at] = last;
  }
}

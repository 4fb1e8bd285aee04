/** The parent of a row that has none, and of one that is left out. */
export const ROOT = -1;
export const LEFT_OUT = -2;

/** What became of a row. */
export const PLACED = 0;
/** It is left out, or one above it is. */
export const ORPHANED = 1;
/** It stands in a circle of parents, or below one. */
const CIRCLING = 2;

const NONE: Int32Array = new Int32Array(0);

/**
 * Puts rows into an order in which parents come before their children, without recursion: from the
 * roots down, generation by generation. Allocates only when there are more rows than ever before.
 */
export class ParentOrder {
  /** Rows, parents first; the first `placedCount` of them are valid. */
  order: Int32Array = NONE;
  /** What became of each row: {@link PLACED}, {@link ORPHANED} or circling. */
  fate: Uint8Array = new Uint8Array(0);
  placedCount = 0;
  orphanCount = 0;
  circlingCount = 0;
  /** The first child of each row and the next child of the same parent, -1 for none. */
  #first: Int32Array = NONE;
  #next: Int32Array = NONE;

  /** Orders `count` rows by their parents: a row, {@link ROOT} or {@link LEFT_OUT} each. */
  make(parents: Int32Array, count: number): void {
    this.#reserve(parents.length);
    const first = this.#first;
    const next = this.#next;
    first.fill(-1, 0, count);
    this.fate.fill(CIRCLING, 0, count);
    for (let row = count - 1; row >= 0; row--) {
      const parent = parents[row] as number;
      if (parent < 0) continue;
      next[row] = first[parent] as number;
      first[parent] = row;
    }
    this.placedCount = this.#descend(parents, count, ROOT, PLACED, 0);
    const reached = this.#descend(parents, count, LEFT_OUT, ORPHANED, this.placedCount);
    this.orphanCount = reached - this.placedCount;
    this.circlingCount = count - reached;
  }

  /** Appends the rows under a kind of parent and all below them. Returns the new length. */
  #descend(parents: Int32Array, count: number, kind: number, fate: number, begin: number): number {
    const { order } = this;
    let end = begin;
    for (let row = 0; row < count; row++) if (parents[row] === kind) order[end++] = row;
    for (let at = begin; at < end; at++) {
      const row = order[at] as number;
      this.fate[row] = fate;
      let child = this.#first[row] as number;
      for (; child >= 0; child = this.#next[child] as number) order[end++] = child;
    }
    return end;
  }

  #reserve(rows: number): void {
    if (this.order.length >= rows) return;
    this.order = new Int32Array(rows);
    this.#first = new Int32Array(rows);
    this.#next = new Int32Array(rows);
    this.fate = new Uint8Array(rows);
  }
}

import type { RosterView } from './roster-view.ts';

const NONE: Uint32Array = new Uint32Array(0);

/**
 * Remembers who was seen in the view's last frame and lists who entered and who left since,
 * however many ticks lie between. A recycled slot is one that left and one that entered; an entity
 * that came and went between two frames is in neither list. One that is hidden leaves.
 */
export class RosterDiff {
  /** Handles, ascending by slot index. */
  entered: Uint32Array = NONE;
  left: Uint32Array = NONE;
  readonly #known: Uint32Array;
  readonly #enteredRoom: Uint32Array;
  #leftRoom: Uint32Array;
  #rows = 0;
  #version = -1;

  constructor(capacity: number) {
    this.#known = new Uint32Array(capacity);
    this.#enteredRoom = new Uint32Array(capacity);
    this.#leftRoom = new Uint32Array(capacity);
  }

  /** Takes in the roster of a new frame. */
  update(roster: RosterView): void {
    if (roster.version === this.#version) {
      if (this.entered.length > 0) this.entered = NONE;
      if (this.left.length > 0) this.left = NONE;
      return;
    }
    this.#version = roster.version;
    const rows = Math.max(this.#rows, roster.highWater);
    let enteredCount = 0;
    let leftCount = 0;
    for (let index = 0; index < rows; index++) {
      const before = this.#known[index] as number;
      const now = roster.shows(index) ? (roster.handles[index] as number) : 0;
      if (before === now) continue;
      if (before !== 0) this.#leftRoom[leftCount++] = before;
      if (now !== 0) this.#enteredRoom[enteredCount++] = now;
      this.#known[index] = now;
    }
    this.#rows = roster.highWater;
    this.entered = enteredCount === 0 ? NONE : this.#enteredRoom.subarray(0, enteredCount);
    this.left = leftCount === 0 ? NONE : this.#leftRoom.subarray(0, leftCount);
  }

  /**
   * Lets everybody leave who was known to another run: handles of two runs say nothing together.
   */
  handOver(next: RosterDiff): void {
    // Those of a run before this one, if no frame has told of them.
    let count = this.#carried;
    next.#makeRoom(count + this.#rows);
    next.#leftRoom.set(this.#leftRoom.subarray(0, count));
    for (let index = 0; index < this.#rows; index++) {
      const before = this.#known[index] as number;
      if (before !== 0) next.#leftRoom[count++] = before;
    }
    next.#carried = count;
  }

  #carried = 0;

  /** A run may have had room for more than this one. */
  #makeRoom(count: number): void {
    if (this.#leftRoom.length < count) this.#leftRoom = new Uint32Array(count);
  }

  /** Takes in the first roster after a move to another run. */
  updateAfterMove(roster: RosterView): void {
    const carried = this.#carried;
    this.#carried = 0;
    this.update(roster);
    this.left = carried === 0 ? NONE : this.#leftRoom.subarray(0, carried);
  }
}

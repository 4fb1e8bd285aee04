import type { Column } from '../shared/schema.ts';
import type { ComponentStore } from './component-store.ts';
import type { World } from './world.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     reads the world's column and stamps; the two captures are its own.
 * Ordering   plain accesses.
 * Progress   a capture is a bulk copy of the rows in use and, if any entity came, went, jumped or
 *            changed its components since the last, a look at each 32 slots; allocates nothing.
 * Invariant  where a stamp is still the one that was kept and no bit says so, both captures hold
 *            the entity's position, and nothing between them must not be blended across.
 */

/** Rows that are copied at once: whole blocks, so that no view is made for the rows in use. */
const BLOCK_ROWS = 4096;
const WIDTH = 2;

/** One capture of a column, and views of its blocks. */
interface Capture {
  readonly column: Column;
  readonly blocks: readonly Column[];
}

/** A component's numbers as the last two ticks left them, and who must not be blended across. */
export class PositionPair {
  readonly #world: World;
  readonly #source: readonly Column[];
  #earlier: Capture;
  #later: Capture;
  /** At each slot, the world's stamp as of the last capture. */
  readonly #stamps: Uint32Array;
  /** A bit for each slot that shows the later capture alone. */
  readonly #snaps: Uint32Array;
  /** The world's version as of the last capture. */
  #version: number;
  #someSnap = false;

  /** Makes a pair over a component of two numbers a slot. Nothing is captured yet. */
  constructor(world: World, store: ComponentStore) {
    const { capacity } = world;
    this.#world = world;
    this.#source = blocksOf(store.column);
    this.#earlier = captureOf(store.column);
    this.#later = captureOf(store.column);
    this.#stamps = world.stamps.slice();
    this.#version = world.version;
    this.#snaps = new Uint32Array(Math.ceil(capacity / 32));
  }

  /** The numbers of the capture before the last. */
  get earlier(): Column {
    return this.#earlier.column;
  }

  /** The numbers of the last capture. */
  get later(): Column {
    return this.#later.column;
  }

  /** The bits of those who show the later numbers alone. */
  get snaps(): Uint32Array {
    return this.#snaps;
  }

  /** Whether the entity of a slot is newer than the last capture, or has jumped since. */
  isNewer(index: number): boolean {
    return this.#stamps[index] !== this.#world.stamps[index];
  }

  /** Takes the column as the state of one more tick. Unless it follows the last one, all snap. */
  capture(follows: boolean): void {
    const { highWater, version } = this.#world;
    const oldest = this.#earlier;
    this.#earlier = this.#later;
    this.#later = oldest;
    const source = this.#source;
    for (let b = 0; b * BLOCK_ROWS < highWater; b++) {
      (oldest.blocks[b] as Column).set(source[b] as Column);
    }
    if (version !== this.#version || !follows) this.#mark(highWater, follows ? 0 : -1);
    else if (this.#someSnap) this.#clear(highWater);
    this.#version = version;
  }

  /** Keeps the stamps, and marks whose have changed; `all` is -1 to mark everyone. */
  #mark(rows: number, all: 0 | -1): void {
    const { stampVersions } = this.#world;
    const since = this.#version;
    const snaps = this.#snaps;
    let some: number = all;
    for (let w = 0; w << 5 < rows; w++) {
      // Later than `since`, also across the end of the u32.
      const changed = (((stampVersions[w] as number) - since) | 0) > 0;
      const bits = changed ? all | this.#keep(w << 5, rows) : all;
      snaps[w] = bits;
      some |= bits;
    }
    this.#someSnap = some !== 0;
  }

  /** Keeps the stamps of the 32 slots from `begin` on; returns a bit for each that has changed. */
  #keep(begin: number, rows: number): number {
    const { stamps } = this.#world;
    const kept = this.#stamps;
    const end = Math.min(rows, begin + 32);
    let bits = 0;
    for (let index = begin; index < end; index++) {
      const stamp = stamps[index] as number;
      if (stamp === kept[index]) continue;
      kept[index] = stamp;
      bits |= 1 << (index & 31);
    }
    return bits;
  }

  #clear(rows: number): void {
    const snaps = this.#snaps;
    for (let w = 0; w << 5 < rows; w++) snaps[w] = 0;
    this.#someSnap = false;
  }
}

function captureOf(like: Column): Capture {
  const column = like.slice();
  return { column, blocks: blocksOf(column) };
}

function blocksOf(column: Column): Column[] {
  const length = BLOCK_ROWS * WIDTH;
  return Array.from({ length: Math.ceil(column.length / length) }, (_, b) =>
    column.subarray(b * length, (b + 1) * length),
  );
}

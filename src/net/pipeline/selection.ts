import { roomFor } from './columns.ts';

/**
 * The entities that a client is told of at one tick, as rows of the source, and which of them are
 * to be sent now. Places are indices into the rows. Grows when it must, never shrinks.
 */
export class Selection {
  /** Entities within the area of interest. */
  count = 0;
  /** The rows are all rows of the source, so `rows` is not filled. */
  whole = false;
  rows: Uint32Array = new Uint32Array(0);
  /** Squares of their distances; only with an area of interest. */
  squares: Float32Array = new Float32Array(0);
  /** All of them are to be sent, so `chosen` is not filled. */
  all = true;
  /** 1 for each place that is to be sent. */
  chosen: Uint8Array = new Uint8Array(0);
  /** The place of the client's own entity; -1: none. */
  own = -1;

  /** Makes room for as many entities as the source has; what was there is lost. */
  reserve(count: number): void {
    this.rows = roomFor(this.rows, count);
    const room = this.rows.length;
    if (room === this.squares.length) return;
    this.squares = new Float32Array(room);
    this.chosen = new Uint8Array(room);
  }

  /** Takes all rows of the source. */
  takeWhole(count: number): void {
    this.reserve(count);
    this.count = count;
    this.whole = true;
    this.all = true;
    this.own = -1;
  }

  /** Starts choosing: nothing is to be sent yet. */
  chooseNone(): void {
    this.all = false;
    this.chosen.fill(0, 0, this.count);
  }

  /** The row of the source at a place. */
  row(place: number): number {
    return this.whole ? place : (this.rows[place] as number);
  }
}

/**
 * Chooses up to `cap` places in turn from a cursor on; returns the cursor of the next turn. With
 * nobody to choose from it starts again at 0.
 */
export function chooseInTurn(selection: Selection, cursor: number, cap: number): number {
  const { count, chosen } = selection;
  selection.chooseNone();
  if (count === 0) return 0;
  const first = cursor % count;
  const turns = Math.min(count, cap);
  let place = first;
  for (let i = 0; i < turns; i++) {
    chosen[place] = 1;
    place = place + 1 === count ? 0 : place + 1;
  }
  return place;
}

/**
 * Adds entities that delivery has to send again, by ascending ids; returns how many were not chosen
 * before. Ids that are not within the selection are passed over.
 */
export function chooseRecovery(
  selection: Selection,
  ids: Uint32Array,
  recovery: Uint32Array,
  recoveryCount: number,
): number {
  const { count, chosen } = selection;
  let added = 0;
  let place = 0;
  for (let i = 0; i < recoveryCount; i++) {
    const id = recovery[i] as number;
    while (place < count && (ids[selection.row(place)] as number) < id) place++;
    if (place === count) break;
    if (ids[selection.row(place)] !== id || chosen[place] === 1) continue;
    chosen[place] = 1;
    added++;
  }
  return added;
}

import { EscapementError } from '../shared/error.ts';
import { type CullJob, cullRows } from '../shared/kernels/cull.ts';
import type { Kernels } from '../shared/kernels/kernels.ts';
import type { BulkBlend } from './bulk-blend.ts';
import type { RowsOf, Within } from './bulk-options.ts';
import type { Channel } from './channel.ts';
import { cullByRadius } from './cull-by-radius.ts';
import { checkPosition, checkRadius } from './matrix-kinds.ts';
import { type PinnedPair, unknownName } from './pinned-pair.ts';
import { RosterQuery } from './roster-query.ts';
import type { ReaderOutputs } from './reader-outputs.ts';
import { emptyRows, type RowList } from './row-list.ts';
import { WithinBounds } from './within-bounds.ts';

/*
 * Threads    the reader's own.
 * Memory     two lists and the positions of this reader's output in the region, so that kernels
 *            can read them.
 * Ordering   plain accesses under the view's pin.
 * Progress   wait-free; allocates nothing after it was made, but for exact views.
 * Invariant  `rows` and `positions` are those of the last selection until the next one, and equal
 *            serials are equal selections.
 */

const NONE: Uint32Array = new Uint32Array(0);

/** Whose rows a bulk call makes, and which of them are kept. */
export class RowSelection {
  /** The rows of the last selection. */
  rows: RowList;
  /** Their positions, one behind the other, if the last selection looked at them. */
  positions: Float32Array;
  /** Raised by every selection that is not known to be the one before. */
  serial = 0;

  readonly #pair: PinnedPair;
  readonly #blend: BulkBlend;
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #kernels: Kernels | undefined;
  readonly #names: readonly string[];
  readonly #positionRoom: Float32Array;
  readonly #radiusRoom: Float32Array;
  readonly #chosen: RowList;
  readonly #kept: RowList;
  readonly #bounds: WithinBounds = new WithinBounds();
  readonly #cullJob: CullJob;
  #keptExact: Uint32Array = NONE;
  #chosenExact: Uint32Array = NONE;
  /** The query whose list is in the room, and which list of it. */
  #listed: RosterQuery | undefined;
  #listedSerial = -1;
  /** What the last selection was asked for; only known while `#known`. */
  #known = false;
  #query: RosterQuery | undefined;
  #querySerial = -1;
  #isWithin = false;
  #position: Channel | undefined;

  constructor(
    names: readonly string[],
    pair: PinnedPair,
    channels: ReadonlyMap<string, Channel>,
    blend: BulkBlend,
    outputs: ReaderOutputs,
  ) {
    this.#names = names;
    this.#pair = pair;
    this.#channels = channels;
    this.#blend = blend;
    this.#kernels = outputs.kernels;
    this.#positionRoom = outputs.positions;
    this.#radiusRoom = outputs.scales;
    this.#chosen = { ...emptyRows(), live: outputs.chosen };
    this.#kept = { ...emptyRows(), live: outputs.kept };
    this.rows = emptyRows();
    this.positions = this.#positionRoom;
    this.#cullJob = {
      position: this.#positionRoom,
      positionWidth: 2,
      radius: 0,
      shape: 'rectangle',
      bounds: this.#bounds.bounds,
      rows: NONE,
      listed: false,
      count: 0,
      out: outputs.kept,
    };
  }

  /** Forgets the last selection: another pair is open. */
  open(): void {
    this.#known = false;
    this.serial++;
  }

  /**
   * Selects rows, and their positions where `position` is given. Throws VALUE_INVALID for what is
   * no list and no place, and NAME_UNKNOWN.
   */
  select(of: RowsOf | undefined, within: Within | undefined, position: Channel | undefined): void {
    const query = of instanceof RosterQuery ? of : undefined;
    query?.refresh(this.#pair.laterRoster, this.#names);
    const isList = of !== undefined && query === undefined;
    const isSame = this.#isSame(query, within, position);
    if (isSame && !isList) return;
    this.#known = false;
    this.serial++;
    let rows = this.#blend.all;
    if (query !== undefined) rows = this.#takeQuery(query);
    else if (of !== undefined) rows = this.#takeList(of as Uint32Array);
    if (position !== undefined) this.positions = this.#blendPositions(position, rows);
    if (within !== undefined && position !== undefined) rows = this.#cull(rows, position);
    this.rows = rows;
    this.#query = query;
    this.#querySerial = query?.serial ?? -1;
    this.#isWithin = within !== undefined;
    this.#position = position;
    this.#known = !isList;
  }

  /** Returns the slot indices of the last selection at their exact length. */
  indices(): Uint32Array {
    const { rows } = this;
    if (rows.isAll) return this.#pair.laterRoster.indices();
    if (rows === this.#kept) {
      const { live, count } = rows;
      if (this.#keptExact.length !== count) this.#keptExact = live.subarray(0, count);
      return this.#keptExact;
    }
    if (this.#query === undefined) return rows.given;
    // The query's own list may have gone on with another view.
    const { live, count } = this.#chosen;
    if (this.#chosenExact.length !== count) this.#chosenExact = live.subarray(0, count);
    return this.#chosenExact;
  }

  /** Brings a query up to date and returns its list. */
  indicesOf(query: RosterQuery): Uint32Array {
    query.refresh(this.#pair.laterRoster, this.#names);
    return query.exact();
  }

  #isSame(
    query: RosterQuery | undefined,
    within: Within | undefined,
    position: Channel | undefined,
  ): boolean {
    // Always looked at, so that what it remembers is what the last call gave.
    const differs = within !== undefined && this.#bounds.take(within);
    return (
      this.#known &&
      !differs &&
      this.#isWithin === (within !== undefined) &&
      this.#query === query &&
      (query === undefined || query.serial === this.#querySerial) &&
      (position === this.#position || (position === undefined && within === undefined))
    );
  }

  #takeQuery(query: RosterQuery): RowList {
    const { count, list } = query;
    const chosen = this.#chosen;
    const { live } = chosen;
    if (this.#listed !== query || this.#listedSerial !== query.serial) {
      for (let row = 0; row < count; row++) live[row] = list[row] as number;
      this.#listed = query;
      this.#listedSerial = query.serial;
    }
    chosen.count = count;
    chosen.dense = count === 0 || list[count - 1] === count - 1;
    chosen.ascending = true;
    chosen.isSeen = true;
    return chosen;
  }

  /** Takes over a list of the caller's; slot 0 stands in for one that nobody is seen at. */
  #takeList(list: Uint32Array): RowList {
    const chosen = this.#chosen;
    const { live } = chosen;
    const { laterRoster } = this.#pair;
    if (!(list instanceof Uint32Array) || list.length > live.length) {
      throw noList(list, live.length);
    }
    this.#listed = undefined;
    const count = list.length;
    chosen.ascending = true;
    chosen.isSeen = true;
    let last = -1;
    for (let row = 0; row < count; row++) {
      let slot = list[row] as number;
      if (slot >= live.length || !laterRoster.shows(slot)) {
        slot = 0;
        chosen.isSeen = false;
      }
      if (slot <= last) chosen.ascending = false;
      last = slot;
      live[row] = slot;
    }
    chosen.count = count;
    chosen.dense = chosen.ascending && last === count - 1;
    chosen.given = list;
    return chosen;
  }

  #blendPositions(position: Channel, rows: RowList): Float32Array {
    checkPosition(position.schema);
    if (rows.isAll) return this.#blend.blendAll(position) as Float32Array;
    this.#blend.blend(position, rows, this.#positionRoom, position.schema.width, 0);
    return this.#positionRoom;
  }

  /** Keeps the rows that lie inside, with their positions. */
  #cull(rows: RowList, position: Channel): RowList {
    const { positions } = this;
    const { width } = position.schema;
    const kept = this.#kept;
    const { live } = kept;
    kept.count = this.#listInside(rows, position);
    kept.ascending = rows.ascending;
    const room = this.#positionRoom;
    for (let at = 0; at < kept.count; at++) {
      const row = live[at] as number;
      live[at] = rows.live[row] as number;
      for (let i = 0; i < width; i++) room[at * width + i] = positions[row * width + i] as number;
    }
    this.positions = room;
    return kept;
  }

  /** Lists the numbers of the rows that lie inside, and returns how many do. */
  #listInside(rows: RowList, position: Channel): number {
    const job = this.#cullJob;
    const { shape, radiusChannel } = this.#bounds;
    job.position = this.positions;
    job.positionWidth = position.schema.width as 2 | 3;
    job.shape = shape;
    job.radius = this.#bounds.radius[0] as number;
    job.count = rows.count;
    if (radiusChannel !== undefined) {
      const radii = this.#channels.get(radiusChannel);
      if (radii === undefined) {
        throw unknownName('channel', radiusChannel, [...this.#channels.keys()]);
      }
      checkRadius(radii.schema);
      this.#blend.blend(radii, rows, this.#radiusRoom, 1, 0);
      return cullByRadius(job, this.#radiusRoom);
    }
    return this.#kernels === undefined ? cullRows(job) : this.#kernels.cull(job);
  }
}

function noList(given: unknown, capacity: number): EscapementError {
  const isList = given instanceof Uint32Array;
  return new EscapementError('VALUE_INVALID', '`of` is not possible.', {
    given: isList ? `a list of ${given.length} slots` : typeof given,
    allowed: `a query of view.query(), or a Uint32Array of at most ${capacity} slot indices`,
  });
}

import type { Schema } from '../shared/schema.ts';
import {
  bitsetBytes,
  type CensusMap,
  mapCensus,
  mapRoster,
  type RosterMap,
  type WorldMap,
} from '../shared/world-map.ts';
import type { ComponentStore } from './component-store.ts';
import type { EntityTable } from './entity-table.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     in the world's block: two censuses in turn, and the words that say which is which.
 * Ordering   plain accesses.
 * Progress   one bulk copy at the start of a tick after one that changed something.
 * Invariant  census 1 is the roster at the start of this tick, census 0 that of the tick before.
 */

/** Words of the header. */
const LATER = 0;
const HAS_CHANGES = 1;
const WORDS = 2;
const VERSION = 3;

/** Who was there when this tick began, and when the one before it did. */
export class WorldCensus {
  /** Raised at the start of each tick. */
  serial = 0;
  readonly #table: EntityTable;
  readonly #header: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #roster: number;
  readonly #places: readonly number[];
  readonly #handles: readonly Uint32Array[];
  readonly #alive: readonly Uint32Array[];
  readonly #presence: readonly (readonly Uint32Array[])[];
  readonly #map: CensusMap;
  readonly #source: RosterMap;

  constructor(schema: Schema, buffer: ArrayBufferLike, map: WorldMap, table: EntityTable) {
    const words = bitsetBytes(schema.capacity) / 4;
    const census = mapCensus(schema);
    this.#table = table;
    this.#map = census;
    this.#source = mapRoster(schema);
    this.#roster = map.roster;
    this.#places = map.census;
    this.#header = new Uint32Array(buffer, map.censusHeader, 4);
    this.#bytes = new Uint8Array(buffer);
    this.#handles = map.census.map(
      (at) => new Uint32Array(buffer, at + census.handles, schema.capacity),
    );
    this.#alive = map.census.map((at) => new Uint32Array(buffer, at + census.alive, words));
    this.#presence = map.census.map((at) =>
      census.presence.map((offset) => new Uint32Array(buffer, at + offset, words)),
    );
  }

  /** Whether the two differ. */
  get hasChanges(): boolean {
    return this.#header[HAS_CHANGES] === 1;
  }

  /** Words of the bitsets that may hold anything in either. */
  get words(): number {
    return this.#header[WORDS] as number;
  }

  /** Takes the census of a tick that begins. */
  take(): void {
    this.serial++;
    const header = this.#header;
    const { structureVersion } = this.#table;
    if (header[VERSION] === structureVersion) {
      header[HAS_CHANGES] = 0;
      return;
    }
    header[VERSION] = structureVersion;
    const later = 1 - (header[LATER] as number);
    header[LATER] = later;
    header[HAS_CHANGES] = 1;
    header[WORDS] = (this.#table.issued + 31) >>> 5;
    const target = this.#places[later] as number;
    const map = this.#map;
    const source = this.#source;
    this.#copy(target + map.handles, source.handles, this.#table.issued * 4);
    const bytes = bitsetBytes(this.#table.capacity);
    this.#copy(target + map.alive, source.alive, bytes);
    for (let c = 0; c < map.presence.length; c++) {
      this.#copy(target + (map.presence[c] as number), source.presence[c] as number, bytes);
    }
  }

  /** Returns the matches of a query among 32 slots in census `which`: 0 is the earlier one. */
  match(
    which: number,
    w: number,
    all: readonly ComponentStore[],
    any: readonly ComponentStore[],
    none: readonly ComponentStore[],
  ): number {
    const at = this.#at(which);
    const presence = this.#presence[at] as readonly Uint32Array[];
    let bits = (this.#alive[at] as Uint32Array)[w] as number;
    for (const { id } of all) bits &= (presence[id - 1] as Uint32Array)[w] as number;
    let one = any.length === 0 ? -1 : 0;
    for (const { id } of any) one |= (presence[id - 1] as Uint32Array)[w] as number;
    for (const { id } of none) one &= ~((presence[id - 1] as Uint32Array)[w] as number);
    return bits & one;
  }

  /** Returns the handle of a slot in census `which`. */
  handleAt(which: number, index: number): number {
    return (this.#handles[this.#at(which)] as Uint32Array)[index] as number;
  }

  #at(which: number): number {
    const later = this.#header[LATER] as number;
    return which === 1 ? later : 1 - later;
  }

  #copy(target: number, source: number, bytes: number): void {
    const from = this.#roster + source;
    this.#bytes.copyWithin(target, from, from + bytes);
  }
}

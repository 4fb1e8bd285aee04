import { hasBit, lowestBit } from '../shared/bitset.ts';
import type { Entity, EntityArray } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import type { QuerySpec } from '../shared/query-spec.ts';
import type { ComponentStore } from './component-store.ts';
import type { EntityTable } from './entity-table.ts';
import type { Structure } from './structure.ts';
import type { WorldCensus } from './world-census.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     lists of its own, made at their first use, as long as the world's capacity.
 * Ordering   plain accesses.
 * Progress   a refresh scans the bitsets, 32 slots a word, if what it asks for has changed.
 * Invariant  a list holds what matched at its last refresh, ascending, whatever the history.
 */

/** The components a query is about, by term. */
export type QueryTerms = Readonly<Record<keyof QuerySpec, readonly ComponentStore[]>>;

const NO_SLOTS: Int32Array = new Int32Array(0);
const NO_HANDLES: Uint32Array = new Uint32Array(0);

/**
 * A standing question to the world. Make it once (`world.query`), refresh it where it is walked:
 *
 *     const runs = movers.refreshRuns();
 *     for (let r = 0; r < runs; r++) {
 *       const end = movers.ends[r] as number;
 *       for (let i = movers.begins[r] as number; i < end; i++) column[i] = ...;
 *     }
 *
 * A refresh costs a comparison while nothing that it asks for has changed. The lists stay as they
 * are until the next refresh: what changes while one is walked is not seen in that walk.
 */
export class Query {
  /** Entities that matched at the last refresh of {@link indices}. */
  count = 0;
  /** Entities that entered and left, as of the last {@link refreshChanges}. */
  enteredCount = 0;
  exitedCount = 0;

  readonly #table: EntityTable;
  readonly #all: readonly ComponentStore[];
  readonly #any: readonly ComponentStore[];
  readonly #none: readonly ComponentStore[];
  readonly #terms: readonly ComponentStore[];
  readonly #first: Uint32Array;
  readonly #rest: readonly Uint32Array[];
  readonly #anyBits: readonly Uint32Array[];
  readonly #noneBits: readonly Uint32Array[];
  readonly #ofAll: boolean;
  readonly #census: WorldCensus | undefined;
  readonly #structure: Structure;
  readonly #seen: Int32Array;
  readonly #seenRuns: Int32Array;
  #indices: Int32Array = NO_SLOTS;
  #begins: Int32Array = NO_SLOTS;
  #ends: Int32Array = NO_SLOTS;
  #runCount = 0;
  #entered: Uint32Array = NO_HANDLES;
  #exited: Uint32Array = NO_HANDLES;
  #seenChanges = -1;
  /** How deep in walks by {@link each} over this query. */
  #walks = 0;

  /** Made by the world alone. */
  constructor(structure: Structure, terms: QueryTerms, census: WorldCensus | undefined) {
    const { table } = structure;
    this.#structure = structure;
    this.#table = table;
    this.#all = terms.all;
    this.#any = terms.any;
    this.#none = terms.none;
    this.#terms = [...terms.all, ...terms.any, ...terms.none];
    this.#ofAll = terms.all.length === 0 && terms.any.length === 0;
    // Presence implies life, so whoever asks for a component need not ask who lives.
    const bits = this.#all.map(({ presence }) => presence);
    this.#anyBits = this.#any.map(({ presence }) => presence);
    this.#noneBits = this.#none.map(({ presence }) => presence);
    this.#first = bits[0] ?? table.alive;
    this.#rest = bits.slice(1);
    this.#census = census;
    this.#seen = new Int32Array(this.#terms.length + 1).fill(-1);
    this.#seenRuns = new Int32Array(this.#terms.length + 1).fill(-1);
  }

  /** Slot indices that matched at the last {@link refresh}, ascending; {@link count} are valid. */
  get indices(): Int32Array {
    return this.#indices;
  }

  /** First slot of each run of {@link refreshRuns}. */
  get begins(): Int32Array {
    return this.#begins;
  }

  /** The slot after the last of each run of {@link refreshRuns}. */
  get ends(): Int32Array {
    return this.#ends;
  }

  /** Brings {@link indices} up to date and returns how many match. */
  refresh(): number {
    if (this.#isStale(this.#seen)) this.#listIndices();
    return this.count;
  }

  /**
   * Brings {@link begins} and {@link ends} up to date and returns how many runs of neighbouring
   * slots match: the fastest way to walk a query, a plain loop over the columns.
   */
  refreshRuns(): number {
    if (this.#isStale(this.#seenRuns)) this.#listRuns();
    return this.#runCount;
  }

  /**
   * Calls `visit` for each match, ascending. Inside, no entity may be despawned and no component
   * added to or removed from one; `world.commands` defers that to the end of the system.
   */
  each(visit: (index: number, entity: Entity) => void): void {
    const count = this.refresh();
    const indices = this.#indices;
    const { handles } = this.#table;
    this.#structure.depth++;
    this.#walks++;
    try {
      for (let k = 0; k < count; k++) {
        const index = indices[k] as number;
        visit(index, handles[index] as Entity);
      }
    } finally {
      this.#structure.depth--;
      this.#walks--;
    }
  }

  /** Says whether the entity at a slot index matches now. */
  matches(index: number): boolean {
    if (!(index >= 0 && index < this.#table.capacity) || !hasBit(this.#first, index)) return false;
    return ((this.#word(index >>> 5) >>> (index & 31)) & 1) === 1;
  }

  /** Handles of those that entered, ascending by slot; {@link enteredCount} are valid. */
  get entered(): EntityArray {
    return this.#entered as EntityArray;
  }

  /** Handles of those that left, ascending by slot; {@link exitedCount} are valid. */
  get exited(): EntityArray {
    return this.#exited as EntityArray;
  }

  /**
   * Brings {@link entered} and {@link exited} up to date: who matches at the start of this tick and
   * did not at the start of the one before, and the other way round. What was undone within a tick
   * is in neither; a slot that has another entity is in both. Throws STATE_INVALID unless the world
   * was declared with `changes: true`. Returns how many are in both lists together.
   */
  refreshChanges(): number {
    const census = this.#census;
    if (census === undefined) throw changesNotKept();
    if (this.#seenChanges !== census.serial) this.#listChanges(census);
    return this.enteredCount + this.exitedCount;
  }

  #isStale(seen: Int32Array): boolean {
    const terms = this.#terms;
    let stale = false;
    for (let t = 0; t < terms.length; t++) {
      const { version } = terms[t] as ComponentStore;
      if (seen[t] === version) continue;
      seen[t] = version;
      stale = true;
    }
    if (this.#ofAll && seen[terms.length] !== this.#table.lifeVersion) {
      seen[terms.length] = this.#table.lifeVersion;
      stale = true;
    }
    return stale;
  }

  /** The matches among the 32 slots of a word. */
  #word(w: number): number {
    let bits = this.#first[w] as number;
    if (bits === 0) return 0;
    const rest = this.#rest;
    for (let t = 0; t < rest.length; t++) bits &= (rest[t] as Uint32Array)[w] as number;
    const any = this.#anyBits;
    if (any.length > 0) {
      let one = 0;
      for (let t = 0; t < any.length; t++) one |= (any[t] as Uint32Array)[w] as number;
      bits &= one;
    }
    const none = this.#noneBits;
    for (let t = 0; t < none.length; t++) bits &= ~((none[t] as Uint32Array)[w] as number);
    return bits | 0;
  }

  #listIndices(): void {
    // A walk goes on over the list it began with.
    if (this.#indices === NO_SLOTS || this.#walks > 0) {
      this.#indices = new Int32Array(this.#table.capacity);
    }
    const indices = this.#indices;
    const words = (this.#table.highWater + 31) >>> 5;
    let count = 0;
    for (let w = 0; w < words; w++) {
      let bits = this.#word(w);
      const base = w << 5;
      if (bits === -1) {
        for (let i = 0; i < 32; i++) indices[count++] = base + i;
        continue;
      }
      for (; bits !== 0; bits &= bits - 1) indices[count++] = base + lowestBit(bits);
    }
    this.count = count;
  }

  #listRuns(): void {
    if (this.#begins === NO_SLOTS) {
      const most = (this.#table.capacity + 1) >>> 1;
      this.#begins = new Int32Array(most);
      this.#ends = new Int32Array(most);
    }
    const begins = this.#begins;
    const ends = this.#ends;
    const words = (this.#table.highWater + 31) >>> 5;
    let count = 0;
    let isOpen = false;
    for (let w = 0; w < words; w++) {
      const bits = this.#word(w);
      // Nothing begins or ends in a word that goes on as the one before it ended.
      if (bits === (isOpen ? -1 : 0)) continue;
      for (let at = 0; at < 32; ) {
        const rest = (isOpen ? ~bits : bits) >>> at;
        if (rest === 0) break;
        at += lowestBit(rest);
        if (isOpen) ends[count++] = (w << 5) + at;
        else begins[count] = (w << 5) + at;
        isOpen = !isOpen;
      }
    }
    if (isOpen) ends[count++] = words << 5;
    this.#runCount = count;
  }

  #listChanges(census: WorldCensus): void {
    if (this.#entered === NO_HANDLES) {
      this.#entered = new Uint32Array(this.#table.capacity);
      this.#exited = new Uint32Array(this.#table.capacity);
    }
    this.#seenChanges = census.serial;
    this.enteredCount = 0;
    this.exitedCount = 0;
    if (!census.hasChanges) return;
    const words = census.words;
    for (let w = 0; w < words; w++) this.#compareWord(census, w);
  }

  #compareWord(census: WorldCensus, w: number): void {
    const before = census.match(0, w, this.#all, this.#any, this.#none);
    const after = census.match(1, w, this.#all, this.#any, this.#none);
    for (let bits = before | after; bits !== 0; bits &= bits - 1) {
      const bit = bits & -bits;
      const index = (w << 5) + lowestBit(bits);
      const was = census.handleAt(0, index);
      const is = census.handleAt(1, index);
      const stayed = (before & after & bit) !== 0 && was === is;
      if (stayed) continue;
      if ((before & bit) !== 0) this.#exited[this.exitedCount++] = was;
      if ((after & bit) !== 0) this.#entered[this.enteredCount++] = is;
    }
  }
}

function changesNotKept(): EscapementError {
  return new EscapementError('STATE_INVALID', 'This world does not keep what changes in a tick.', {
    given: 'refreshChanges()',
    fix: 'Declare it with `changes: true`.',
  });
}

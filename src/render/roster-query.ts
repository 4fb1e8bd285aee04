import type { QuerySpec } from '../shared/query-spec.ts';
import { lowestBit } from '../shared/bitset.ts';
import { EscapementError } from '../shared/error.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { RosterView } from './roster-view.ts';
import type { QueriedFrame, ViewQuery } from './view-query.ts';

/*
 * Threads    the reader's own.
 * Memory     a list of its own, as long as the capacity, made at the first use.
 * Ordering   reads rosters under the view's pin.
 * Progress   a refresh scans the bitsets, 32 slots a word, if the roster is another one.
 * Invariant  the list holds what matched at the last refresh, ascending.
 */

const NONE: Uint32Array = new Uint32Array(0);

/** A question to the rosters of a view's frames; see {@link ViewQuery}. */
export class RosterQuery<T extends SimulationTypes = SimulationTypes> implements ViewQuery<T> {
  declare readonly __types?: T;
  count = 0;
  /** Slot indices; {@link count} are valid. */
  list: Uint32Array = NONE;
  /** Raised whenever the list was made anew. */
  serial = 0;

  readonly #spec: Required<QuerySpec>;
  /** The names that the terms were looked up in; each run of a simulation has its own. */
  #names: readonly string[] | undefined;
  #version = -1;
  #all: readonly number[] = [];
  #any: readonly number[] = [];
  #none: readonly number[] = [];
  #exact: Uint32Array = NONE;

  /** Makes a query. Throws NAME_UNKNOWN for what is none of the `names` of components. */
  constructor(spec: QuerySpec, names: readonly string[]) {
    const { all = [], any = [], none = [] } = spec;
    this.#spec = { all: [...all], any: [...any], none: [...none] };
    this.#resolve(names);
    this.#names = undefined;
  }

  indices(frame: QueriedFrame<T>): Uint32Array {
    return frame.indicesOf(this);
  }

  /** Returns the list at its exact length; made anew only when the count changed. */
  exact(): Uint32Array {
    if (this.#exact.length !== this.count || this.#exact.buffer !== this.list.buffer) {
      this.#exact = this.list.subarray(0, this.count);
    }
    return this.#exact;
  }

  /** Whether whoever matches has a component. */
  requires(componentIndex: number): boolean {
    return this.#all.includes(componentIndex);
  }

  /** Brings the list up to date with a roster of the run that has these `names` of components. */
  refresh(roster: RosterView, names: readonly string[]): void {
    const { version } = roster;
    if (names === this.#names && version === this.#version) return;
    if (names !== this.#names) this.#resolve(names);
    this.#version = version;
    if (this.list.length !== roster.live.length) this.list = new Uint32Array(roster.live.length);
    const { list } = this;
    const words = (roster.highWater + 31) >>> 5;
    let count = 0;
    for (let w = 0; w < words; w++) {
      let bits = this.#word(roster, w);
      const base = w << 5;
      for (; bits !== 0; bits &= bits - 1) list[count++] = base + lowestBit(bits);
    }
    this.count = count;
    this.serial++;
  }

  /** The matches among the 32 slots of a word. */
  #word({ alive, hidden, presence }: RosterView, w: number): number {
    let bits = (alive[w] as number) & ~(hidden[w] as number);
    const all = this.#all;
    for (let t = 0; t < all.length && bits !== 0; t++) {
      bits &= presence[all[t] as number]?.[w] as number;
    }
    const any = this.#any;
    if (any.length > 0) {
      let one = 0;
      for (let t = 0; t < any.length; t++) one |= presence[any[t] as number]?.[w] as number;
      bits &= one;
    }
    const none = this.#none;
    for (let t = 0; t < none.length; t++) bits &= ~(presence[none[t] as number]?.[w] as number);
    return bits;
  }

  #resolve(names: readonly string[]): void {
    const { all, any, none } = this.#spec;
    this.#all = all.map((name) => indexOf(name, names));
    this.#any = any.map((name) => indexOf(name, names));
    this.#none = none.map((name) => indexOf(name, names));
    this.#names = names;
  }
}

function indexOf(name: string, names: readonly string[]): number {
  const index = names.indexOf(name);
  if (index >= 0) return index;
  throw new EscapementError('NAME_UNKNOWN', 'There is no such component.', {
    given: JSON.stringify(name),
    allowed: names.join(', '),
    fix: 'A query names components of the simulation, published or not.',
  });
}

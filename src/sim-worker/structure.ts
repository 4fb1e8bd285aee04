import { clearBit, hasBit, setBit } from '../shared/bitset.ts';
import type { Entity } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import type { ComponentStore, ComponentValue } from './component-store.ts';
import type { EntityTable } from './entity-table.ts';
import type { WorldGuard } from './world-guard.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     the world's roster, presence bitsets and sparse rows.
 * Ordering   plain accesses.
 * Progress   bounded by the number of components and, for sparse ones, of their rows.
 * Invariant  only a living entity has a component, and a sparse component has a row exactly where
 *            its presence bit is set.
 */

/** Asked before a system reads or writes through a verb, while accesses are checked. */
export type AccessCheckpoint = (store: ComponentStore) => void;

/** Who lives and has what: the changes that verbs and commands are made of. */
export class Structure {
  readonly table: EntityTable;
  readonly stores: readonly ComponentStore[];
  readonly guard: WorldGuard;
  /** How deep in callbacks over queries the world is. */
  depth = 0;
  writeCheck: AccessCheckpoint | undefined;
  readCheck: AccessCheckpoint | undefined;
  readonly #byName: Map<string, ComponentStore> = new Map();
  #retiredTold = 0;

  constructor(table: EntityTable, stores: readonly ComponentStore[], guard: WorldGuard) {
    this.table = table;
    this.stores = stores;
    this.guard = guard;
    for (const store of stores) this.#byName.set(store.name, store);
  }

  /** Returns the store of a component. Throws NAME_UNKNOWN. */
  store(name: string): ComponentStore {
    const store = this.#byName.get(name);
    if (store !== undefined) return store;
    throw new EscapementError('NAME_UNKNOWN', 'There is no such component.', {
      given: JSON.stringify(name),
      allowed: this.stores.map((known) => known.name).join(', ') || 'none is declared',
      fix: 'Declare it in `components`.',
    });
  }

  /**
   * Refuses a value of another width, and a write that the running system has not declared. Returns
   * the store.
   */
  checkGiven(name: string, value: ComponentValue | undefined): ComponentStore {
    const store = this.store(name);
    if (value !== undefined) store.checkWidth(value);
    this.writeCheck?.(store);
    return store;
  }

  /** Counts a call that named a dead entity. */
  stale(event: 'stale_entity_access' | 'stale_entity_destroy', entity: Entity): false {
    this.guard.stale(event, entity);
    return false;
  }

  /** Brings a reserved slot to life. */
  enliven(index: number): void {
    this.table.enliven(index);
    this.guard.born(this.table.count);
  }

  /** Ends the entity of a living slot. */
  end(index: number): void {
    const { stores } = this;
    for (let c = 0; c < stores.length; c++) {
      const store = stores[c] as ComponentStore;
      if (hasBit(store.presence, index)) this.#take(store, index);
    }
    this.table.end(index);
    if (this.table.retirementWarningDue) this.#tellRetired();
  }

  /** Gives a component and its value to the entity of a living slot. */
  give(store: ComponentStore, index: number, value: ComponentValue): void {
    this.enter(store, index);
    store.put(store.rows === undefined ? index : store.rows.find(index), value);
  }

  /** Makes a living slot have a component; a published one that it newly has snaps. */
  enter(store: ComponentStore, index: number): void {
    if (hasBit(store.presence, index)) {
      this.guard.churn();
      return;
    }
    store.rows?.insert(index);
    this.guard.churn();
    setBit(store.presence, index);
    store.version = (store.version + 1) | 0;
    this.table.restructure();
    // Readers see no other components: getting one of those is no jump.
    if (store.schema.channelIndex >= 0) this.table.snap(index);
    else this.table.touch();
  }

  /** Takes a component from the entity of a living slot that has it. */
  take(store: ComponentStore, index: number): void {
    this.#take(store, index);
    this.table.restructure();
    this.table.touch();
    this.guard.churn();
  }

  /** Marks everything as changed: the whole state was replaced. */
  touchAll(): void {
    const { stores } = this;
    for (let c = 0; c < stores.length; c++) {
      const store = stores[c] as ComponentStore;
      store.version = (store.version + 1) | 0;
    }
  }

  #tellRetired(): void {
    const { retiredCount, capacity } = this.table;
    if (retiredCount === this.#retiredTold) return;
    this.#retiredTold = retiredCount;
    this.guard.retired(retiredCount, capacity);
  }

  #take(store: ComponentStore, index: number): void {
    clearBit(store.presence, index);
    store.rows?.remove(index);
    store.version = (store.version + 1) | 0;
  }
}

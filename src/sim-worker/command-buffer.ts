import { hasBit } from '../shared/bitset.ts';
import type { Entity } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import type { ComponentStore, ComponentValue } from './component-store.ts';
import type { ComponentSpecs, ComponentValues } from './component-values.ts';
import type { Structure } from './structure.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     words of its own, doubled when full; nothing is ever dropped.
 * Ordering   commands apply in the order they were given.
 * Progress   bounded by the commands given; allocates only when it grows.
 * Invariant  a command is applied exactly once; one whose entity is gone by then is counted as
 *            stale.
 */

const SPAWN = 0;
const DESPAWN = 1;
const ADD = 2;
const REMOVE = 3;

/** Words of a command: what, which entity, which component. */
const WORDS = 3;
/** Beside a component: its value was written into the row it had when the command was given. */
const WRITTEN = 0x10000;
/** Numbers kept with a command: the value of a sparse component. */
const VALUES = 4;
const FIRST_CAPACITY = 64;

/**
 * Changes of structure that wait until the system that gave them has returned. They apply in the
 * order given, before the next system runs; those given between two ticks apply when the next tick
 * begins.
 *
 * Values are written at once, presence changes when the command applies: what is written into a
 * column after `add` or `spawn` is kept. (A sparse component that the entity lacks has no row yet;
 * its value waits.)
 */
export class CommandBuffer<C extends ComponentSpecs = ComponentSpecs> {
  readonly #structure: Structure;
  #words: Uint32Array = new Uint32Array(WORDS * FIRST_CAPACITY);
  #values: Float64Array = new Float64Array(VALUES * FIRST_CAPACITY);
  #count = 0;
  /** Whether a row was made anew, in this application, that a command had written into. */
  #isRowRenewed = false;

  /** Made by the world alone. */
  constructor(structure: Structure) {
    this.#structure = structure;
  }

  /** Commands that wait. */
  get count(): number {
    return this.#count;
  }

  /**
   * Makes an entity with the components named in `values`. Its handle is valid at once, for more
   * commands and for keeping; it lives from when the command applies. Throws CAPACITY_EXHAUSTED
   * when the world is full.
   */
  spawn(values?: ComponentValues<C>): Entity {
    const { table } = this.#structure;
    if (values !== undefined) {
      for (const name in values) this.#structure.checkGiven(name, values[name]);
    }
    const index = table.reserve();
    const entity = table.handles[index] as Entity;
    this.#push(SPAWN, entity, 0);
    if (values === undefined) return entity;
    for (const name in values) {
      const value = values[name];
      if (value !== undefined) this.#give(entity, index, name, value);
    }
    return entity;
  }

  /** Ends an entity. One that is gone when the command applies is counted as stale. */
  despawn(entity: Entity): void {
    this.#push(DESPAWN, entity, 0);
  }

  /** Gives an entity a component, or a new value to one it has. A stale handle is counted. */
  add(entity: Entity, name: keyof C & string, value: ComponentValue = 0): void {
    this.#structure.checkGiven(name, value);
    const index = this.#structure.table.issuedIndexOf(entity);
    if (index < 0) this.#structure.stale('stale_entity_access', entity);
    else this.#give(entity, index, name, value);
  }

  /** Takes a component away; nothing happens when the entity has none by then. */
  remove(entity: Entity, name: keyof C & string): void {
    const store = this.#structure.store(name);
    this.#structure.writeCheck?.(store);
    this.#push(REMOVE, entity, store.id);
  }

  /**
   * Applies every command that waits, those included that are given meanwhile. When one throws,
   * those behind it go on waiting. Throws STATE_INVALID while a query is being walked.
   */
  apply(): void {
    if (this.#count === 0) return;
    if (this.#structure.depth > 0) throw appliedInIteration(this.#count);
    let applied = 0;
    this.#isRowRenewed = false;
    try {
      while (applied < this.#count) this.#applyOne(applied++);
    } finally {
      this.#dropFirst(applied);
    }
  }

  /** Forgets every command that waits: the state they were given for is being replaced. */
  discard(): void {
    this.#count = 0;
  }

  #dropFirst(applied: number): void {
    const end = this.#count;
    this.#count = end - applied;
    if (this.#count === 0) return;
    this.#words.copyWithin(0, WORDS * applied, WORDS * end);
    this.#values.copyWithin(0, VALUES * applied, VALUES * end);
  }

  #applyOne(k: number): void {
    const structure = this.#structure;
    const { table } = structure;
    const what = this.#words[WORDS * k] as number;
    const entity = this.#words[WORDS * k + 1] as Entity;
    const index = what === SPAWN ? table.issuedIndexOf(entity) : table.indexOf(entity);
    if (index < 0) {
      structure.stale(what === DESPAWN ? 'stale_entity_destroy' : 'stale_entity_access', entity);
      return;
    }
    const id = (this.#words[WORDS * k + 2] as number) & ~WRITTEN;
    if (what === SPAWN) structure.enliven(index);
    else if (what === DESPAWN) structure.end(index);
    else if (what === ADD) this.#applyAdd(k, structure.stores[id - 1] as ComponentStore, index);
    else this.#applyRemove(structure.stores[id - 1] as ComponentStore, index);
  }

  #applyAdd(k: number, store: ComponentStore, index: number): void {
    const had = hasBit(store.presence, index);
    this.#structure.enter(store, index);
    if (store.rows === undefined) return;
    if (((this.#words[WORDS * k + 2] as number) & WRITTEN) !== 0) {
      // What was written at once may have been written over since: that holds, unless the row it
      // was written into is gone.
      if (had && !this.#isRowRenewed) return;
      this.#isRowRenewed = true;
    }
    const { width, column } = store;
    const at = store.rows.find(index) * width;
    for (let i = 0; i < width; i++) column[at + i] = this.#values[VALUES * k + i] as number;
    store.settle(at);
  }

  #applyRemove(store: ComponentStore, index: number): void {
    if (hasBit(store.presence, index)) this.#structure.take(store, index);
  }

  #give(entity: Entity, index: number, name: string, value: ComponentValue): void {
    const store = this.#structure.store(name);
    const hasRow = store.rows === undefined || hasBit(store.presence, index);
    if (hasRow) store.put(store.rowOf(index), value);
    const k = this.#push(ADD, entity, hasRow ? store.id | WRITTEN : store.id);
    if (store.rows === undefined) return;
    if (value === true) return;
    for (let i = 0; i < store.width; i++) {
      this.#values[VALUES * k + i] = typeof value === 'number' ? value : (value[i] as number);
    }
  }

  #push(what: number, entity: Entity, component: number): number {
    const k = this.#count;
    if (WORDS * k === this.#words.length) this.#grow();
    this.#words[WORDS * k] = what;
    this.#words[WORDS * k + 1] = entity;
    this.#words[WORDS * k + 2] = component;
    this.#count = k + 1;
    return k;
  }

  #grow(): void {
    const words = new Uint32Array(2 * this.#words.length);
    const values = new Float64Array(2 * this.#values.length);
    words.set(this.#words);
    values.set(this.#values);
    this.#words = words;
    this.#values = values;
  }
}

function appliedInIteration(count: number): EscapementError {
  return new EscapementError('STATE_INVALID', '`apply` inside `each` would change the walk.', {
    given: `${count} commands while a query is being walked`,
    fix: 'Leave it out: commands apply when the system has returned.',
  });
}

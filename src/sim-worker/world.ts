import { hasBit } from '../shared/bitset.ts';
import type { Entity } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import type { SubsystemLog } from '../shared/log.ts';
import { Random, STATE_WORDS } from '../shared/math/random.ts';
import type { QuerySpec } from '../shared/query-spec.ts';
import type { Schema } from '../shared/schema.ts';
import { mapRoster, type WorldMap } from '../shared/world-map.ts';
import { CommandBuffer } from './command-buffer.ts';
import type { ComponentStore, ComponentValue } from './component-store.ts';
import type { Columns, ComponentSpecs, ComponentValues } from './component-values.ts';
import { EntityTable } from './entity-table.ts';
import { viewGlobals } from './globals.ts';
import type { Query } from './query.ts';
import { QueryRegistry } from './query-registry.ts';
import type { SparseRows } from './sparse-rows.ts';
import { type HashPlace, StateHash } from './state-hash.ts';
import { openStores } from './stores.ts';
import { Structure, type AccessCheckpoint } from './structure.ts';
import { WorldBlock } from './world-block.ts';
import { WorldCensus } from './world-census.ts';
import { CHURN_BUDGET_DEFAULT, WorldGuard, type WorldGuardStats } from './world-guard.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     the world's block; no other thread looks at it.
 * Ordering   plain accesses; what others see is copied out by the publisher.
 * Progress   verbs are bounded by the components and the bitset scanned for a free slot; nothing
 *            allocates but for lists made at their first use.
 * Invariant  only a living entity has a component, and a sparse component has a row exactly where
 *            its presence bit is set.
 */

/** What a world takes beside its schema and memory. */
export interface WorldOptions {
  /** 64 bits of seed as two unsigned halves. */
  readonly seed?: readonly [high: number, low: number];
  /** Components that a frame may give and take before it is warned about; 0 never warns. */
  readonly churnPerFrame?: number | undefined;
  /** Where guardrails warn. */
  readonly log?: SubsystemLog | undefined;
  /** Where a kernel may hash the world; without, JavaScript does. */
  readonly hashing?: HashPlace | undefined;
}

/** Entities and their columns: fixed capacity, structure of arrays, one element per slot index. */
export class World<C extends ComponentSpecs = ComponentSpecs> {
  readonly capacity: number;
  readonly columns: Columns<C>;
  /** Changes that wait until the system that gives them has returned. */
  readonly commands: CommandBuffer<C>;
  /** The master generator; its state lies in the world. */
  readonly random: Random;
  /** The declared globals as properties over the world's memory. */
  readonly globals: Record<string, number>;
  /** Every component in the order of its id. */
  readonly stores: readonly ComponentStore[];
  /** Generators by stream: 0 is the master's, k is system k's. */
  readonly generators: readonly Random[];
  /** Hashes the authoritative state. */
  readonly stateHash: StateHash;
  /** Copies all of the state out, and back in. */
  readonly block: WorldBlock;

  readonly #table: EntityTable;
  readonly #structure: Structure;
  readonly #guard: WorldGuard;
  readonly #census: WorldCensus | undefined;
  readonly #queries: QueryRegistry;

  constructor(
    schema: Schema,
    buffer: ArrayBufferLike,
    map: WorldMap,
    {
      seed: [high, low] = [0, 0],
      churnPerFrame = CHURN_BUDGET_DEFAULT,
      log,
      hashing,
    }: WorldOptions = {},
  ) {
    const { capacity } = schema;
    this.capacity = capacity;
    this.#table = new EntityTable(capacity, buffer, map.roster, mapRoster(schema));
    this.stores = openStores(schema, buffer, map);
    this.#guard = new WorldGuard(capacity, churnPerFrame, log);
    this.#structure = new Structure(this.#table, this.stores, this.#guard);
    this.#census = schema.changes ? new WorldCensus(schema, buffer, map, this.#table) : undefined;
    this.#queries = new QueryRegistry(this.#structure, this.#census);
    this.commands = new CommandBuffer<C>(this.#structure);
    const columns = this.stores.map(({ name, column }) => [name, column]);
    this.columns = Object.fromEntries(columns) as Columns<C>;
    const streams = 1 + schema.systems.length;
    const words = new Uint32Array(buffer, map.random, streams * STATE_WORDS);
    this.generators = Array.from({ length: streams }, (_, stream) =>
      Random.seed(words, stream * STATE_WORDS, high, low, stream),
    );
    this.random = this.generators[0] as Random;
    this.globals = viewGlobals(schema, buffer, map);
    this.stateHash = new StateHash(this.#structure, schema, buffer, map, { log, hashing });
    this.block = new WorldBlock(buffer, map, this.#structure, this.#census);
  }

  /** Living entities. */
  get count(): number {
    return this.#table.count;
  }

  /** One more than the highest living slot index. */
  get highWater(): number {
    return this.#table.highWater;
  }

  /** One more than the highest slot index ever issued. */
  get issued(): number {
    return this.#table.issued;
  }

  /** Raised by every spawn, despawn, teleport and change of components. */
  get version(): number {
    return this.#table.version;
  }

  /**
   * At each slot, raised by whatever must not be blended across: a birth, a teleport, a component
   * newly given. To be read only.
   */
  get stamps(): Uint32Array {
    return this.#table.stamps;
  }

  /** For each 32 slots, the {@link version} in which the last of their stamps was raised. */
  get stampVersions(): Uint32Array {
    return this.#table.stampVersions;
  }

  /** Whether a callback of `each` of one of its queries is being called. */
  get isWalked(): boolean {
    return this.#structure.depth > 0;
  }

  /** Slots whose generations are used up; they are never issued again. */
  get retiredCount(): number {
    return this.#table.retiredCount;
  }

  /** Calls that named a dead entity. */
  get staleCount(): number {
    return this.#guard.staleCalls;
  }

  /** What the guardrails have counted. */
  get guard(): WorldGuardStats {
    return this.#guard;
  }

  /** Whether so many slots are retired that a warning is due. */
  get retirementWarningDue(): boolean {
    return this.#table.retirementWarningDue;
  }

  /**
   * Makes an entity that has exactly the components named in `values`, at the lowest free slot.
   * It snaps: no reader blends it from anywhere. Throws CAPACITY_EXHAUSTED, and nothing has
   * happened, when the world is full or a sparse component has no row left.
   */
  spawn(values?: ComponentValues<C>): Entity {
    const structure = this.#structure;
    if (values !== undefined) for (const name in values) this.#checkPut(name, -1, values[name]);
    const index = this.#table.reserve();
    structure.enliven(index);
    if (values !== undefined) for (const name in values) this.#put(name, index, values[name]);
    return this.#table.handles[index] as Entity;
  }

  /** Ends an entity. Returns false, and counts it, when the handle is stale. */
  despawn(entity: Entity): boolean {
    const index = this.#table.indexOf(entity);
    if (index < 0) return this.#structure.stale('stale_entity_destroy', entity);
    if (this.#structure.depth > 0) refuseInIteration('despawn');
    this.#structure.end(index);
    return true;
  }

  /** Ends every entity; capacity, generations and registrations stay. */
  clear(): void {
    if (this.#structure.depth > 0 && this.count > 0) refuseInIteration('clear');
    for (const index of this.live()) this.#structure.end(index);
  }

  /**
   * Moves an entity without a trace: `values` are set and no reader blends across the jump, however
   * many frames or ticks it skips. Returns false, and counts it, when the handle is stale.
   */
  teleport(entity: Entity, values: ComponentValues<C>): boolean {
    const structure = this.#structure;
    const index = this.#table.indexOf(entity);
    if (index < 0) return structure.stale('stale_entity_access', entity);
    for (const name in values) this.#checkPut(name, index, values[name]);
    for (const name in values) this.#put(name, index, values[name]);
    this.#table.snap(index);
    return true;
  }

  /**
   * Says whether readers blend an entity between ticks, as they do at first; one that is not
   * blended shows the later tick at once. Returns false, and counts it, when the handle is stale.
   */
  setBlended(entity: Entity, isBlended: boolean): boolean {
    const index = this.#table.indexOf(entity);
    if (index < 0) return this.#structure.stale('stale_entity_access', entity);
    this.#table.setBlended(index, isBlended);
    return true;
  }

  /** Says whether readers blend an entity between ticks; false for a stale handle. */
  isBlended(entity: Entity): boolean {
    const index = this.#table.indexOf(entity);
    return index >= 0 && this.#table.isBlended(index);
  }

  /**
   * Says whether readers see an entity, as they do at first. It lives on unseen, and where it is
   * shown again it snaps. Returns false, and counts it, when the handle is stale.
   */
  setVisible(entity: Entity, isVisible: boolean): boolean {
    const index = this.#table.indexOf(entity);
    if (index < 0) return this.#structure.stale('stale_entity_access', entity);
    this.#table.setVisible(index, isVisible);
    return true;
  }

  /** Says whether readers see an entity; false for a stale handle. */
  isVisible(entity: Entity): boolean {
    const index = this.#table.indexOf(entity);
    return index >= 0 && this.#table.isVisible(index);
  }

  /**
   * Gives an entity a component, or a new value to one it has. A newly given one snaps if it is
   * published. Throws CAPACITY_EXHAUSTED when a sparse component has no row left.
   */
  add(entity: Entity, name: keyof C & string, value: ComponentValue = 0): boolean {
    const structure = this.#structure;
    const index = this.#table.indexOf(entity);
    if (index < 0) return structure.stale('stale_entity_access', entity);
    structure.give(this.#checkPut(name, index, value), index, value);
    return true;
  }

  /** Takes a component away; nothing happens when the entity has none. */
  remove(entity: Entity, name: keyof C & string): boolean {
    const structure = this.#structure;
    const index = this.#table.indexOf(entity);
    if (index < 0) return structure.stale('stale_entity_access', entity);
    const store = structure.store(name);
    structure.writeCheck?.(store);
    if (!hasBit(store.presence, index)) return true;
    if (structure.depth > 0) refuseInIteration('remove');
    structure.take(store, index);
    return true;
  }

  /** Says whether a living entity has a component; false for a stale handle. */
  has(entity: Entity, name: keyof C & string): boolean {
    const index = this.#table.indexOf(entity);
    return index >= 0 && hasBit(this.#structure.store(name).presence, index);
  }

  /**
   * Copies a component's numbers into `out` and returns true; returns false, `out` untouched, when
   * the handle is stale or the entity has no such component.
   */
  get(entity: Entity, name: keyof C & string, out: { [index: number]: number }): boolean {
    const index = this.#table.indexOf(entity);
    if (index < 0) return this.#structure.stale('stale_entity_access', entity);
    const store = this.#structure.store(name);
    this.#structure.readCheck?.(store);
    if (!hasBit(store.presence, index)) return false;
    const { width, column } = store;
    const at = store.rowOf(index) * width;
    for (let i = 0; i < width; i++) out[i] = column[at + i] as number;
    return true;
  }

  /** Says whether a handle's entity is alive. Silent and never counted. */
  isAlive(entity: Entity): boolean {
    return this.#table.indexOf(entity) >= 0;
  }

  /** Says whether a handle's entity is alive, and counts and warns when it is not. */
  check(entity: Entity): boolean {
    return this.isAlive(entity) || this.#structure.stale('stale_entity_access', entity);
  }

  /** Returns the slot index of a living entity, -1 for a stale handle. */
  indexOf(entity: Entity): number {
    return this.#table.indexOf(entity);
  }

  /** Returns the handle of the entity at a slot index, `NO_ENTITY` when it is dead. */
  entityAt(index: number): Entity {
    return this.#table.entityAt(index);
  }

  /**
   * Returns the slot indices of all living entities, ascending: a view that holds until the next
   * call after a spawn or despawn. Changes made while walking it are not seen in that walk.
   */
  live(): Uint32Array {
    return this.#table.live();
  }

  /**
   * Returns the query of a spec, the same one for the same terms. Keep the spec in a constant: a
   * spec seen before is found without an allocation. Throws NAME_UNKNOWN.
   */
  query(spec: QuerySpec<keyof C & string>): Query {
    return this.#queries.of(spec);
  }

  /** Returns the id of a component: dense from 1 in the order of declaration. */
  componentId(name: keyof C & string): number {
    return this.#structure.store(name).id;
  }

  /** Returns the rows of a sparse component. Throws COMPONENT_MISSING for a dense one. */
  sparse(name: keyof C & string): SparseRows {
    const { rows } = this.#structure.store(name);
    if (rows !== undefined) return rows;
    throw new EscapementError('COMPONENT_MISSING', `Component "${name}" is not sparse.`, {
      given: name,
      allowed: 'a component declared with sparse()',
      fix: 'A dense component has one row per slot index: use its column.',
    });
  }

  /**
   * Brings the list of those that readers see up to date in memory, for whoever copies it out.
   * Returns how many they are.
   */
  refreshShown(): number {
    return this.#table.refreshShown();
  }

  /** Opens a frame: the guardrails' windows start over. */
  beginFrame(): void {
    this.#guard.beginFrame();
  }

  /** Begins a tick: takes the census that enter and exit lists follow from. */
  beginTick(): void {
    this.commands.apply();
    this.#census?.take();
  }

  /** Has every use of a component by a verb checked from now on; undefined ends that. */
  checkAccess(writes: AccessCheckpoint | undefined, reads: AccessCheckpoint | undefined): void {
    this.#structure.writeCheck = writes;
    this.#structure.readCheck = reads;
  }

  /** Refuses what `#put` cannot do to a slot, -1 for a new one; returns the store. */
  #checkPut(name: string, index: number, value: ComponentValue | undefined): ComponentStore {
    const structure = this.#structure;
    const store = structure.checkGiven(name, value);
    if (value === undefined || (index >= 0 && hasBit(store.presence, index))) return store;
    if (index >= 0 && structure.depth > 0) refuseInIteration('add');
    store.rows?.checkRoom();
    return store;
  }

  #put(name: string, index: number, value: ComponentValue | undefined): void {
    if (value !== undefined) this.#structure.give(this.#structure.store(name), index, value);
  }
}

function refuseInIteration(verb: string): never {
  throw new EscapementError('STATE_INVALID', `\`${verb}\` inside \`each\` would change the walk.`, {
    given: `${verb} while a query is being walked`,
    fix: `Use world.commands.${verb === 'clear' ? 'despawn' : verb}, which waits for the end.`,
  });
}

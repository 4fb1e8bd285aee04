import { assert } from '../shared/assert.ts';
import { type Entity, HandleCodec, NO_ENTITY } from '../shared/entity.ts';
import { EscapementError } from '../shared/error.ts';
import { ROSTER_HEADER_BYTES, ROSTER_WORD } from '../shared/layout.ts';
import type { Region } from '../shared/region.ts';
import {
  type Column,
  type ColumnOf,
  type ComponentSchema,
  type ComponentSpec,
  type Schema,
  viewColumn,
} from '../shared/schema.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     the world's own roster and columns; no other thread looks at them.
 * Ordering   plain accesses; what others see is copied out by the publisher.
 * Progress   spawn and despawn scan a bitset from a hint; nothing allocates after construction.
 * Invariant  `alive` has a bit for each living slot, `handles` the last handle issued at each, and
 *            `live` lists the living ascending whenever it is not dirty.
 */

/** The components of a simulation by name. */
export type ComponentSpecs = Readonly<Record<string, ComponentSpec>>;

/** A component's value: one number, or as many as its width. */
export type ComponentValue = number | ArrayLike<number>;

/** Values by component name, as spawn and teleport take them. */
export type ComponentValues<C extends ComponentSpecs> = {
  readonly [K in keyof C]?: ComponentValue;
};

/** The raw columns by component name: `width` numbers per slot index. */
export type Columns<C extends ComponentSpecs> = {
  readonly [K in keyof C]: ColumnOf<C[K]['scalar']>;
};

interface ComponentRow {
  readonly schema: ComponentSchema;
  readonly index: number;
  readonly column: Column;
  readonly presence: Uint32Array;
}

/** Share of retired slots from which a warning is due. */
const RETIRED_WARNING_SHARE = 0.01;

/** Entities and their columns: fixed capacity, structure of arrays, one element per slot index. */
export class World<C extends ComponentSpecs = ComponentSpecs> {
  readonly capacity: number;
  readonly columns: Columns<C>;
  /** Slots whose generations are used up; they are never issued again. */
  retiredCount = 0;
  /** Calls that named a dead entity. */
  staleCount = 0;

  readonly #codec: HandleCodec;
  readonly #rows: Map<string, ComponentRow> = new Map();
  readonly #components: ComponentRow[] = [];
  readonly #handles: Uint32Array;
  readonly #stamps: Uint32Array;
  readonly #alive: Uint32Array;
  readonly #live: Uint32Array;
  readonly #header: Uint32Array;
  /** Bit per slot that may not be issued: alive or retired. */
  readonly #taken: Uint32Array;
  #firstFreeWord = 0;
  #count = 0;
  #highWater = 0;
  #issued = 0;
  #dirty = true;
  #version = 1;
  #liveView: Uint32Array;

  constructor(schema: Schema, region: Region) {
    const { layout, buffer } = region;
    const { capacity } = schema;
    const roster = layout.worldRoster;
    this.capacity = capacity;
    this.#codec = new HandleCodec(capacity);
    this.#header = new Uint32Array(buffer, roster, 16);
    this.#live = new Uint32Array(buffer, roster + ROSTER_HEADER_BYTES, capacity);
    this.#handles = new Uint32Array(buffer, roster + layout.rosterHandles, capacity);
    this.#stamps = new Uint32Array(buffer, roster + layout.rosterStamps, capacity);
    this.#alive = new Uint32Array(buffer, roster + layout.rosterAlive, Math.ceil(capacity / 32));
    this.#taken = new Uint32Array(Math.ceil(capacity / 32));
    this.#liveView = this.#live.subarray(0, 0);
    const columns: Record<string, Column> = {};
    schema.components.forEach((component, index) => {
      const offset = layout.worldColumns[index] as number;
      const column = viewColumn(buffer, component.scalar, offset, capacity * component.width);
      const bits = roster + (layout.rosterPresence[index] as number);
      const presence = new Uint32Array(buffer, bits, Math.ceil(capacity / 32));
      const row = { schema: component, index, column, presence };
      this.#rows.set(component.name, row);
      this.#components.push(row);
      columns[component.name] = column;
    });
    this.columns = columns as Columns<C>;
  }

  /** Living entities. */
  get count(): number {
    return this.#count;
  }

  /** One more than the highest living slot index. */
  get highWater(): number {
    return this.#highWater;
  }

  /** One more than the highest slot index ever issued. */
  get issued(): number {
    return this.#issued;
  }

  /** Raised by every spawn, despawn, teleport and change of components. */
  get version(): number {
    return this.#version;
  }

  /**
   * Makes an entity that has exactly the components named in `values`, at the lowest free slot.
   * It snaps: no reader blends it from anywhere. Throws CAPACITY_EXHAUSTED when the world is full.
   */
  spawn(values: ComponentValues<C> = {}): Entity {
    const index = this.#lowestFree();
    const generation = this.#codec.generationOf(this.#handles[index] as Entity) + 1;
    const handle = this.#codec.join(index, generation);
    for (const row of this.#components) setBit(row.presence, index, false);
    for (const name in values) this.#put(name, index, values[name] as ComponentValue);
    setBit(this.#taken, index, true);
    setBit(this.#alive, index, true);
    this.#handles[index] = handle;
    this.#stamps[index] = ((this.#stamps[index] as number) + 1) >>> 0;
    this.#count++;
    if (index >= this.#highWater) this.#highWater = index + 1;
    if (index >= this.#issued) this.#issued = index + 1;
    this.#touch();
    return handle;
  }

  /** Ends an entity. Returns false, and counts it, when the handle is stale. */
  despawn(entity: Entity): boolean {
    const index = this.indexOf(entity);
    if (index < 0) return this.#stale();
    setBit(this.#alive, index, false);
    this.#count--;
    if (this.#codec.generationOf(entity) >= this.#codec.generationMax) {
      this.retiredCount++;
    } else {
      setBit(this.#taken, index, false);
      const word = index >>> 5;
      if (word < this.#firstFreeWord) this.#firstFreeWord = word;
    }
    while (this.#highWater > 0 && !hasBit(this.#alive, this.#highWater - 1)) this.#highWater--;
    this.#touch();
    return true;
  }

  /** Ends every entity; capacity and generations stay. */
  clear(): void {
    for (const index of this.live()) this.despawn(this.#handles[index] as Entity);
  }

  /**
   * Moves an entity without a trace: `values` are set and no reader blends across the jump, however
   * many frames or ticks it skips. Returns false, and counts it, when the handle is stale.
   */
  teleport(entity: Entity, values: ComponentValues<C>): boolean {
    const index = this.indexOf(entity);
    if (index < 0) return this.#stale();
    for (const name in values) this.#put(name, index, values[name] as ComponentValue);
    this.#snap(index);
    return true;
  }

  /** Gives an entity a component, or a new value to one it has. A newly given one snaps. */
  add(entity: Entity, name: keyof C & string, value: ComponentValue = 0): boolean {
    const index = this.indexOf(entity);
    if (index < 0) return this.#stale();
    const had = hasBit(this.#row(name).presence, index);
    this.#put(name, index, value);
    if (!had) this.#snap(index);
    return true;
  }

  /** Takes a component away; nothing happens when the entity has none. */
  remove(entity: Entity, name: keyof C & string): boolean {
    const index = this.indexOf(entity);
    if (index < 0) return this.#stale();
    const { presence } = this.#row(name);
    if (hasBit(presence, index)) {
      setBit(presence, index, false);
      this.#touch();
    }
    return true;
  }

  /** Says whether a living entity has a component; false for a stale handle. */
  has(entity: Entity, name: keyof C & string): boolean {
    const index = this.indexOf(entity);
    return index >= 0 && hasBit(this.#row(name).presence, index);
  }

  /**
   * Copies a component's numbers into `out` and returns true; returns false, `out` untouched, when
   * the handle is stale or the entity has no such component.
   */
  get(entity: Entity, name: keyof C & string, out: { [index: number]: number }): boolean {
    const index = this.indexOf(entity);
    if (index < 0) return this.#stale();
    const { schema, column, presence } = this.#row(name);
    if (!hasBit(presence, index)) return false;
    const { width } = schema;
    for (let i = 0; i < width; i++) out[i] = column[index * width + i] as number;
    return true;
  }

  /** Says whether a handle's entity is alive. Silent and never counted. */
  isAlive(entity: Entity): boolean {
    return this.indexOf(entity) >= 0;
  }

  /** Returns the slot index of a living entity, -1 for a stale handle. */
  indexOf(entity: Entity): number {
    const index = this.#codec.indexOf(entity);
    if (index >= this.capacity || this.#handles[index] !== entity) return -1;
    return hasBit(this.#alive, index) ? index : -1;
  }

  /** Returns the handle of the entity at a slot index, {@link NO_ENTITY} when it is dead. */
  entityAt(index: number): Entity {
    if (!(index >= 0 && index < this.capacity && hasBit(this.#alive, index))) return NO_ENTITY;
    return this.#handles[index] as Entity;
  }

  /**
   * Returns the slot indices of all living entities, ascending: a view that holds until the next
   * call after a spawn or despawn. Changes made while walking it are not seen in that walk.
   */
  live(): Uint32Array {
    if (this.#dirty) this.#rebuildLive();
    return this.#liveView;
  }

  /** Whether so many slots are retired that a warning is due. */
  get retirementWarningDue(): boolean {
    return this.retiredCount > 0 && this.retiredCount >= this.capacity * RETIRED_WARNING_SHARE;
  }

  #rebuildLive(): void {
    const live = this.#live;
    const alive = this.#alive;
    let count = 0;
    for (let word = 0; word * 32 < this.#highWater; word++) {
      for (let bits = alive[word] as number; bits !== 0; bits &= bits - 1) {
        live[count++] = word * 32 + (31 - Math.clz32(bits & -bits));
      }
    }
    assert(count === this.#count, 'the live list holds every living entity');
    const header = this.#header;
    header[ROSTER_WORD.liveCount] = count;
    header[ROSTER_WORD.highWater] = this.#highWater;
    header[ROSTER_WORD.issued] = this.#issued;
    header[ROSTER_WORD.version] = this.#version;
    this.#dirty = false;
    if (this.#liveView.length !== count) this.#liveView = live.subarray(0, count);
  }

  #lowestFree(): number {
    const taken = this.#taken;
    for (let word = this.#firstFreeWord; word < taken.length; word++) {
      const free = ~(taken[word] as number);
      if (free === 0) continue;
      const index = word * 32 + (31 - Math.clz32(free & -free));
      if (index >= this.capacity) break;
      this.#firstFreeWord = word;
      return index;
    }
    throw new EscapementError('CAPACITY_EXHAUSTED', 'The world is full.', {
      given: `a spawn with ${this.#count} entities alive and ${this.retiredCount} slots retired`,
      allowed: `${this.capacity} entities`,
      fix: 'Raise `capacity` in defineSimulation, or despawn first.',
    });
  }

  #put(name: string, index: number, value: ComponentValue): void {
    const row = this.#row(name);
    const { schema, column } = row;
    const { width } = schema;
    if (typeof value === 'number') {
      for (let i = 0; i < width; i++) column[index * width + i] = value;
    } else if (value.length === width) {
      for (let i = 0; i < width; i++) column[index * width + i] = value[i] as number;
    } else {
      throw new EscapementError('VALUE_INVALID', `Component "${name}" has another width.`, {
        given: `${value.length} numbers`,
        allowed: `one number, or ${width}`,
      });
    }
    if (schema.blend === 'slerp') normalise(column, index * width);
    setBit(row.presence, index, true);
  }

  #row(name: string): ComponentRow {
    const row = this.#rows.get(name);
    if (row !== undefined) return row;
    throw new EscapementError('NAME_UNKNOWN', 'There is no such component.', {
      given: JSON.stringify(name),
      allowed: [...this.#rows.keys()].join(', '),
      fix: 'Declare it in `components` of defineSimulation.',
    });
  }

  #snap(index: number): void {
    this.#stamps[index] = ((this.#stamps[index] as number) + 1) >>> 0;
    this.#touch();
  }

  #touch(): void {
    this.#dirty = true;
    this.#version = (this.#version + 1) >>> 0;
  }

  #stale(): false {
    this.staleCount++;
    return false;
  }
}

function hasBit(bits: Uint32Array, index: number): boolean {
  return (((bits[index >>> 5] as number) >>> (index & 31)) & 1) === 1;
}

function setBit(bits: Uint32Array, index: number, on: boolean): void {
  const word = index >>> 5;
  const bit = 1 << (index & 31);
  bits[word] = on ? (bits[word] as number) | bit : (bits[word] as number) & ~bit;
}

/** Scales a quaternion to length 1; one of length 0 becomes the identity. */
function normalise(column: Column, at: number): void {
  const [x = 0, y = 0, z = 0, w = 0] = column.subarray(at, at + 4);
  const length = Math.sqrt(x * x + y * y + z * z + w * w);
  column[at] = length > 0 ? x / length : 0;
  column[at + 1] = length > 0 ? y / length : 0;
  column[at + 2] = length > 0 ? z / length : 0;
  column[at + 3] = length > 0 ? w / length : 1;
}

import { hasBit } from '../shared/bitset.ts';
import { type Entity, NO_ENTITY } from '../shared/entity.ts';
import type { SubsystemLog } from '../shared/log.ts';
import { STATE_WORDS } from '../shared/math/random.ts';
import {
  type Column,
  type FieldSchema,
  type ScalarType,
  type Schema,
  scalarBytes,
} from '../shared/schema.ts';
import { StateHasher } from '../shared/state-hasher.ts';
import type { WorldMap } from '../shared/world-map.ts';
import type { ComponentStore } from './component-store.ts';
import type { Structure } from './structure.ts';

/*
 * Threads    the simulation thread, between ticks.
 * Memory     reads the world's block; writes nothing in it.
 * Ordering   plain accesses.
 * Progress   one pass over the living; allocates nothing but the text of `hex` and a report of NaN.
 * Invariant  what is fed follows from the logical state alone: no dead slot, no padding, no order
 *            in which anything came to be.
 */

/** A number that is none, where the hash found it first. */
export interface NanReport {
  /** The component, or `globals.` and the name of a global. */
  readonly component: string;
  /** The entity; none for a global. */
  readonly entity: Entity;
  /** Slot index of the entity; -1 for a global. */
  readonly index: number;
}

/** State kept outside the world, as one number. */
export type ForeignHash = () => number;

/**
 * Hashes the authoritative state of a world after a tick, in this order: the tick; the count of the
 * living and of each its slot and handle; of each component, by id, slot and numbers of each that
 * has it, ascending, and how many those are; each global; each generator's state; the foreign hash.
 *
 * -0 counts as 0. A NaN counts as one of one kind only, and is counted and reported with its
 * component and entity, or its global: engines may differ in its bits.
 */
export class StateHash {
  /** Numbers that were NaN in the last pass. */
  nanCount = 0;
  /** The first of them. */
  firstNan: NanReport | undefined;
  readonly #structure: Structure;
  readonly #schema: Schema;
  readonly #hasher: StateHasher = new StateHasher();
  readonly #columns: readonly (Uint32Array | Column)[];
  readonly #globals: readonly Uint32Array[];
  readonly #random: Uint32Array;
  /** Hashes what is kept outside the world. */
  foreign: ForeignHash | undefined;
  readonly #log: SubsystemLog | undefined;

  constructor(
    structure: Structure,
    schema: Schema,
    buffer: ArrayBufferLike,
    map: WorldMap,
    log: SubsystemLog | undefined,
  ) {
    this.#structure = structure;
    this.#schema = schema;
    this.#log = log;
    this.#columns = structure.stores.map(({ column, schema: { scalar } }) =>
      scalarBytes(scalar) < 4
        ? column
        : new Uint32Array(column.buffer, column.byteOffset, column.byteLength / 4),
    );
    this.#globals = map.globalOffsets.map(
      (offset) => new Uint32Array(buffer, map.globals + offset, 2),
    );
    const words = (1 + schema.systems.length) * STATE_WORDS;
    this.#random = new Uint32Array(buffer, map.random, words);
  }

  /** Hashes the state after `tick` into `out[0]`, the upper 32 bits, and `out[1]`. */
  compute(tick: number, out: Uint32Array): void {
    this.#feed(tick);
    this.#hasher.read(out);
  }

  /** Hashes the state after `tick`: 16 lowercase hexadecimal digits. */
  hex(tick: number): string {
    this.#feed(tick);
    return this.#hasher.hex();
  }

  #feed(tick: number): void {
    const hasher = this.#hasher;
    this.nanCount = 0;
    this.firstNan = undefined;
    hasher.reset();
    hasher.whole(tick);
    this.#feedLiving();
    for (let c = 0; c < this.#structure.stores.length; c++) this.#feedComponent(c);
    for (let g = 0; g < this.#globals.length; g++) this.#feedGlobal(g);
    for (let w = 0; w < this.#random.length; w++) hasher.word(this.#random[w] as number);
    if (this.foreign !== undefined) hasher.whole(this.foreign());
    if (this.firstNan !== undefined) this.#reportNan(tick, this.firstNan);
  }

  #feedLiving(): void {
    const hasher = this.#hasher;
    const live = this.#structure.table.live();
    hasher.word(live.length);
    for (let k = 0; k < live.length; k++) {
      const index = live[k] as number;
      hasher.word(index);
      hasher.word(this.#structure.table.entityAt(index));
    }
  }

  #feedComponent(c: number): void {
    const store = this.#structure.stores[c] as ComponentStore;
    const live = this.#structure.table.live();
    const hasher = this.#hasher;
    let count = 0;
    for (let k = 0; k < live.length; k++) {
      const index = live[k] as number;
      if (!hasBit(store.presence, index)) continue;
      count++;
      hasher.word(index);
      if (store.width > 0) this.#feedRow(c, store, index);
    }
    hasher.word(count);
  }

  #feedRow(c: number, store: ComponentStore, index: number): void {
    const { width, schema } = store;
    const at = store.rowOf(index) * width;
    const words = this.#columns[c] as Column;
    switch (schema.scalar) {
      case 'f32':
        for (let i = 0; i < width; i++) this.#feedF32(words[at + i] as number, store.name, index);
        return;
      case 'f64':
        for (let i = 0; i < width; i++) {
          const low = words[2 * (at + i)] as number;
          this.#feedF64(low, words[2 * (at + i) + 1] as number, store.name, index);
        }
        return;
      case 'i32':
      case 'u32':
      case 'u16':
      case 'u8':
      case 'fixed':
        for (let i = 0; i < width; i++) this.#hasher.word(words[at + i] as number);
    }
  }

  #feedF32(bits: number, name: string, index: number): void {
    if (bits === 0x80000000) this.#hasher.word(0);
    else if ((bits & 0x7fffffff) > 0x7f800000) {
      this.#hasher.word(0x7fc00000);
      this.#noteNan(name, index);
    } else this.#hasher.word(bits);
  }

  #feedF64(low: number, high: number, name: string, index: number): void {
    const magnitude = high & 0x7fffffff;
    if (magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && low !== 0)) {
      this.#hasher.word(0x7ff80000);
      this.#hasher.word(0);
      this.#noteNan(name, index);
    } else if (high === 0x80000000 && low === 0) {
      this.#hasher.word(0);
      this.#hasher.word(0);
    } else {
      this.#hasher.word(high);
      this.#hasher.word(low);
    }
  }

  #noteNan(name: string, index: number): void {
    this.nanCount++;
    if (this.firstNan !== undefined) return;
    const entity = index < 0 ? NO_ENTITY : this.#structure.table.entityAt(index);
    this.firstNan = { component: index < 0 ? `globals.${name}` : name, entity, index };
  }

  #feedGlobal(g: number): void {
    const words = this.#globals[g] as Uint32Array;
    const { name, type } = this.#schema.globals[g] as FieldSchema<ScalarType>;
    const low = words[0] as number;
    if (type === 'f64') this.#feedF64(low, words[1] as number, name, -1);
    else if (type === 'f32') this.#feedF32(low, name, -1);
    else if (type === 'u16') this.#hasher.word(low & 0xffff);
    else this.#hasher.word(type === 'u8' ? low & 0xff : low);
  }

  #reportNan(tick: number, { component, entity, index }: NanReport): void {
    this.#log?.error('state_nan', 'The state holds a number that is none.', {
      tick,
      component,
      entity,
      index,
      count: this.nanCount,
    });
  }
}

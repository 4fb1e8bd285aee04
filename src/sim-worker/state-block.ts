import { hasBit } from '../shared/bitset.ts';
import { STATE_WORDS } from '../shared/math/random.ts';
import { type ScalarType, type Schema, viewColumn } from '../shared/schema.ts';
import { bitsetBytes, mapRoster, placeWorld } from '../shared/world-map.ts';
import type { ComponentStore } from './component-store.ts';
import { openStores } from './stores.ts';

/** A saved state of a world, taken apart: who lives in it, and who has what. */
export class StateBlock {
  readonly schema: Schema;
  /** The last handle issued at each slot. */
  readonly handles: Uint32Array;
  /** Bitsets of slots: who lives, who opted out of blending, whom readers do not see. */
  readonly alive: Uint32Array;
  readonly unblended: Uint32Array;
  readonly hidden: Uint32Array;
  readonly stores: readonly ComponentStore[];
  /** The master's generator, then one a system: `STATE_WORDS` words each. */
  readonly random: Uint32Array;
  readonly #globals: readonly ArrayLike<number>[];

  /** `world` is a keyframe's, of a world of `schema`; it is read where it lies if it is aligned. */
  constructor(schema: Schema, world: Uint8Array) {
    const { buffer } = world.byteOffset === 0 ? world : world.slice();
    const map = placeWorld(schema, 0);
    const roster = mapRoster(schema);
    const words = bitsetBytes(schema.capacity) / 4;
    const bits = (offset: number): Uint32Array =>
      new Uint32Array(buffer, map.roster + offset, words);
    this.schema = schema;
    this.handles = new Uint32Array(buffer, map.roster + roster.handles, schema.capacity);
    this.alive = bits(roster.alive);
    this.unblended = bits(roster.unblended);
    this.hidden = bits(roster.hidden);
    this.stores = openStores(schema, buffer, map);
    this.random = new Uint32Array(buffer, map.random, (1 + schema.systems.length) * STATE_WORDS);
    this.#globals = schema.globals.map(({ type }, g) =>
      viewColumn(buffer, type as ScalarType, map.globals + (map.globalOffsets[g] as number), 1),
    );
  }

  /** Returns a global, by its place in the schema. */
  global(g: number): number {
    return this.#globals[g]?.[0] ?? Number.NaN;
  }

  lives(slot: number): boolean {
    return hasBit(this.alive, slot);
  }

  /** Whether a living slot has a component. */
  has(store: ComponentStore, slot: number): boolean {
    return hasBit(store.presence, slot);
  }
}

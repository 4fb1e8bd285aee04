import { hasBit } from '../shared/bitset.ts';
import { type Entity, NO_ENTITY } from '../shared/entity.ts';
import type { HashPart, HashPartKind, HashTree } from '../shared/hash-tree.ts';
import { openBlockHashKernel } from '../shared/kernels/block-hash-kernel.ts';
import {
  type BlockHasher,
  hashBlocks,
  type HashJob,
  hashKind,
  ScriptBlockHasher,
} from '../shared/kernels/hash-blocks.ts';
import type { SubsystemLog } from '../shared/log.ts';
import { STATE_WORDS } from '../shared/math/random.ts';
import type { RegionMemory } from '../shared/region.ts';
import {
  type Column,
  type FieldSchema,
  type ScalarType,
  type Schema,
  scalarBytes,
} from '../shared/schema.ts';
import { hexOfWords, StateHasher } from '../shared/state-hasher.ts';
import type { WorldMap } from '../shared/world-map.ts';
import type { ComponentStore } from './component-store.ts';
import type { Structure } from './structure.ts';

/*
 * Threads    the simulation thread, between ticks.
 * Memory     reads the world's block; a kernel writes its own room behind it.
 * Ordering   plain accesses.
 * Progress   one pass over the living, two where there is a NaN; allocates nothing but what `hex`
 *            and `tree` return, a report of NaN, and at the first hash the hasher of blocks.
 * Invariant  what is fed follows from the logical state alone: no dead slot, no padding, no order
 *            in which anything came to be.
 */

/** The sign alone, as a signed word. */
const MINUS_ZERO = -0x80000000;

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

/** The memory that holds a world, and the room behind it for the kernel that hashes it. */
export interface HashPlace {
  readonly memory: RegionMemory;
  /** Byte offset of `hashRoomBytes` bytes. */
  readonly room: number;
}

/** Takes a part of the state and its hash, while the hash of the state is being made. */
type PartVisit = (kind: HashPartKind, name: string, hash: Int32Array, blocks: number) => void;

/**
 * Hashes the authoritative state of a world after a tick, as a tree: the root is the hash of the
 * tick and of the hashes of the parts, which are the entities (who lives in which slot, under which
 * handle), each component by id, the globals, the generators and the foreign state. Entities and
 * components have a hash for each block of 1024 slots, up to the highest living one.
 *
 * -0 counts as 0. A NaN counts as one of one kind only, and is counted and reported with its
 * component and entity, or its global: engines may differ in its bits.
 */
export class StateHash {
  /** Numbers that were NaN in the last pass. */
  nanCount = 0;
  /** The first of them. */
  firstNan: NanReport | undefined;
  /** Hashes what is kept outside the world. */
  foreign: ForeignHash | undefined;
  readonly #structure: Structure;
  readonly #schema: Schema;
  readonly #root: StateHasher = new StateHasher();
  readonly #part: StateHasher = new StateHasher();
  readonly #out: Int32Array = new Int32Array(2);
  readonly #entities: HashJob;
  readonly #components: readonly HashJob[];
  /** Signed, as all words here: the engine boxes unsigned ones that it hands on. */
  readonly #globals: readonly Int32Array[];
  readonly #random: Int32Array;
  readonly #log: SubsystemLog | undefined;
  readonly #place: HashPlace | undefined;
  #openBlocks: BlockHasher | undefined;

  constructor(
    structure: Structure,
    schema: Schema,
    buffer: ArrayBufferLike,
    map: WorldMap,
    { log, hashing }: { log?: SubsystemLog | undefined; hashing?: HashPlace | undefined } = {},
  ) {
    this.#structure = structure;
    this.#schema = schema;
    this.#log = log;
    this.#place = hashing;
    const { alive, handles } = structure.table;
    const row = { kind: hashKind('u32'), width: 1, isPacked: false };
    this.#entities = { alive, presence: alive, words: 0, rows: signed(handles), ...row };
    this.#components = structure.stores.map((store) => jobOf(store, alive));
    this.#globals = map.globalOffsets.map(
      (offset) => new Int32Array(buffer, map.globals + offset, 2),
    );
    const words = (1 + schema.systems.length) * STATE_WORDS;
    this.#random = new Int32Array(buffer, map.random, words);
  }

  /** Hashes the state after `tick` into `out[0]`, the upper 32 bits, and `out[1]`. */
  compute(tick: number, out: Uint32Array): void {
    this.#feed(tick, undefined);
    this.#root.read(out);
  }

  /** Hashes the state after `tick`: 16 lowercase hexadecimal digits. */
  hex(tick: number): string {
    this.#feed(tick, undefined);
    return this.#root.hex();
  }

  /** Hashes the state after `tick` and returns all the hashes that this one is made of. */
  tree(tick: number): HashTree {
    const parts: HashPart[] = [];
    this.#feed(tick, (kind, name, hash, count) => {
      const { hashes } = this.#blocks;
      const blocks = Array.from({ length: count }, (_, block) => hexOfWords(hashes, 2 * block));
      parts.push({ kind, name, hash: hexOfWords(hash, 0), blocks });
    });
    return { tick, root: this.#root.hex(), parts };
  }

  /** Made when it is first needed: most worlds are never hashed. */
  get #blocks(): BlockHasher {
    if (this.#openBlocks === undefined) {
      const { capacity } = this.#schema;
      const place = this.#place;
      const kernel = place && openBlockHashKernel(place.memory, place.room, capacity);
      this.#openBlocks = kernel ?? new ScriptBlockHasher(capacity);
    }
    return this.#openBlocks;
  }

  #feed(tick: number, visit: PartVisit | undefined): void {
    const { stores } = this.#structure;
    this.nanCount = 0;
    this.firstNan = undefined;
    this.#root.reset();
    this.#root.whole(tick);
    this.#feedBlocks(this.#entities, 'entities', 'entities', visit);
    for (let c = 0; c < stores.length; c++) {
      const store = stores[c] as ComponentStore;
      const job = this.#components[c] as HashJob;
      const nans = this.#feedBlocks(job, 'component', store.name, visit);
      this.nanCount += nans;
      if (nans > 0 && this.firstNan === undefined) this.firstNan = this.#findNan(store);
    }
    this.#part.reset();
    for (let g = 0; g < this.#globals.length; g++) this.#feedGlobal(g);
    this.#endPart('globals', 'globals', 0, visit);
    this.#part.reset();
    for (let w = 0; w < this.#random.length; w++) this.#part.word(this.#random[w] as number);
    this.#endPart('random', 'random', 0, visit);
    if (this.foreign !== undefined) {
      this.#part.reset();
      this.#part.whole(this.foreign());
      this.#endPart('foreign', 'foreign', 0, visit);
    }
    if (this.firstNan !== undefined) this.#reportNan(tick, this.firstNan);
  }

  /** Feeds a part that is made of blocks; returns how many of its numbers are NaN. */
  #feedBlocks(
    job: HashJob,
    kind: HashPartKind,
    name: string,
    visit: PartVisit | undefined,
  ): number {
    const { highWater } = this.#structure.table;
    const blocks = this.#blocks;
    const count = hashBlocks(highWater);
    job.words = (highWater + 31) >>> 5;
    const nans = blocks.hash(job);
    this.#part.reset();
    for (let k = 0; k < 2 * count; k++) this.#part.word(blocks.hashes[k] as number);
    this.#endPart(kind, name, count, visit);
    return nans;
  }

  /** Feeds the root with the hash of the part that was fed. */
  #endPart(kind: HashPartKind, name: string, blocks: number, visit: PartVisit | undefined): void {
    const out = this.#out;
    this.#part.read(out);
    this.#root.word(out[0] as number);
    this.#root.word(out[1] as number);
    visit?.(kind, name, out, blocks);
  }

  #feedGlobal(g: number): void {
    const words = this.#globals[g] as Int32Array;
    const { name, type } = this.#schema.globals[g] as FieldSchema<ScalarType>;
    const low = words[0] as number;
    if (type === 'f64') this.#feedF64(low, words[1] as number, name);
    else if (type === 'f32') this.#feedF32(low, name);
    else if (type === 'u16') this.#part.word(low & 0xffff);
    else this.#part.word(type === 'u8' ? low & 0xff : low);
  }

  #feedF32(bits: number, name: string): void {
    if (bits === MINUS_ZERO) this.#part.word(0);
    else if ((bits & 0x7fffffff) > 0x7f800000) {
      this.#part.word(0x7fc00000);
      this.#noteGlobalNan(name);
    } else this.#part.word(bits);
  }

  #feedF64(low: number, high: number, name: string): void {
    const magnitude = high & 0x7fffffff;
    const isNan = magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && low !== 0);
    if (isNan) this.#noteGlobalNan(name);
    const isZero = high === MINUS_ZERO && low === 0;
    this.#part.word(isNan ? 0x7ff80000 : isZero ? 0 : high);
    this.#part.word(isNan ? 0 : low);
  }

  #noteGlobalNan(name: string): void {
    this.nanCount++;
    this.firstNan ??= { component: `globals.${name}`, entity: NO_ENTITY, index: -1 };
  }

  /** Finds the first NaN of a component that has one. */
  #findNan(store: ComponentStore): NanReport | undefined {
    const { name, width, column, presence } = store;
    for (const index of this.#structure.table.live()) {
      if (!hasBit(presence, index)) continue;
      const at = store.rowOf(index) * width;
      for (let i = at; i < at + width; i++) {
        if (!Number.isNaN(column[i])) continue;
        return { component: name, entity: this.#structure.table.entityAt(index), index };
      }
    }
    return undefined;
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

function signed({ buffer, byteOffset, byteLength }: Column): Int32Array {
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}

/** Says how the rows of a component are hashed: numbers of four bytes and more as words. */
function jobOf(
  { column, presence, schema, width, rows }: ComponentStore,
  alive: Uint32Array,
): HashJob {
  const size = scalarBytes(schema.scalar);
  return {
    alive,
    presence,
    words: 0,
    rows: size >= 4 ? signed(column) : (column as Uint16Array | Uint8Array),
    width: (width * Math.max(size, 4)) / 4,
    kind: hashKind(schema.scalar),
    isPacked: rows !== undefined,
  };
}

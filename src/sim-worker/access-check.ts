import { lowestBit } from '../shared/bitset.ts';
import { EscapementError } from '../shared/error.ts';
import { strideBytes } from '../shared/schema.ts';
import type { ComponentStore } from './component-store.ts';
import type { World } from './world.ts';

/*
 * Threads    the simulation thread alone; development only.
 * Memory     a copy of every column, made when it is opened.
 * Ordering   plain accesses.
 * Progress   copies and compares what a system may not write, up to the highest living slot.
 * Invariant  between `begin` and `end` the copies hold what the columns held at `begin`.
 */

/** A column as words, and what it held when the running system began. */
interface Shadow {
  readonly store: ComponentStore;
  readonly words: Uint32Array;
  readonly copy: Uint32Array;
  /** Bytes of a row. */
  readonly stride: number;
  version: number;
  /** Words in use at `begin`. */
  length: number;
}

/**
 * Catches a system that writes a component it has not declared, however it got hold of the column:
 * what it may not write is copied before its run and compared after it.
 */
export class AccessCheck {
  readonly #world: World;
  readonly #shadows: readonly Shadow[];
  readonly #mayWrite: ReadonlySet<string>[];
  readonly #mayRead: ReadonlySet<string>[];
  readonly #names: readonly string[];
  #id = 0;

  /** `systems` in the order of registration. */
  constructor(
    world: World,
    systems: readonly {
      readonly name: string;
      readonly reads?: readonly string[];
      readonly writes?: readonly string[];
    }[],
  ) {
    this.#world = world;
    this.#names = systems.map(({ name }) => name);
    this.#mayWrite = systems.map(({ writes = [] }) => new Set(writes));
    this.#mayRead = systems.map(({ reads = [], writes = [] }) => new Set([...reads, ...writes]));
    this.#shadows = world.stores
      .filter(({ width }) => width > 0)
      .map((store) => {
        const { column } = store;
        // Columns begin on a line of their own, so that the last word is theirs too.
        const length = Math.ceil(column.byteLength / 4);
        const words = new Uint32Array(column.buffer, column.byteOffset, length);
        const stride = strideBytes(store.schema);
        return { store, words, copy: new Uint32Array(length), stride, version: 0, length: 0 };
      });
  }

  /** Begins the run of a system. */
  begin(id: number): void {
    this.#id = id;
    this.#world.checkAccess(this.#checkWrite, this.#checkRead);
    const mayWrite = this.#mayWrite[id - 1] as ReadonlySet<string>;
    for (const shadow of this.#shadows) {
      const { store, words, copy } = shadow;
      const rows = store.rows?.count ?? this.#world.highWater;
      shadow.version = store.version;
      shadow.length = mayWrite.has(store.name) ? 0 : Math.ceil((rows * shadow.stride) / 4);
      for (let i = 0; i < shadow.length; i++) copy[i] = words[i] as number;
    }
  }

  /** Ends the run. Throws ACCESS_UNDECLARED, naming component and entity. */
  end(): void {
    for (const shadow of this.#shadows) {
      const { store, words, copy, length } = shadow;
      // The rows of a sparse component move when entities die; then nothing can be told.
      if (store.rows !== undefined && store.version !== shadow.version) continue;
      for (let i = 0; i < length; i++) {
        const changed = (words[i] as number) ^ (copy[i] as number);
        if (changed !== 0) throw this.#written(shadow, 4 * i + (lowestBit(changed) >>> 3));
      }
    }
  }

  /** Lets the verbs of the world be used freely again. */
  release(): void {
    this.#world.checkAccess(undefined, undefined);
  }

  readonly #checkWrite = (store: ComponentStore): void => {
    if ((this.#mayWrite[this.#id - 1] as ReadonlySet<string>).has(store.name)) return;
    throw this.#undeclared(store.name, 'writes', `a verb of the world on "${store.name}"`);
  };

  readonly #checkRead = (store: ComponentStore): void => {
    if ((this.#mayRead[this.#id - 1] as ReadonlySet<string>).has(store.name)) return;
    throw this.#undeclared(store.name, 'reads', `world.get of "${store.name}"`);
  };

  #written({ store, stride }: Shadow, byte: number): EscapementError {
    const row = Math.floor(byte / stride);
    const slot = store.rows === undefined ? row : (store.rows.slots[row] as number);
    const entity = this.#world.entityAt(slot);
    return this.#undeclared(
      store.name,
      'writes',
      `"${store.name}" of entity ${entity} at slot ${slot} has changed`,
    );
  }

  #undeclared(component: string, list: 'reads' | 'writes', given: string): EscapementError {
    const system = this.#names[this.#id - 1];
    const declared = (this.#mayRead[this.#id - 1] as ReadonlySet<string>).has(component);
    const what = declared ? 'declared for reading only' : 'not declared';
    return new EscapementError(
      'ACCESS_UNDECLARED',
      `System "${system}" uses component "${component}", which it has ${what}.`,
      { given, fix: `Add "${component}" to \`${list}\` of "${system}".` },
    );
  }
}

import { NetError } from '../net-error.ts';

/** More would not fit in ids of 32 bits. */
const NAMES_MAX = 2 ** 32 - 1;

/**
 * Names and their ids, from 0, in the order in which they came. Both ends must have the same:
 * sealed in the definition of a record, or grown by `intern` in the same order on both sides, over
 * whatever delivers in order.
 */
export class NameTable {
  readonly #names: string[] = [];
  readonly #ids = new Map<string, number>();
  #isSealed = false;

  constructor(names: Iterable<string> = []) {
    for (const name of names) this.intern(name);
  }

  get count(): number {
    return this.#names.length;
  }

  /** The names in the order of their ids; a copy. */
  get names(): string[] {
    return [...this.#names];
  }

  /** Returns the id of a name; a new name gets the next. Throws NAME_UNKNOWN once it is sealed. */
  intern(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    if (typeof name !== 'string' || this.#isSealed || this.count >= NAMES_MAX) {
      throw new NetError('NAME_UNKNOWN', 'name-table-sealed', 'The table takes no such name.', {
        given: JSON.stringify(name) ?? String(name),
        allowed: this.#isSealed ? 'the names that it had when it became part of a record' : 'texts',
        fix: 'Name it before interned(table), or declare interned(16) and grow it on both sides.',
      });
    }
    this.#ids.set(name, this.count);
    return this.#names.push(name) - 1;
  }

  /** Returns the id of a name, or -1. */
  idOf(name: string): number {
    return this.#ids.get(name) ?? -1;
  }

  /** Returns the name of an id; undefined if there is none yet. */
  nameOf(id: number): string | undefined {
    return this.#names[id];
  }

  /** From now on it takes no more names. */
  seal(): void {
    this.#isSealed = true;
  }
}

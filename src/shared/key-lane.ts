import { isSameValue, type StateTree, type StateValue } from './state-tree.ts';

/**
 * Binds one control key: what it means, and what the clock is to be.
 *
 * A value that someone else wrote is read once and wins. One that is unreadable stays in the tree
 * and changes nothing. A key that is not there is given the lane's value. Without a path the lane
 * keeps its value and touches nothing.
 */
export class KeyLane<T extends StateValue> {
  /** What the key says, as far as it was readable; else what the clock was. */
  value: T;
  readonly #tree: StateTree;
  readonly #path: string;
  readonly #parse: (value: StateValue) => T | undefined;
  /** What the tree held when it was looked at last. */
  #seen: StateValue | undefined;
  /** The clock was moved, but the tree had been written to: it still shows something else. */
  #stale = false;

  /** Makes a lane with the clock's value, and gives the key that value if it is not there. */
  constructor(
    tree: StateTree,
    path: string,
    parse: (value: StateValue) => T | undefined,
    value: T,
  ) {
    this.#tree = tree;
    this.#path = path;
    this.#parse = parse;
    this.value = value;
    if (path !== '' && !tree.has(path)) this.#put();
  }

  /** Takes in what the tree holds now, if that changed. */
  read(): void {
    if (this.#path === '') return;
    const held = this.#tree.get(this.#path);
    if (held === undefined) {
      this.#put();
      return;
    }
    if (!isSameValue(held, this.#seen)) {
      this.#seen = held;
      const value = this.#parse(held);
      if (value !== undefined) {
        this.value = value;
        this.#stale = false;
      }
    }
    if (this.#stale) this.#put();
  }

  /** Takes the value that the clock was given by someone else, and shows it in the tree. */
  follow(value: T): void {
    if (value === this.value) return;
    this.value = value;
    if (this.#path === '') return;
    // What was written since the last look wins, once it is read.
    if (isSameValue(this.#tree.get(this.#path), this.#seen)) this.#put();
    else this.#stale = true;
  }

  #put(): void {
    this.#stale = false;
    this.#seen = this.value;
    this.#tree.set(this.#path, this.value);
  }
}

import { EscapementError } from './error.ts';

/** What a key of a {@link StateTree} holds. */
export type StateValue = number | string | boolean;

/**
 * Is told of a change: the value now and the one before; undefined for a key that is deleted, or
 * was not there.
 */
export type StateListener = (
  path: string,
  value: StateValue | undefined,
  previous: StateValue | undefined,
) => void;

/** Options of {@link createStateTree}. */
export interface StateTreeOptions {
  /**
   * Takes what a listener throws, and STATE_INVALID when listeners answer each other without an
   * end: the rest of those changes is made but not told. By default it is thrown again in a
   * microtask, where the platform reports it: who sets a key does not answer for who watches it.
   */
  readonly onListenerError?: ((error: unknown) => void) | undefined;
}

/** The longest path in characters. */
const PATH_LENGTH_MAX = 200;

/** Changes that listeners may make in answer to one change; more have no end. */
const ANSWERS_MAX = 10_000;

const PATH = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

interface Observer {
  readonly prefix: string;
  readonly listener: StateListener;
  active: boolean;
}

interface Change {
  readonly path: string;
  readonly value: StateValue | undefined;
  readonly previous: StateValue | undefined;
  /** Who observed when it was made. */
  readonly observers: readonly Observer[];
}

/** Makes an empty tree. */
export function createStateTree(options: StateTreeOptions = {}): StateTree {
  return new StateTree(options);
}

/** Returns whether `path` names a key: words of letters, digits, `_` and `-`, joined by dots. */
export function isStatePath(path: string): boolean {
  return typeof path === 'string' && path.length <= PATH_LENGTH_MAX && PATH.test(path);
}

/** Returns whether two values are the same: NaN is NaN, and 0 is -0. */
export function isSameValue(a: StateValue | undefined, b: StateValue | undefined): boolean {
  return a === b || (a !== a && b !== b);
}

/**
 * A key: its value as it is handed out, which for a number that changed is made when it is read.
 * The number itself is kept apart, in a field that the engine overwrites in place: a number that
 * changes every frame and that nobody reads leaves nothing on the heap.
 */
class Entry {
  value: StateValue | undefined;
  /** Never a whole number at first: the field is then kept as a double from the start. */
  number = 0.5;

  constructor(value: StateValue) {
    this.replace(value);
  }

  read(): StateValue {
    this.value ??= this.number;
    return this.value;
  }

  holdsFirst(source: Float64Array): boolean {
    const value = source[0] as number;
    const isSame = this.number === value || (this.number !== this.number && value !== value);
    return isSame && (this.value === undefined || typeof this.value === 'number');
  }

  replaceByFirst(source: Float64Array): void {
    this.value = undefined;
    this.number = source[0] as number;
  }

  replace(value: StateValue): void {
    this.value = value;
    if (typeof value === 'number') this.number = value;
  }
}

/**
 * A small observable tree of typed keys: dotted paths such as `sim.speed`, each with a number, a
 * string or a boolean. A key takes any of the three at any time: who reads it decides what it
 * understands. A path may be a key and lead to others at once.
 *
 * A change is there at once. Whoever observes it is told before `set` returns, in the order of
 * observing; changes that listeners make in answer are told after it, in the order they were made.
 * One thread. Reading allocates nothing, but for a number that changed since it was read last.
 */
export class StateTree {
  readonly #entries: Map<string, Entry> = new Map();
  readonly #onListenerError: (error: unknown) => void;
  #observers: Observer[] = [];
  /** Changes that are still to be told, oldest first. */
  readonly #queue: Change[] = [];
  #telling = false;
  #version = 0;

  constructor(options: StateTreeOptions = {}) {
    this.#onListenerError = options.onListenerError ?? throwLater;
  }

  /** Counts the changes: it stands still while nothing changes. */
  get version(): number {
    return this.#version;
  }

  /** Returns the value at a path, or undefined where there is none. */
  get(path: string): StateValue | undefined {
    return this.#entries.get(path)?.read();
  }

  /** Returns whether there is a value at a path. */
  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /**
   * Sets a key; made if it is not there. The same value again is no change. Throws VALUE_INVALID
   * for what is no path, and for a value that is no number, string or boolean.
   */
  set(path: string, value: StateValue): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) this.#create(path, value);
    else this.#replace(path, entry, value);
  }

  /**
   * Sets a key to the first number of an array, for one that changes every frame: a number that is
   * handed over by itself may be put on the heap. Throws what {@link set} throws.
   */
  setFrom(path: string, source: Float64Array): void {
    const entry = this.#entries.get(path);
    if (entry === undefined || this.#observers.length > 0) {
      this.set(path, source[0] as number);
    } else if (!entry.holdsFirst(source)) {
      entry.replaceByFirst(source);
      this.#version++;
    }
  }

  /** Removes a key. Returns whether it was there. */
  delete(path: string): boolean {
    const previous = this.get(path);
    if (previous === undefined) return false;
    this.#entries.delete(path);
    this.#version++;
    this.#tell(path, undefined, previous);
    return true;
  }

  /**
   * Returns the paths of all keys, or of those at and below `prefix`, sorted by code unit. Makes a
   * list.
   */
  keys(prefix = ''): string[] {
    return [...this.#entries.keys()].filter((path) => isUnder(path, prefix)).sort();
  }

  /**
   * Tells `listener` each change of the key at `prefix` and of those below it, word by word: `sim`
   * covers `sim.speed`, not `simple`; an empty prefix covers all. Returns what ends it. A listener
   * that is added while a change is told hears of later ones; one that is removed hears of none.
   * Throws VALUE_INVALID for what is no path.
   */
  observe(prefix: string, listener: StateListener): () => void {
    if (prefix !== '') checkPath(prefix);
    const observer: Observer = { prefix, listener, active: true };
    // Copied: a change that is being told goes on with the list it began with.
    this.#observers = [...this.#observers, observer];
    return () => {
      observer.active = false;
      this.#observers = this.#observers.filter((each) => each !== observer);
    };
  }

  #create(path: string, value: StateValue): void {
    checkPath(path);
    checkValue(path, value);
    this.#entries.set(path, new Entry(value));
    this.#version++;
    this.#tell(path, value, undefined);
  }

  #replace(path: string, entry: Entry, value: StateValue): void {
    checkValue(path, value);
    const previous = entry.read();
    if (isSameValue(previous, value)) return;
    entry.replace(value);
    this.#version++;
    this.#tell(path, value, previous);
  }

  #tell(path: string, value: StateValue | undefined, previous: StateValue | undefined): void {
    const observers = this.#observers;
    if (observers.length === 0) return;
    this.#queue.push({ path, value, previous, observers });
    if (this.#telling) return;
    this.#telling = true;
    try {
      for (let at = 0; at < this.#queue.length && at <= ANSWERS_MAX; at++) {
        this.#tellOne(this.#queue[at] as Change);
      }
      if (this.#queue.length > ANSWERS_MAX + 1) this.#onListenerError(endlessError(path));
    } finally {
      this.#queue.length = 0;
      this.#telling = false;
    }
  }

  #tellOne({ path, value, previous, observers }: Change): void {
    for (const observer of observers) {
      if (!observer.active || !isUnder(path, observer.prefix)) continue;
      try {
        observer.listener(path, value, previous);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}

function isUnder(path: string, prefix: string): boolean {
  if (prefix === '') return true;
  if (!path.startsWith(prefix)) return false;
  return path.length === prefix.length || path[prefix.length] === '.';
}

function checkPath(path: string): void {
  if (isStatePath(path)) return;
  throw new EscapementError('VALUE_INVALID', 'That is no path of a state tree.', {
    given: `'${String(path)}'`,
    allowed:
      'words of letters, digits, `_` and `-`, joined by dots, ' +
      `up to ${PATH_LENGTH_MAX} characters`,
    fix: 'Write it like `sim.speed`.',
  });
}

function checkValue(path: string, value: StateValue): void {
  const type = typeof value;
  if (type === 'number' || type === 'string' || type === 'boolean') return;
  throw new EscapementError('VALUE_INVALID', 'A state tree cannot hold that.', {
    given: `${String(value)} at '${path}'`,
    allowed: 'a number, a string or a boolean',
    fix: 'Delete the key to say that there is no value.',
  });
}

function endlessError(path: string): EscapementError {
  return new EscapementError('STATE_INVALID', 'Listeners answer each other without an end.', {
    given: `more than ${ANSWERS_MAX} changes in answer to one of '${path}'`,
    fix: 'Let a listener set a key only to what follows from the others.',
  });
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

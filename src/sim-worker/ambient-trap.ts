import { assert } from '../shared/assert.ts';
import { EscapementError } from '../shared/error.ts';
import { AMBIENT_NAMES, type AmbientName } from './ambient-list.ts';

/*
 * Threads    the thread that it is engaged on; development only.
 * Memory     properties of this thread's global objects, for as long as it is engaged.
 * Progress   wait-free; engaging and releasing allocate nothing.
 * Invariant  while no trap is engaged, every property is what it was before.
 *
 * Simulation code that asks the machine for its time, its chance or its maths runs differently
 * elsewhere and in a replay. The lint rules see such a call where it is written, the trap where it
 * is made: in a dependency, through another name, by a computed key. The trap does not see what was
 * taken out of its object before (`const { random } = Math`), nor the operator `**`, nor the local
 * time zone in the methods of a date.
 *
 * It puts guards into place by assignment, so that the descriptors stay as they are. An object of
 * which one name cannot be assigned to is left alone, and its names are listed as unguarded.
 */

type Table = Record<string, unknown>;

/** Keeps ambient time, chance, timers and inexact maths out of the code that it surrounds. */
export class AmbientTrap {
  /** Names that this platform does not let be guarded: they are frozen. */
  readonly unguarded: readonly string[];
  /** Row = name of the list: the object that has it, or one of ours that nobody sees. */
  readonly #holders: Table[] = [];
  /** Rows alike: what stands there while engaged, what stood there before, and what is let go. */
  readonly #guards: unknown[] = [];
  readonly #originals: unknown[] = [];
  readonly #spare: unknown[] = [];
  #isEngaged = false;
  #label = '';

  /** Prepares the guards, and changes nothing. `scope` is the thread's `globalThis`. */
  constructor(scope: object = globalThis) {
    const unguarded: string[] = [];
    for (const name of AMBIENT_NAMES) {
      const holder = findHolder(scope as Table, name);
      const isFree = holder !== undefined && canAssign(scope as Table, name);
      if (holder !== undefined && !isFree) unguarded.push(printName(name));
      const original = isFree ? holder[name.property] : undefined;
      this.#holders.push(isFree ? holder : {});
      this.#guards.push(this.#createGuard(name, original));
      this.#originals.push(original);
      this.#spare.push(undefined);
    }
    this.unguarded = unguarded;
  }

  /** Whether the guards are in place. */
  get isEngaged(): boolean {
    return this.#isEngaged;
  }

  /**
   * Puts the guards into place for the code that `label` names. What it then calls of
   * {@link AMBIENT_NAMES} throws AMBIENT_FORBIDDEN. Engage a trap once, and release it in
   * `finally`; another trap may be engaged meanwhile if it is released first.
   */
  engage(label: string): void {
    assert(!this.#isEngaged, 'a trap is engaged once');
    this.#isEngaged = true;
    this.#label = label;
    exchange(this.#holders, this.#guards, this.#originals);
  }

  /** Puts back what stood there before. */
  release(): void {
    assert(this.#isEngaged, 'a trap is released after it was engaged');
    // The first name of the list is one of Math, which no platform lacks.
    assert(this.#holders[0]?.sin === this.#guards[0], 'traps are released in the reverse order');
    exchange(this.#holders, this.#originals, this.#spare);
    this.#isEngaged = false;
  }

  #createGuard(name: AmbientName, original: unknown): unknown {
    const refuse = (): never => this.#refuse(name);
    if (printName(name) === 'Date' && original !== undefined) {
      // A proxy, so that `instanceof`, `Date.UTC` and what else is pure go through.
      return new Proxy(original as new (...args: unknown[]) => object, {
        apply: refuse,
        construct: (target, args, newTarget) =>
          args.length === 1 && typeof args[0] !== 'string'
            ? Reflect.construct(target, args, newTarget)
            : refuse(),
      });
    }
    return printName(name) === 'process.hrtime'
      ? Object.assign(refuse, { bigint: refuse })
      : refuse;
  }

  #refuse(name: AmbientName): never {
    const called = printName(name);
    throw new EscapementError(
      'AMBIENT_FORBIDDEN',
      `Simulation code may not use ${called}. ${name.why}`,
      { given: `${called} in ${this.#label}`, fix: name.instead },
    );
  }
}

/** Returns a name as it is written in code. */
export function printName({ object, property }: AmbientName): string {
  return object === '' ? property : `${object}.${property}`;
}

/** Finds the object that a name is an own property of; undefined where the platform has none. */
function findHolder(scope: Table, { object, property }: AmbientName): Table | undefined {
  let holder = (object === '' ? scope : scope[object]) as Table | null | undefined;
  while (holder !== null && holder !== undefined) {
    if (Object.hasOwn(holder, property)) return holder;
    holder = Object.getPrototypeOf(holder) as Table | null;
  }
  return undefined;
}

/** Says whether this name, and all that are listed of the same object, can be assigned to. */
function canAssign(scope: Table, name: AmbientName): boolean {
  return AMBIENT_NAMES.every((other) => {
    if (other !== name && (name.object === '' || other.object !== name.object)) return true;
    const holder = findHolder(scope, other);
    return holder && Object.getOwnPropertyDescriptor(holder, other.property)?.writable;
  });
}

/**
 * Keeps what stands in every place and puts something else there, in the order of the list. Each
 * name is written out: engines take an assignment by a computed name slowly.
 */
function exchange(holders: readonly Table[], put: readonly unknown[], keep: unknown[]): void {
  let row = exchangeMaths(holders[0] as Table, put, keep);
  let holder: Table;
  holder = holders[row] as Table;
  keep[row] = holder.Date;
  holder.Date = put[row++];
  holder = holders[row] as Table;
  keep[row] = holder.now;
  holder.now = put[row++];
  holder = holders[row] as Table;
  keep[row] = holder.now;
  holder.now = put[row++];
  holder = holders[row] as Table;
  keep[row] = holder.hrtime;
  holder.hrtime = put[row++];
  holder = holders[row] as Table;
  keep[row] = holder.getRandomValues;
  holder.getRandomValues = put[row++];
  holder = holders[row] as Table;
  keep[row] = holder.randomUUID;
  holder.randomUUID = put[row++];
  holder = holders[row] as Table;
  keep[row] = holder.setTimeout;
  holder.setTimeout = put[row++];
  holder = holders[row] as Table;
  keep[row] = holder.setInterval;
  holder.setInterval = put[row++];
  holder = holders[row] as Table;
  keep[row] = holder.setImmediate;
  holder.setImmediate = put[row++];
}

/** Returns the row behind those of Math. */
function exchangeMaths(math: Table, put: readonly unknown[], keep: unknown[]): number {
  let row = 0;
  keep[row] = math.sin;
  math.sin = put[row++];
  keep[row] = math.cos;
  math.cos = put[row++];
  keep[row] = math.tan;
  math.tan = put[row++];
  keep[row] = math.asin;
  math.asin = put[row++];
  keep[row] = math.acos;
  math.acos = put[row++];
  keep[row] = math.atan;
  math.atan = put[row++];
  keep[row] = math.atan2;
  math.atan2 = put[row++];
  keep[row] = math.sinh;
  math.sinh = put[row++];
  keep[row] = math.cosh;
  math.cosh = put[row++];
  keep[row] = math.tanh;
  math.tanh = put[row++];
  keep[row] = math.asinh;
  math.asinh = put[row++];
  keep[row] = math.acosh;
  math.acosh = put[row++];
  keep[row] = math.atanh;
  math.atanh = put[row++];
  keep[row] = math.exp;
  math.exp = put[row++];
  keep[row] = math.expm1;
  math.expm1 = put[row++];
  keep[row] = math.log;
  math.log = put[row++];
  keep[row] = math.log2;
  math.log2 = put[row++];
  keep[row] = math.log10;
  math.log10 = put[row++];
  keep[row] = math.log1p;
  math.log1p = put[row++];
  keep[row] = math.pow;
  math.pow = put[row++];
  keep[row] = math.cbrt;
  math.cbrt = put[row++];
  keep[row] = math.hypot;
  math.hypot = put[row++];
  keep[row] = math.random;
  math.random = put[row++];
  return row;
}

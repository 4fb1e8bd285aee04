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
 * is made: in a dependency, through another name, by a computed key. Neither sees what was taken
 * out of its object before (`const { random } = Math`), nor the operator `**`, nor the local time
 * zone in the methods of a date.
 *
 * The trap puts guards into place by assignment, so that the descriptors stay as they are. A
 * property that cannot be assigned to is left alone and listed as unguarded.
 */

type Holder = Record<string, unknown>;

/** Keeps ambient time, chance, timers and inexact maths out of the code that it surrounds. */
export class AmbientTrap {
  /** Names that this platform does not let be guarded: they are frozen. */
  readonly unguarded: readonly string[];
  /** Row = guarded name: the object whose own property it is, and its key there. */
  readonly #holders: Holder[] = [];
  readonly #keys: string[] = [];
  readonly #guards: unknown[] = [];
  /** Row = guarded name: what stood there when the trap was engaged. */
  readonly #originals: unknown[] = [];
  #isEngaged = false;
  #label = '';

  /** Prepares the guards, and changes nothing. `scope` is the thread's `globalThis`. */
  constructor(scope: object = globalThis) {
    const unguarded: string[] = [];
    for (const name of AMBIENT_NAMES) {
      const holder = findHolder(scope as Holder, name);
      if (holder === undefined) continue;
      const found = Object.getOwnPropertyDescriptor(holder, name.property);
      if (found?.writable !== true) {
        unguarded.push(printName(name));
        continue;
      }
      this.#holders.push(holder);
      this.#keys.push(name.property);
      this.#guards.push(this.#createGuard(name, found.value));
      this.#originals.push(found.value);
    }
    this.unguarded = unguarded;
  }

  /** Whether the guards are in place. */
  get isEngaged(): boolean {
    return this.#isEngaged;
  }

  /**
   * Puts the guards into place for the code that `label` names. What it then calls of
   * {@link AMBIENT_NAMES} throws AMBIENT_FORBIDDEN. Engage a trap once, and release it in `finally`;
   * another trap may be engaged meanwhile if it is released first.
   */
  engage(label: string): void {
    assert(!this.#isEngaged, 'a trap is engaged once');
    this.#isEngaged = true;
    this.#label = label;
    for (let row = 0; row < this.#keys.length; row++) {
      const holder = this.#holders[row] as Holder;
      const key = this.#keys[row] as string;
      this.#originals[row] = holder[key];
      holder[key] = this.#guards[row];
    }
  }

  /** Puts back what stood there before. */
  release(): void {
    assert(this.#isEngaged, 'a trap is released after it was engaged');
    const first = this.#holders[0]?.[this.#keys[0] as string];
    assert(first === this.#guards[0], 'traps are released in the reverse order');
    for (let row = 0; row < this.#keys.length; row++) {
      (this.#holders[row] as Holder)[this.#keys[row] as string] = this.#originals[row];
    }
    this.#isEngaged = false;
  }

  #createGuard(name: AmbientName, original: unknown): unknown {
    const refuse = (): never => this.#refuse(name);
    if (printName(name) === 'Date') {
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
      `Simulation code called ${called}, which is not the same on every machine.`,
      { given: `${called} in ${this.#label}`, fix: name.instead },
    );
  }
}

/** Returns a name as it is written in code. */
export function printName({ object, property }: AmbientName): string {
  return object === '' ? property : `${object}.${property}`;
}

/** Finds the object that a name is an own property of; undefined where the platform has none. */
function findHolder(scope: Holder, { object, property }: AmbientName): Holder | undefined {
  let holder = (object === '' ? scope : scope[object]) as Holder | null | undefined;
  while (holder !== null && holder !== undefined) {
    if (Object.hasOwn(holder, property)) return holder;
    holder = Object.getPrototypeOf(holder) as Holder | null;
  }
  return undefined;
}

import type { EscapementError } from '../../src/shared/error.ts';
import {
  type ComponentSpec,
  quaternion,
  scalar,
  sparse,
  step,
  tag,
  vec2,
} from '../../src/sim-worker/index.ts';

/** What the worlds of the random programs are made of: every kind of component. */
export const components = {
  pos: vec2(),
  frozen: tag(),
  energy: scalar('f64'),
  rare: sparse(vec2('f64'), 6),
  level: step('u8'),
  turn: quaternion(),
  poison: sparse(step('u16'), 40),
  marked: tag(),
  cell: step('i32', 3),
  spun: sparse(quaternion(), 9),
};

export type Name = keyof typeof components;
export type Values = Readonly<Partial<Record<Name, number | readonly number[]>>>;
export type Terms = Readonly<Partial<Record<'all' | 'any' | 'none', readonly Name[]>>>;

export const NAMES = Object.keys(components) as Name[];

interface Slot {
  generation: number;
  state: 'free' | 'reserved' | 'alive' | 'retired';
  readonly has: Set<Name>;
  /** Numbers by component: of a dense one always, of a sparse one while it is there. */
  readonly numbers: Map<Name, number[]>;
}

type Who = ReadonlyMap<number, { readonly handle: number; readonly has: ReadonlySet<Name> }>;

/** What the model throws where the world must throw an error of the same code. */
export class Refused extends Error {
  readonly code: EscapementError['code'];

  constructor(code: EscapementError['code']) {
    super(code);
    this.code = code;
  }
}

const specOf = (name: Name): ComponentSpec => components[name];
const isSparse = (name: Name): boolean => specOf(name).rows !== undefined;

/** The rules of a world, told as plainly as possible. */
export class WorldModel {
  readonly capacity: number;
  readonly slots: Slot[];
  readonly #indexCount: number;
  staleCount = 0;
  frameChurn = 0;
  issued = 0;
  /** Spawns, despawns, teleports and changes of components. */
  changes = 0;
  /** Slots that no reader may blend across this time: whoever compares empties it. */
  readonly snapped: Set<number> = new Set();
  /** Whether a query is being walked. */
  walking = false;
  commands: (() => void)[] = [];
  #isRowRenewed = false;
  #before: Who = new Map();
  #now: Who = new Map();

  /** `lives` of each slot are used up before. */
  constructor(capacity: number, lives: number) {
    this.capacity = capacity;
    this.#indexCount = 2;
    while (this.#indexCount < capacity) this.#indexCount *= 2;
    this.slots = Array.from({ length: capacity }, () => ({
      generation: lives,
      state: 'free',
      has: new Set<Name>(),
      numbers: new Map(NAMES.filter((name) => !isSparse(name)).map((name) => [name, zeros(name)])),
    }));
  }

  get generationMax(): number {
    return 2 ** 32 / this.#indexCount - 1;
  }

  /** Slot indices of the living, ascending. */
  get live(): number[] {
    return this.slots.flatMap(({ state }, index) => (state === 'alive' ? [index] : []));
  }

  get retiredCount(): number {
    return this.slots.filter(({ state }) => state === 'retired').length;
  }

  handleAt(index: number): number {
    return this.#slot(index).generation * this.#indexCount + index;
  }

  indexOf(handle: number): number {
    return this.live.find((index) => this.handleAt(index) === handle) ?? -1;
  }

  /** Slot indices that match, ascending. */
  matching(terms: Terms): number[] {
    return this.live.filter((index) => matches(this.#slot(index).has, terms));
  }

  /** Slot indices that have a component, ascending. */
  having(name: Name): number[] {
    return this.matching({ all: [name] });
  }

  numbersOf(index: number, name: Name): number[] {
    return this.#slot(index).numbers.get(name) as number[];
  }

  spawn(values: Values): number {
    for (const name of namesOf(values)) this.#checkRoom(name);
    const index = this.#reserve();
    this.#enliven(index);
    for (const name of namesOf(values)) this.#give(index, name, valueOf(values, name));
    return this.handleAt(index);
  }

  despawn(handle: number): boolean {
    const index = this.indexOf(handle);
    if (index < 0) return this.#stale();
    if (this.walking) throw new Refused('STATE_INVALID');
    this.#end(index);
    return true;
  }

  clear(): void {
    if (this.walking && this.live.length > 0) throw new Refused('STATE_INVALID');
    for (const index of this.live) this.#end(index);
  }

  teleport(handle: number, values: Values): boolean {
    const index = this.indexOf(handle);
    if (index < 0) return this.#stale();
    for (const name of namesOf(values)) this.#checkGive(index, name);
    for (const name of namesOf(values)) this.#give(index, name, valueOf(values, name));
    this.snapped.add(index);
    this.changes++;
    return true;
  }

  add(handle: number, name: Name, value: number | readonly number[]): boolean {
    const index = this.indexOf(handle);
    if (index < 0) return this.#stale();
    this.#checkGive(index, name);
    this.#give(index, name, value);
    return true;
  }

  remove(handle: number, name: Name): boolean {
    const index = this.indexOf(handle);
    if (index < 0) return this.#stale();
    if (!this.#slot(index).has.has(name)) return true;
    if (this.walking) throw new Refused('STATE_INVALID');
    this.#take(index, name);
    return true;
  }

  has(handle: number, name: Name): boolean {
    const index = this.indexOf(handle);
    return index >= 0 && this.#slot(index).has.has(name);
  }

  get(handle: number, name: Name): number[] | false {
    const index = this.indexOf(handle);
    if (index < 0) return this.#stale();
    return this.#slot(index).has.has(name) && [...this.numbersOf(index, name)];
  }

  check(handle: number): boolean {
    return this.indexOf(handle) >= 0 || this.#stale();
  }

  commandSpawn(values: Values): number {
    const index = this.#reserve();
    const handle = this.handleAt(index);
    this.commands.push(() => this.#enliven(index));
    for (const name of namesOf(values)) this.#later(handle, index, name, valueOf(values, name));
    return handle;
  }

  commandDespawn(handle: number): void {
    this.commands.push(() => {
      const index = this.indexOf(handle);
      if (index < 0) this.#stale();
      else this.#end(index);
    });
  }

  commandAdd(handle: number, name: Name, value: number | readonly number[]): void {
    const index = this.slots.findIndex(
      ({ state }, at) => /alive|reserved/.test(state) && this.handleAt(at) === handle,
    );
    if (index < 0) this.#stale();
    else this.#later(handle, index, name, value);
  }

  commandRemove(handle: number, name: Name): void {
    this.commands.push(() => {
      const index = this.indexOf(handle);
      if (index < 0) this.#stale();
      else if (this.#slot(index).has.has(name)) this.#take(index, name);
    });
  }

  /** What a command throws, it alone is lost by. */
  apply(): void {
    if (this.walking && this.commands.length > 0) throw new Refused('STATE_INVALID');
    this.#isRowRenewed = false;
    for (let command = this.commands.shift(); command; command = this.commands.shift()) command();
  }

  beginTick(): void {
    this.apply();
    this.#before = this.#now;
    this.#now = new Map(
      this.live.map((index) => [
        index,
        { handle: this.handleAt(index), has: new Set(this.#slot(index).has) },
      ]),
    );
  }

  /** Handles of those that match now and did not at the last tick, and the other way round. */
  changed(terms: Terms): { entered: number[]; exited: number[] } {
    return {
      entered: lacking(this.#now, this.#before, terms),
      exited: lacking(this.#before, this.#now, terms),
    };
  }

  #slot(index: number): Slot {
    return this.slots[index] as Slot;
  }

  #stale(): false {
    this.staleCount++;
    return false;
  }

  #reserve(): number {
    const index = this.slots.findIndex(({ state }) => state === 'free');
    if (index < 0) throw new Refused('CAPACITY_EXHAUSTED');
    this.#slot(index).state = 'reserved';
    this.#slot(index).generation++;
    this.issued = Math.max(this.issued, index + 1);
    return index;
  }

  #enliven(index: number): void {
    this.#slot(index).state = 'alive';
    this.snapped.add(index);
    this.changes++;
  }

  #end(index: number): void {
    const slot = this.#slot(index);
    slot.state = slot.generation === this.generationMax ? 'retired' : 'free';
    slot.has.clear();
    this.changes++;
  }

  #checkRoom(name: Name): void {
    const { rows } = specOf(name);
    if (rows !== undefined && this.having(name).length === rows) {
      throw new Refused('CAPACITY_EXHAUSTED');
    }
  }

  #checkGive(index: number, name: Name): void {
    if (this.#slot(index).has.has(name)) return;
    if (this.walking) throw new Refused('STATE_INVALID');
    this.#checkRoom(name);
  }

  #give(index: number, name: Name, value: number | readonly number[] | undefined): void {
    const { has, numbers } = this.#slot(index);
    if (!has.has(name)) {
      this.#checkRoom(name);
      // No reader sees a tag or a sparse component: getting one is no jump.
      if (specOf(name).width > 0 && !isSparse(name)) this.snapped.add(index);
      this.changes++;
    }
    has.add(name);
    this.frameChurn++;
    if (value !== undefined) numbers.set(name, kept(name, value));
  }

  #take(index: number, name: Name): void {
    this.#slot(index).has.delete(name);
    this.frameChurn++;
    this.changes++;
  }

  #later(handle: number, at: number, name: Name, value: number | readonly number[]): void {
    const hasRow = !isSparse(name) || this.#slot(at).has.has(name);
    if (hasRow) this.#slot(at).numbers.set(name, kept(name, value));
    this.commands.push(() => {
      const index = this.indexOf(handle);
      if (index < 0) {
        this.#stale();
        return;
      }
      const has = this.#slot(index).has.has(name);
      // Written at once, and perhaps over since; but not into a row that is gone.
      const holds = !isSparse(name) || (hasRow && has && !this.#isRowRenewed);
      if (isSparse(name) && hasRow && !holds) this.#isRowRenewed = true;
      this.#give(index, name, holds ? undefined : value);
    });
  }
}

function matches(has: ReadonlySet<Name>, { all = [], any = [], none = [] }: Terms): boolean {
  return (
    all.every((name) => has.has(name)) &&
    (any.length === 0 || any.some((name) => has.has(name))) &&
    !none.some((name) => has.has(name))
  );
}

function lacking(here: Who, there: Who, terms: Terms): number[] {
  return [...here].flatMap(([index, { handle, has }]) => {
    const other = there.get(index);
    const isIn = other !== undefined && other.handle === handle && matches(other.has, terms);
    return matches(has, terms) && !isIn ? [handle] : [];
  });
}

function zeros(name: Name): number[] {
  return Array.from({ length: specOf(name).width }, () => 0);
}

function namesOf(values: Values): Name[] {
  return Object.keys(values) as Name[];
}

function valueOf(values: Values, name: Name): number | readonly number[] {
  return values[name] as number | readonly number[];
}

/** The numbers that a column keeps of a value. */
function kept(name: Name, value: number | readonly number[]): number[] {
  const { scalar: type, blend } = specOf(name);
  const given = typeof value === 'number' ? zeros(name).fill(value) : value;
  const rounded = given.map((number) => {
    if (type === 'f64') return number;
    if (type === 'f32') return Math.fround(number);
    if (type === 'i32') return number | 0;
    return (number | 0) & (type === 'u8' ? 0xff : 0xffff);
  });
  if (blend !== 'slerp') return rounded;
  const length = Math.sqrt(rounded.reduce((sum, number) => sum + number * number, 0));
  return length > 0 ? rounded.map((number) => Math.fround(number / length)) : [0, 0, 0, 1];
}

import { expect, test } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import type { Schema } from '../../src/shared/schema.ts';
import { mapRoster } from '../../src/shared/world-map.ts';
import { createWorld, type Query, type World } from '../../src/sim-worker/index.ts';
import { scaled } from '../scaled.ts';
import { type Dice, underSeed } from './dice.ts';
import { outcome } from './outcome.ts';
import { components, type Name, NAMES, Refused, type Terms, WorldModel } from './world-model.ts';

const STEPS = scaled({ tiny: 20_000, normal: 100_000, full: 1_000_000 });
const EPISODE_STEPS = 1000;

/** Around the borders of a word of the bitsets, and too small to do anything. */
const CAPACITIES = [0, 1, 2, 7, 31, 32, 33, 64, 70, 97];

type Components = typeof components;
type Value = number | readonly number[];

/** Terms that every episode asks about, beside random ones. */
const TERMS: readonly Terms[] = [
  {},
  { all: ['pos'] },
  { all: ['frozen'] },
  { all: ['rare'] },
  { none: ['pos'] },
  { any: ['frozen', 'rare', 'level'] },
  { all: ['pos', 'energy'], none: ['frozen'] },
  { all: ['pos'], any: ['poison', 'marked'], none: ['spun', 'level'] },
  { all: ['turn', 'pos'], any: ['turn', 'cell'] },
  { any: ['rare', 'poison'], none: ['marked'] },
];

/** Lists of a world's roster, which begins in its memory so far before the live list. */
interface Roster {
  readonly handles: Uint32Array;
  readonly stamps: Uint32Array;
}

function rosterOf(world: World<Components>): Roster {
  const shape = { capacity: world.capacity, components: world.stores } as unknown as Schema;
  const map = mapRoster(shape);
  const { stamps } = world;
  const begin = stamps.byteOffset - map.stamps;
  return {
    handles: new Uint32Array(stamps.buffer, begin + map.handles, world.capacity),
    stamps,
  };
}

/** Writes into the memory of a new world that `lives` of each slot have been used up. */
function age(world: World<Components>, lives: number, indexCount: number): void {
  const { handles } = rosterOf(world);
  for (let index = 0; index < world.capacity; index++) handles[index] = lives * indexCount + index;
}

/** A world and its model that live through the same. */
class Episode {
  readonly dice: Dice;
  readonly world: World<Components>;
  readonly model: WorldModel;
  readonly queries: Map<Terms, Query> = new Map();
  readonly handles: number[] = [0, 0xffffffff];
  readonly #stamps: Uint32Array;
  #stampsSeen: Uint32Array;

  constructor(dice: Dice) {
    this.dice = dice;
    const capacity = dice.pick(CAPACITIES);
    this.world = createWorld({ capacity, components, changes: true, churnPerFrame: 0 });
    const fresh = new WorldModel(capacity, 0);
    // The last lives of every slot, so that some are used up.
    const lives = dice.oneIn(3) ? fresh.generationMax - 1 - dice.below(30) : 0;
    this.model = new WorldModel(capacity, lives);
    age(this.world, lives, 2 ** 32 / (fresh.generationMax + 1));
    this.world.beginFrame();
    this.#stamps = rosterOf(this.world).stamps;
    this.#stampsSeen = this.#stamps.slice();
    const random = Array.from({ length: 6 }, () => this.#terms());
    for (const terms of [...TERMS, ...random]) this.queries.set(terms, this.world.query(terms));
  }

  /** Does something to both and compares what is returned or thrown. */
  step(): void {
    const { version } = this.world;
    const { changes } = this.model;
    this.#act();
    if (this.model.changes !== changes) expect(this.world.version).not.toBe(version);
  }

  #act(): unknown {
    const { dice, world, model } = this;
    const entity = this.#handle();
    const name = dice.pick(NAMES);
    switch (dice.below(24)) {
      case 0:
      case 1:
        return this.#spawn();
      case 2:
        return this.#same(world.despawn(entity), model.despawn(entity));
      case 3:
      case 4:
      case 5:
        return this.#add(entity, name);
      case 6:
      case 7:
        return this.#same(world.remove(entity, name), model.remove(entity, name));
      case 8:
        return this.#teleport(entity);
      case 9:
        return this.#read(entity, name);
      case 10:
        return dice.oneIn(20) ? this.#both('clear') : undefined;
      case 11:
        return this.#commandSpawn();
      case 12:
        return this.#same(world.commands.despawn(entity), model.commandDespawn(entity));
      case 13:
      case 14:
        return this.#commandAdd(entity, name);
      case 15:
      case 16:
        return this.#same(world.commands.remove(entity, name), model.commandRemove(entity, name));
      case 17:
        return this.#apply(() => world.commands.apply());
      case 18:
        return this.#beginTick();
      case 19:
        return this.#walk();
      default:
        return this.#ask();
    }
  }

  /** Compares everything. */
  compare(): void {
    const { world, model } = this;
    const live = model.live;
    same(world.live(), live);
    const { count, highWater, issued, retiredCount, staleCount } = world;
    expect({ count, highWater, issued, retiredCount, staleCount }).toEqual({
      count: live.length,
      highWater: (live.at(-1) ?? -1) + 1,
      issued: model.issued,
      retiredCount: model.retiredCount,
      staleCount: model.staleCount,
    });
    const isWorn = model.retiredCount > 0 && model.retiredCount * 100 >= model.capacity;
    expect(world.retirementWarningDue).toBe(isWorn);
    expect(world.guard.frameChurn).toBe(model.frameChurn);
    expect(world.commands.count).toBe(model.commands.length);
    const isAlive = model.slots.map(({ state }) => state === 'alive');
    same(
      model.slots.map((_, index) => world.entityAt(index)),
      isAlive.map((alive, index) => (alive ? model.handleAt(index) : 0)),
    );
    same([world.entityAt(-1), world.entityAt(model.capacity)], [0, 0]);
    for (const name of NAMES) this.#compareComponent(name);
    for (const [terms, query] of this.queries) this.#compareQuery(terms, query);
    same(
      [...this.#stamps.keys()].filter((slot) => this.#stamps[slot] !== this.#stampsSeen[slot]),
      [...model.snapped].sort((a, b) => a - b),
    );
    this.#stampsSeen = this.#stamps.slice();
    model.snapped.clear();
  }

  #compareComponent(name: Name): void {
    const { world, model } = this;
    const having = model.having(name);
    const { width } = components[name];
    const column = world.columns[name];
    const rows = 'rows' in components[name] ? world.sparse(name) : undefined;
    if (rows !== undefined) same(rows.slots.subarray(0, rows.count), having);
    const held = having.flatMap((index, k) => {
      const at = width * (rows === undefined ? index : k);
      return [...column.subarray(at, at + width)];
    });
    same(
      held,
      having.flatMap((index) => model.numbersOf(index, name)),
    );
    same(
      model.live.filter((index) => world.has(world.entityAt(index), name)),
      having,
    );
  }

  #compareQuery(terms: Terms, query: Query): void {
    const matching = this.model.matching(terms);
    expect(query.refresh()).toBe(matching.length);
    same(query.indices.subarray(0, query.count), matching);
    same(runsOf(query), matching);
    const { entered, exited } = this.model.changed(terms);
    expect(query.refreshChanges()).toBe(entered.length + exited.length);
    same(query.entered.subarray(0, query.enteredCount), entered);
    same(query.exited.subarray(0, query.exitedCount), exited);
    const slots = [-1, ...this.model.slots.keys(), this.model.capacity];
    same(
      slots.filter((index) => query.matches(index)),
      matching,
    );
  }

  #ask(): void {
    const [terms, query] = this.dice.pick([...this.queries]);
    const matching = this.model.matching(terms);
    const index = this.dice.below(this.model.capacity + 1);
    switch (this.dice.below(4)) {
      case 0:
        return expect(query.refresh()).toBe(matching.length);
      case 1:
        return same(runsOf(query), matching);
      case 2:
        return expect(query.matches(index)).toBe(matching.includes(index));
      default: {
        const { entered, exited } = this.model.changed(terms);
        expect(query.refreshChanges()).toBe(entered.length + exited.length);
      }
    }
  }

  /** Walks a query and tries in one visit what would change the walk. */
  #walk(): void {
    const { dice, world, model } = this;
    const [terms, query] = dice.pick([...this.queries]);
    const matching = model.matching(terms);
    const visited: number[] = [];
    let turn = dice.below(1 + matching.length);
    model.walking = true;
    query.each((index, entity) => {
      expect(entity).toBe(model.handleAt(index));
      visited.push(index);
      if (turn-- === 0) this.#meddle(query);
    });
    model.walking = false;
    expect(visited).toEqual(matching);
    expect(world.commands.count).toBe(model.commands.length);
  }

  #meddle(query: Query): unknown {
    const { dice, world, model } = this;
    const entity = this.#handle();
    const name = dice.pick(NAMES);
    const value = this.#value(name);
    switch (dice.below(8)) {
      case 0:
        return this.#try(
          () => world.despawn(entity),
          () => model.despawn(entity),
        );
      case 1:
        return this.#try(
          () => world.add(entity, name, value),
          () => model.add(entity, name, value),
        );
      case 2:
        return this.#try(
          () => world.remove(entity, name),
          () => model.remove(entity, name),
        );
      case 3:
        return this.#both('clear');
      case 4:
        return this.#teleport(entity);
      case 5:
        return this.#apply(() => world.commands.apply());
      case 6:
        return this.#commandAdd(entity, name);
      default:
        this.#spawn();
        return query.refresh();
    }
  }

  #spawn(): void {
    const values = this.#values();
    const handle = this.#try(
      () => this.world.spawn(values),
      () => this.model.spawn(values),
    );
    if (typeof handle === 'number') this.handles.push(handle);
  }

  #commandSpawn(): void {
    const values = this.#values();
    const handle = this.#try(
      () => this.world.commands.spawn(values),
      () => this.model.commandSpawn(values),
    );
    if (typeof handle === 'number') this.handles.push(handle);
  }

  #add(entity: Entity, name: Name): void {
    const value = this.#value(name);
    this.#try(
      () => this.world.add(entity, name, value),
      () => this.model.add(entity, name, value),
    );
  }

  #commandAdd(entity: Entity, name: Name): void {
    const value = this.#value(name);
    this.#same(
      this.world.commands.add(entity, name, value),
      this.model.commandAdd(entity, name, value),
    );
  }

  #teleport(entity: Entity): void {
    const values = this.#values();
    this.#try(
      () => this.world.teleport(entity, values),
      () => this.model.teleport(entity, values),
    );
  }

  #read(entity: Entity, name: Name): void {
    const { world, model } = this;
    const out: number[] = [];
    const found = world.get(entity, name, out);
    this.#same(found && out, model.get(entity, name));
    expect(found || out.length === 0).toBe(true);
    this.#same(world.has(entity, name), model.has(entity, name));
    this.#same(world.isAlive(entity), model.indexOf(entity) >= 0);
    this.#same(world.indexOf(entity), model.indexOf(entity));
    this.#same(world.check(entity), model.check(entity));
  }

  /** A command that throws is lost, those behind it are not: both go on until all have applied. */
  #apply(apply: () => void): void {
    const { world, model } = this;
    for (;;) {
      const code = this.#try(apply, () => model.apply());
      expect(world.commands.count).toBe(model.commands.length);
      if (code !== 'CAPACITY_EXHAUSTED') return;
    }
  }

  #beginTick(): void {
    this.#apply(() => this.world.commands.apply());
    this.#same(this.world.beginTick(), this.model.beginTick());
    if (this.dice.oneIn(4)) {
      this.world.beginFrame();
      this.model.frameChurn = 0;
    }
  }

  #both(verb: 'clear'): unknown {
    return this.#try(
      () => this.world[verb](),
      () => this.model[verb](),
    );
  }

  #try(real: () => unknown, told: () => unknown): unknown {
    const got = outcome(real);
    let wanted: unknown;
    try {
      wanted = told();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      wanted = error.code;
    }
    this.#same(got, wanted);
    return got;
  }

  #same(got: unknown, wanted: unknown): void {
    if (got !== wanted) expect(got).toEqual(wanted);
  }

  /** A handle: mostly of the living, or one issued at some time, or of nobody here. */
  #handle(): Entity {
    const { dice, model, handles } = this;
    const live = model.live;
    if (live.length > 0 && !dice.oneIn(4)) return model.handleAt(dice.pick(live)) as Entity;
    return (dice.oneIn(10) ? dice.word() : dice.pick(handles.slice(-50))) as Entity;
  }

  #value(name: Name): Value {
    const { dice } = this;
    const numbers = Array.from(
      { length: components[name].width },
      () => (dice.below(2001) - 1000) / (dice.oneIn(2) ? 1 : 8),
    );
    return dice.oneIn(3) ? dice.below(300) : numbers;
  }

  #values(): Partial<Record<Name, Value>> {
    const names = this.dice.shuffled(this.dice.some(this.dice.some(NAMES)));
    return Object.fromEntries(names.map((name) => [name, this.#value(name)]));
  }

  #terms(): Terms {
    const { dice } = this;
    const few = (): Name[] => dice.some(dice.some(dice.shuffled(NAMES)));
    return { all: few().slice(0, 2), any: dice.oneIn(2) ? few() : [], none: few().slice(0, 2) };
  }
}

/** Compares two lists of numbers without the cost of `expect` while they are equal. */
function same(got: ArrayLike<number>, wanted: readonly number[]): void {
  const isSame = wanted.every((number, at) => number === got[at]);
  if (!isSame || got.length !== wanted.length) expect(Array.from(got)).toEqual(wanted);
}

/** Slot indices of the runs of a query; each run is as long as can be. */
function runsOf(query: Query): number[] {
  const count = query.refreshRuns();
  const out: number[] = [];
  for (let r = 0; r < count; r++) {
    const begin = query.begins[r] as number;
    const end = query.ends[r] as number;
    const least = r === 0 ? 0 : (query.ends[r - 1] as number) + 1;
    if (begin < least || end <= begin) throw new Error(`run ${r} is ${begin} to ${end}`);
    for (let index = begin; index < end; index++) out.push(index);
  }
  return out;
}

test('a world does what a plain model of it does, whatever is asked of it in any order', () => {
  underSeed((dice) => {
    for (let steps = 0; steps < STEPS; steps += EPISODE_STEPS) {
      const episode = new Episode(dice);
      for (let step = 1; step <= EPISODE_STEPS; step++) {
        episode.step();
        if (step % 25 === 0) episode.compare();
      }
    }
  });
});

test('a slot lives 4095 times in a world of 2^20, then it is retired and not issued again', () => {
  const world = createWorld({ capacity: 2 ** 20, components: { mark: { ...components.frozen } } });
  const seen = new Set<number>();
  for (let life = 1; life <= 4095; life++) {
    const entity = world.spawn({ mark: 1 });
    expect(world.indexOf(entity)).toBe(0);
    seen.add(entity);
    world.despawn(entity);
    expect(world.isAlive(entity)).toBe(false);
  }
  expect(seen.size).toBe(4095);
  expect(seen.has(0)).toBe(false);
  expect(world.retiredCount).toBe(1);
  const next = world.spawn({ mark: 1 });
  expect(world.indexOf(next)).toBe(1);
  expect([...seen].filter((entity) => world.isAlive(entity as Entity))).toEqual([]);
});

test('a world whose slots are all retired is full, and says how many are', () => {
  const world = createWorld({ capacity: 3, components });
  const lives = new WorldModel(3, 0).generationMax - 1;
  age(world, lives, 4);
  for (let slot = 0; slot < 3; slot++) {
    expect(world.retirementWarningDue).toBe(slot > 0);
    const entity = world.spawn();
    expect(world.indexOf(entity)).toBe(slot);
    world.despawn(entity);
  }
  expect(world.count).toBe(0);
  expect(outcome(() => world.spawn())).toBe('CAPACITY_EXHAUSTED');
  expect(() => world.spawn()).toThrow(/3 slots retired/);
});

import { expect, test } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import { scaled } from '../scaled.ts';
import { type Dice, underSeed } from './dice.ts';
import {
  GLOBALS,
  type HashedWorld,
  type Name,
  NAMES,
  numbersFor,
  openHashed,
  readState,
} from './hashed-world.ts';

const HISTORIES = scaled({ tiny: 100, normal: 300, full: 5000 });
const SLOTS = 40;

/** What a slot is to hold in the end: its entity's lives so far, and its components. */
interface Goal {
  readonly lives: number;
  /** Undefined: no entity, and any number of lives. */
  readonly values: ReadonlyMap<Name, readonly number[]> | undefined;
}

function goals(dice: Dice): Goal[] {
  return Array.from({ length: SLOTS }, () => {
    const values = new Map(dice.some(NAMES).map((name) => [name, valueFor(name, dice)]));
    return { lives: 1 + dice.below(4), values: dice.oneIn(4) ? undefined : values };
  });
}

function valueFor(name: Name, dice: Dice): number[] {
  return numbersFor(name, (end) => dice.below(end));
}

/** One way of many to the goals. */
class History {
  readonly opened: HashedWorld = openHashed();
  readonly #dice: Dice;
  readonly #goals: readonly Goal[];

  constructor(dice: Dice, wanted: readonly Goal[]) {
    this.#dice = dice;
    this.#goals = wanted;
  }

  go(): void {
    const { world } = this.opened;
    const extra = this.#dice.below(30);
    for (let i = 0; i < SLOTS + extra; i++) this.#spawn();
    world.commands.apply();
    this.#liveOut();
    const doomed = [...world.live()].filter((slot) => this.#goals[slot]?.values === undefined);
    for (const slot of this.#dice.shuffled(doomed)) this.#despawn(slot);
    world.commands.apply();
    this.#furnish();
    const draws = world.generators.flatMap((random, id) =>
      Array.from({ length: id + 1 }, () => () => void random.nextU32()),
    );
    for (const act of this.#dice.shuffled([() => this.#setGlobals(), ...draws])) act();
    for (let ticks = this.#dice.below(3); ticks > 0; ticks--) world.beginTick();
  }

  /** Has every slot lived as often as it is to: the lowest free slot is always one of those. */
  #liveOut(): void {
    const { world } = this.opened;
    const left = this.#goals.map(({ lives }) => lives - 1);
    for (;;) {
      const slots = left.flatMap((lives, slot) => (lives > 0 ? [slot] : []));
      if (slots.length === 0) return;
      const batch = slots.filter(() => this.#dice.oneIn(2));
      for (const slot of this.#dice.shuffled(batch)) {
        this.#despawn(slot);
        (left[slot] as number)--;
      }
      world.commands.apply();
      for (let i = 0; i < batch.length; i++) this.#spawn();
      world.commands.apply();
      this.#litter();
    }
  }

  /** Leaves every entity with the components of its goal and their values. */
  #furnish(): void {
    const { world } = this.opened;
    const acts: (() => void)[] = [];
    for (const slot of world.live()) {
      const entity = world.entityAt(slot);
      const values = (this.#goals[slot] as Goal).values as ReadonlyMap<Name, readonly number[]>;
      for (const name of NAMES) {
        const value = values.get(name);
        acts.push(() => (value ? this.#give(entity, name, value) : this.#take(entity, name)));
      }
    }
    for (const act of this.#dice.shuffled(acts)) {
      act();
      if (this.#dice.oneIn(10)) world.commands.apply();
      if (this.#dice.oneIn(50)) world.query({ all: [this.#dice.pick(NAMES)] }).refresh();
    }
    world.commands.apply();
  }

  #give(entity: Entity, name: Name, value: readonly number[]): void {
    const { world } = this.opened;
    const dice = this.#dice;
    if (dice.oneIn(3)) world.add(entity, name, valueFor(name, dice));
    if (dice.oneIn(3)) world.remove(entity, name);
    if (dice.oneIn(3)) world.teleport(entity, { [name]: value });
    else if (dice.oneIn(2)) world.add(entity, name, value);
    else world.commands.add(entity, name, value);
  }

  #take(entity: Entity, name: Name): void {
    const { world } = this.opened;
    if (this.#dice.oneIn(3)) world.add(entity, name, valueFor(name, this.#dice));
    if (this.#dice.oneIn(2)) world.remove(entity, name);
    else world.commands.remove(entity, name);
  }

  #spawn(): void {
    const { world } = this.opened;
    const dice = this.#dice;
    const names = dice.shuffled(dice.some(NAMES));
    const values = Object.fromEntries(names.map((name) => [name, valueFor(name, dice)]));
    if (dice.oneIn(2)) world.spawn(values);
    else world.commands.spawn(values);
  }

  #despawn(slot: number): void {
    const { world } = this.opened;
    const entity = world.entityAt(slot);
    if (this.#dice.oneIn(2)) world.despawn(entity);
    else world.commands.despawn(entity);
  }

  #litter(): void {
    const { world } = this.opened;
    for (const slot of this.#dice.some([...world.live()])) {
      const name = this.#dice.pick(NAMES);
      this.#take(world.entityAt(slot), name);
    }
    world.commands.apply();
  }

  #setGlobals(): void {
    const { globals } = this.opened.world;
    for (const type of this.#dice.shuffled(GLOBALS)) globals[type] = this.#dice.below(100);
    for (const type of this.#dice.shuffled(GLOBALS)) globals[type] = GLOBALS.indexOf(type) + 1;
  }
}

test('histories that lead to the same state give the same order, columns and hash', () => {
  underSeed((dice) => {
    const wanted = goals(dice);
    const states = new Map<string, unknown>();
    for (let k = 0; k < HISTORIES; k++) {
      const history = new History(dice, wanted);
      history.go();
      const state = readState(history.opened);
      const hash = history.opened.hash();
      const [first] = states.values();
      if (first === undefined) expect(hash).toMatch(/^[0-9a-f]{16}$/);
      else expect(state).toEqual(first);
      states.set(hash, state);
    }
    expect([...states.keys()]).toHaveLength(1);
  });
});

test('the state that those histories lead to is the one that was wanted', () => {
  underSeed((dice) => {
    const wanted = goals(dice);
    const history = new History(dice, wanted);
    history.go();
    const { world } = history.opened;
    const isWanted = (goal: Goal): boolean => goal.values !== undefined;
    const slots = wanted.flatMap((goal, slot) => (isWanted(goal) ? [slot] : []));
    expect([...world.live()]).toEqual(slots);
    for (const slot of slots) {
      const { lives, values } = wanted[slot] as Goal;
      expect(world.entityAt(slot)).toBe(lives * 128 + slot);
      for (const name of NAMES) {
        expect(world.has(world.entityAt(slot), name)).toBe(values?.has(name));
      }
    }
  });
});

test('other goals give another hash', () => {
  underSeed((dice) => {
    const hashes = Array.from({ length: 50 }, () => {
      const history = new History(dice, goals(dice));
      history.go();
      return history.opened.hash();
    });
    expect(new Set(hashes).size).toBe(50);
  });
});

import type { Entity } from '../../src/shared/entity.ts';
import { Dice } from '../sim-worker/dice.ts';
import {
  type BulkContext,
  type BulkScript,
  type ComponentName,
  COMPONENTS,
  PUBLISHED,
  widthOf,
} from './bulk-stage.ts';

/** An entity as the model knows it. */
export interface Being {
  readonly entity: Entity;
  readonly parts: ReadonlySet<ComponentName>;
  readonly isVisible: boolean;
  readonly isBlended: boolean;
  /** Where it stands, give or take 1, until it is teleported. */
  readonly home: number;
}

/** What a tick does, drawn from a seed. */
interface Act {
  readonly spawns: number;
  readonly verbs: number;
  /** Whether those that are spawned have all that readers get: the fast ways are taken then. */
  readonly complete: boolean;
}

/**
 * Plays a random program of spawns, ends, components given and taken, teleports, opt-outs and
 * hidings on a world, and keeps beside it who there was at each tick, slot by slot.
 */
export class BulkModel {
  /** Who there was at the end of each tick. */
  readonly history: ReadonlyMap<Entity, Being>[] = [];
  readonly #beings: Map<Entity, Being> = new Map();
  readonly #dice: Dice;
  readonly #capacity: number;
  readonly #act: Act;

  constructor(seed: number, capacity: number, act: Act) {
    this.#dice = new Dice(seed);
    this.#capacity = capacity;
    this.#act = act;
  }

  readonly script: BulkScript = (context) => {
    const { tick } = context;
    const spawns = tick === 0 ? this.#dice.below(this.#capacity + 1) : this.#act.spawns;
    for (let i = 0; i < spawns; i++) this.#spawn(context);
    for (let i = 0; i < this.#act.verbs; i++) this.#doOne(context);
    this.#write(context);
    this.history.push(new Map(this.#beings));
  };

  #spawn({ world }: BulkContext): void {
    if (this.#beings.size >= this.#capacity) return;
    const parts = new Set<ComponentName>();
    const lacks = this.#act.complete ? 0 : this.#dice.pick([0, 0, 2, 5]);
    for (const name of COMPONENTS) if (!(lacks > 0 && this.#dice.oneIn(lacks))) parts.add(name);
    if (world.count >= 40) parts.delete('rare');
    if (this.#dice.oneIn(2)) parts.delete('asleep');
    const entity = world.spawn(Object.fromEntries([...parts].map((name) => [name, 1])));
    const home = this.#dice.below(2000) - 1000;
    this.#beings.set(entity, { entity, parts, isVisible: true, isBlended: true, home });
  }

  #doOne({ world }: BulkContext): void {
    const all = [...this.#beings.values()];
    if (all.length === 0) return;
    const being = this.#dice.pick(all);
    const { entity, parts } = being;
    const change = (changes: Partial<Being>): void => {
      this.#beings.set(entity, { ...being, ...changes });
    };
    const home = this.#dice.below(2000) - 1000;
    switch (this.#dice.below(7)) {
      case 0:
        world.despawn(entity);
        this.#beings.delete(entity);
        break;
      case 1:
        world.teleport(entity, { place: [home, home] });
        change({ home, parts: new Set([...parts, 'place']) });
        break;
      case 2:
        world.setVisible(entity, !being.isVisible);
        change({ isVisible: !being.isVisible });
        break;
      case 3:
        world.setBlended(entity, !being.isBlended);
        change({ isBlended: !being.isBlended });
        break;
      case 4: {
        // Taken away and given back: what it was before says nothing about it.
        const name = this.#dice.pick(PUBLISHED);
        world.remove(entity, name);
        world.add(entity, name, 1);
        change({ home, parts: new Set([...parts, name]) });
        break;
      }
      case 5: {
        const name = this.#dice.pick(COMPONENTS);
        world.remove(entity, name);
        change({ parts: new Set([...parts].filter((part) => part !== name)) });
        break;
      }
      default: {
        const name = this.#dice.pick(COMPONENTS);
        if (parts.has(name) || name === 'rare') break;
        world.add(entity, name, 1);
        // What readers do not get changes nothing that they see.
        const isSeen = (PUBLISHED as readonly string[]).includes(name);
        change({ home: isSeen ? home : being.home, parts: new Set([...parts, name]) });
      }
    }
  }

  /** Gives every number of every slot a new value; those at rest in a slot nobody has, too. */
  #write({ columns }: BulkContext): void {
    for (const name of PUBLISHED) {
      const column = columns[name];
      for (let i = 0; i < column.length; i++) column[i] = this.#dice.below(20_000) / 10 - 1000;
    }
    for (const name of ['turn', 'twist', 'bones'] as const) normalise(columns[name]);
    for (const { entity, home } of this.#beings.values()) {
      const slot = slotOf(entity, this.#capacity);
      for (const name of ['place', 'spot'] as const) {
        const width = widthOf(name);
        for (let i = 0; i < width; i++) {
          columns[name][slot * width + i] = home + this.#dice.below(1000) / 1000;
        }
      }
      columns.reach[slot] = this.#dice.below(400);
      columns.heading[slot] = this.#dice.below(3600) / 10;
    }
  }
}

/** Returns the slot index of a handle. */
export function slotOf(entity: Entity, capacity: number): number {
  const bits = capacity <= 2 ? 1 : 32 - Math.clz32(capacity - 1);
  return entity & (2 ** bits - 1);
}

function normalise(column: { [index: number]: number; readonly length: number }): void {
  for (let i = 0; i < column.length; i += 4) {
    let squares = 0;
    for (let k = 0; k < 4; k++) squares += (column[i + k] as number) ** 2;
    for (let k = 0; k < 4; k++) {
      column[i + k] = squares === 0 ? Number(k === 3) : (column[i + k] as number) / squares ** 0.5;
    }
  }
}

import { type Entity, NO_ENTITY } from '../../src/shared/entity.ts';
import {
  angle,
  defineSimulation,
  list,
  position2d,
  position3d,
  quaternion,
  reference,
  scalar,
  step,
  type TypesOf,
  vec2,
  vec3,
  type World,
} from '../../src/sim-worker/index.ts';
import { Dice } from '../sim-worker/dice.ts';

const components = {
  parent: reference(),
  position: position3d(),
  orientation: quaternion(),
  scale: vec3(),
  flat: position2d(),
  heading: angle(360),
  size: scalar(),
  stretch: vec2(),
  count: step('u32', 2),
  bones: list(vec3(), 1),
};

type Names = keyof typeof components;

export type TreeWorld = World<typeof components>;

export type Script = (world: TreeWorld, tick: number) => void;

const NAMES = Object.keys(components) as Names[];

/** Defines a simulation of entities that may hang on each other; tick 0 is the setup. */
export function define(script: Script, capacity = 64) {
  return defineSimulation({
    name: 'trees',
    tickRateHz: 60,
    capacity,
    components,
    publish: NAMES,
    churnPerFrame: 0,
    setup: ({ world }) => script(world, 0),
    systems: [{ name: 'script', writes: NAMES, run: ({ world, tick }) => script(world, tick) }],
  });
}

export type TreeTypes = TypesOf<ReturnType<typeof define>>;

/** What one entity is in one tick. */
interface Node {
  readonly parent: number;
  readonly position: readonly number[] | undefined;
  readonly orientation: readonly number[];
  readonly scale: readonly number[];
}

/** All living entities by handle. */
export type Nodes = Map<number, Node>;

function read(world: TreeWorld): Nodes {
  const nodes: Nodes = new Map();
  for (const slot of world.live()) {
    const entity = world.entityAt(slot);
    const get = (name: Names, width: number): number[] | undefined => {
      const out = Array.from({ length: width }, () => Number.NaN);
      return world.get(entity, name, out) ? out : undefined;
    };
    nodes.set(entity, {
      parent: get('parent', 1)?.[0] ?? 0,
      position: get('position', 3),
      orientation: get('orientation', 4) ?? [0, 0, 0, 1],
      scale: get('scale', 3) ?? [1, 1, 1],
    });
  }
  return nodes;
}

/** Changes a forest in every way that there is. */
export class RandomForest {
  readonly dice: Dice;
  readonly history: Nodes[] = [];
  readonly all: Entity[] = [];

  constructor(seed: number) {
    this.dice = new Dice(seed);
  }

  tick(world: TreeWorld): void {
    const { dice, all } = this;
    for (let n = dice.below(6); n > 0; n--) this.#change(world);
    for (const entity of all) if (world.isAlive(entity)) this.#move(world, entity);
    this.history.push(read(world));
  }

  #number(): number {
    return dice(this.dice) * 4 - 2;
  }

  #turn(): number[] {
    const q = [0, 0, 0, 0].map(() => dice(this.dice) * 2 - 1 + 1e-3);
    return q.map((x) => x / Math.hypot(...q));
  }

  #anybody(): Entity {
    return this.all.length === 0 || this.dice.oneIn(5) ? NO_ENTITY : this.dice.pick(this.all);
  }

  #change(world: TreeWorld): void {
    const { dice, all } = this;
    const who = dice.oneIn(4) ? NO_ENTITY : this.#anybody();
    if (who === NO_ENTITY || !world.isAlive(who)) {
      if (world.live().length >= 40) return;
      const position = [this.#number(), this.#number(), this.#number()];
      const entity = world.spawn({ position, parent: this.#anybody() });
      all.push(entity);
      if (dice.oneIn(2)) world.add(entity, 'orientation', this.#turn());
      if (dice.oneIn(3)) world.add(entity, 'scale', [0.5, 1.5, -1]);
      return;
    }
    const kind = dice.below(9);
    if (kind === 0) world.despawn(who);
    else if (kind === 1) world.setVisible(who, dice.oneIn(2));
    else if (kind === 2) world.setBlended(who, dice.oneIn(2));
    else if (kind === 3) world.teleport(who, { position: [9, 9, 9] });
    else if (kind === 4 && world.has(who, 'parent')) world.remove(who, 'parent');
    else if (kind === 4) world.add(who, 'parent', this.#anybody());
    else if (kind === 5 && world.has(who, 'position')) world.remove(who, 'position');
    else if (kind === 5) world.add(who, 'position', [1, 2, 3]);
    else if (world.has(who, 'parent')) this.#set(world, who, 'parent', [this.#anybody()]);
  }

  #move(world: TreeWorld, who: Entity): void {
    if (world.has(who, 'position')) {
      this.#set(world, who, 'position', [this.#number(), this.#number(), this.#number()]);
    }
    if (world.has(who, 'orientation')) this.#set(world, who, 'orientation', this.#turn());
  }

  #set(world: TreeWorld, who: Entity, name: Names, values: readonly number[]): void {
    const at = world.indexOf(who) * values.length;
    for (const [i, x] of values.entries()) world.columns[name][at + i] = x;
  }
}

/** Draws a number from 0 to 1. */
function dice(from: Dice): number {
  return from.word() / 2 ** 32;
}

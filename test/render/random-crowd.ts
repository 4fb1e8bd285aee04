import type { Entity } from '../../src/shared/entity.ts';
import {
  angle,
  defineSimulation,
  list,
  position3d,
  quaternion,
  reference,
  scalar,
  type TypesOf,
  vec3,
  type World,
} from '../../src/sim-worker/index.ts';
import { Dice } from '../sim-worker/dice.ts';
import { matrixOf, mix, slerp, times } from './matrix-model.ts';

export const BONES = 5;

const components = {
  position: position3d(),
  orientation: quaternion(),
  heading: angle(),
  size: scalar(),
  parent: reference(),
  boneRotation: list(quaternion(), BONES),
  bonePosition: list(vec3(), BONES),
  straight: list(quaternion('nlerp'), BONES),
};

type Names = keyof typeof components;

const NAMES = Object.keys(components) as Names[];

type BoneWorld = World<typeof components>;

type Script = (world: BoneWorld, tick: number) => void;

/** Defines a simulation of entities with bones; tick 0 is the setup. */
export function define(script: Script) {
  return defineSimulation({
    name: 'bones',
    tickRateHz: 60,
    capacity: 16,
    components,
    publish: NAMES,
    setup: ({ world }) => script(world, 0),
    systems: [{ name: 'script', writes: NAMES, run: ({ world, tick }) => script(world, tick) }],
  });
}

export type BoneTypes = TypesOf<ReturnType<typeof define>>;

/** A chain of three with a side branch, and a bone of its own; children before their parents. */
export const PARENTS = [2, 0, -1, 2, -1];
export const REST = [0, 1, 0, 0, 2, 0, 0.5, 0, 0, 0, 0, 1.5, 3, 0, 0];
export const TREE = { parents: PARENTS, rest: REST, rotations: 'boneRotation' } as const;
export const ROOT = { position: 'position', orientation: 'orientation', scale: 'size' } as const;

/** What one entity is in one tick. */
export interface Pose {
  readonly position: readonly number[];
  readonly orientation: readonly number[];
  readonly size: number;
  readonly rotations: readonly (readonly number[])[];
  readonly places: readonly (readonly number[])[] | undefined;
}

/** Some entities whose bones and roots turn at random; every other one has places of its own. */
export class RandomCrowd {
  readonly who: Entity[] = [];
  readonly history: Map<Entity, Pose>[] = [];
  readonly #dice: Dice;

  constructor(seed: number) {
    this.#dice = new Dice(seed);
  }

  tick(world: BoneWorld, tick: number): void {
    if (tick === 0) this.#populate(world);
    const { columns } = world;
    const poses = new Map<Entity, Pose>();
    for (const [i, entity] of this.who.entries()) {
      const at = world.indexOf(entity);
      for (let bone = 0; bone < BONES; bone++) {
        columns.boneRotation.set(this.#turn(), (at * BONES + bone) * 4);
        columns.bonePosition.set(this.#place(), (at * BONES + bone) * 3);
      }
      columns.position.set(this.#place(), at * 3);
      columns.orientation.set(this.#turn(), at * 4);
      columns.size[at] = 0.5 + this.#number();
      poses.set(entity, {
        position: [...columns.position.subarray(3 * at, 3 * at + 3)],
        orientation: [...columns.orientation.subarray(4 * at, 4 * at + 4)],
        size: columns.size[at],
        rotations: rows(columns.boneRotation, at, 4),
        places: i % 2 === 0 ? rows(columns.bonePosition, at, 3) : undefined,
      });
    }
    this.history.push(poses);
  }

  #populate(world: BoneWorld): void {
    for (let i = 0; i < 6; i++) {
      // One without bones before each, so that rows are not slots' own.
      world.spawn({ position: 0 });
      const entity = world.spawn({ position: 0, orientation: 0, size: 1, boneRotation: 0 });
      if (i % 2 === 0) world.add(entity, 'bonePosition');
      this.who.push(entity);
    }
  }

  #number(): number {
    return this.#dice.word() / 2 ** 32;
  }

  #place(): number[] {
    return [0, 0, 0].map(() => this.#number() * 2 - 1);
  }

  #turn(): number[] {
    const q = [0, 0, 0, 0].map(() => this.#number() * 2 - 1 + 1e-3);
    return q.map((x) => x / Math.hypot(...q));
  }
}

function rows(column: Float32Array, at: number, width: number): number[][] {
  return Array.from({ length: BONES }, (_, bone) => {
    const from = (at * BONES + bone) * width;
    return [...column.subarray(from, from + width)];
  });
}

/** The matrix of a bone, by the definition, in doubles. */
export function expectedBone(before: Pose, now: Pose, alpha: number, bone: number): number[] {
  const places = (pose: Pose): readonly number[] =>
    pose.places?.[bone] ?? REST.slice(3 * bone, 3 * bone + 3);
  const local = matrixOf(
    mix(places(before), places(now), alpha),
    slerp(before.rotations[bone] ?? [], now.rotations[bone] ?? [], alpha),
  );
  const parent = PARENTS[bone] as number;
  return parent < 0 ? local : times(expectedBone(before, now, alpha, parent), local);
}

export function expectedRoot(before: Pose, now: Pose, alpha: number): number[] {
  const size = mix([before.size], [now.size], alpha)[0] as number;
  return matrixOf(
    mix(before.position, now.position, alpha),
    slerp(before.orientation, now.orientation, alpha),
    [size, size, size],
  );
}

import type { Entity } from '../../src/shared/entity.ts';
import { hashRoomBytes } from '../../src/shared/kernels/hash-blocks.ts';
import type { SubsystemLog } from '../../src/shared/log.ts';
import { createMemory, isKernelMemory } from '../../src/shared/region.ts';
import type { ScalarType, Schema } from '../../src/shared/schema.ts';
import {
  mapRoster,
  placeWorld,
  type RosterMap,
  type WorldMap,
} from '../../src/shared/world-map.ts';
import { deriveComponents } from '../../src/sim-worker/component-schemas.ts';
import {
  fixed,
  quaternion,
  scalar,
  sparse,
  step,
  tag,
  vec2,
  vec3,
  World,
} from '../../src/sim-worker/index.ts';

/** Columns of every type and width, dense and sparse. */
export const components = {
  pos: vec2(),
  energy: scalar('f64'),
  frozen: tag(),
  level: step('u8'),
  cell: step('i32', 3),
  rare: sparse(vec3('f64'), 70),
  mask: step('u32'),
  ports: step('u16', 3),
  turn: quaternion(),
  cash: fixed(2),
  poison: sparse(step('u8'), 70),
  marked: tag(),
};

export type Name = keyof typeof components;
export const NAMES = Object.keys(components) as Name[];

/** Globals of every type. */
export const GLOBALS: readonly ScalarType[] = ['f32', 'f64', 'i32', 'u32', 'u16', 'u8', 'fixed'];

export const SYSTEMS = 2;

/** A world whose memory a test can look into. */
export interface HashedWorld {
  readonly world: World<typeof components>;
  readonly map: WorldMap;
  readonly roster: RosterMap;
  readonly bytes: Uint8Array;
  /** The hash after tick 5. */
  readonly hash: () => string;
}

/** Opens a world that keeps what changes, with generators for two systems. */
export function openHashed(
  log?: SubsystemLog,
  path: 'javascript' | 'kernel' = 'javascript',
  capacity = 70,
): HashedWorld {
  const schema: Schema = {
    name: 'hashed',
    capacity,
    quantum: { numerator: 1, denominator: 60 },
    components: deriveComponents(components, []),
    globals: GLOBALS.map((type) => ({ name: type, type })),
    inputs: [],
    events: [],
    params: {},
    systems: Array.from({ length: SYSTEMS }, (_, id) => `system ${id}`),
    changes: true,
  };
  const map = placeWorld(schema, 0);
  const room = map.bytes;
  const memory =
    path === 'kernel' ? createMemory(room + hashRoomBytes(capacity), true) : new ArrayBuffer(room);
  const buffer = isKernelMemory(memory) ? memory.buffer : memory;
  const hashing = { memory, room };
  const world = new World<typeof components>(schema, buffer, map, { seed: [3, 7], log, hashing });
  return {
    world,
    map,
    roster: mapRoster(schema),
    bytes: new Uint8Array(buffer, 0, map.bytes),
    hash: () => world.stateHash.hex(5),
  };
}

/** Numbers for a component, none of them 0, exact in its type. */
export function numbersFor(name: Name, draw: (end: number) => number): number[] {
  const { width, scalar: type } = components[name];
  return Array.from({ length: width }, () => {
    const whole = 1 + draw(200);
    return type === 'f32' || type === 'f64' ? whole / 8 - 30 || 1 : whole;
  });
}

/** What is kept of the state by whoever reads it: who, in which order, with what. */
export function readState({ world }: HashedWorld): unknown {
  const live = [...world.live()];
  return {
    live,
    handles: live.map((index) => world.entityAt(index)),
    columns: NAMES.map((name) => {
      const query = world.query({ all: [name] });
      query.refresh();
      const order = [...query.indices.subarray(0, query.count)];
      const values = order.map((index) => {
        const out: number[] = [];
        world.get(world.entityAt(index) as Entity, name, out);
        return out;
      });
      return { name, order, values };
    }),
    rows: (['rare', 'poison'] as const).map((name) => {
      const { slots, count } = world.sparse(name);
      const used = count * components[name].width;
      return [[...slots.subarray(0, count)], [...world.columns[name].subarray(0, used)]];
    }),
    globals: { ...world.globals },
  };
}

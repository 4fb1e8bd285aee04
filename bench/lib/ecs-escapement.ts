import { createWorld, type Query, scalar, vec2 } from 'escapement/sim';
import type { Prepared, Start } from './ecs-workloads.ts';

/*
 * Escapement's own side: queries made once, and plain loops over the columns from run to run.
 */

function sum(query: Query, column: Float64Array): number {
  const count = query.refresh();
  let total = 0;
  for (let k = 0; k < count; k++) total += column[query.indices[k] as number] as number;
  return total;
}

function double(query: Query, column: Float64Array): void {
  const runs = query.refreshRuns();
  for (let r = 0; r < runs; r++) {
    const end = query.ends[r] as number;
    for (let i = query.begins[r] as number; i < end; i++) column[i] = (column[i] as number) * 2;
  }
}

function swap(query: Query, left: Float64Array, right: Float64Array): void {
  const runs = query.refreshRuns();
  for (let r = 0; r < runs; r++) {
    const end = query.ends[r] as number;
    for (let i = query.begins[r] as number; i < end; i++) {
      const kept = left[i] as number;
      left[i] = right[i] as number;
      right[i] = kept;
    }
  }
}

export function packed5(): Prepared {
  const number = scalar('f64');
  const components = { a: number, b: number, c: number, d: number, e: number };
  const world = createWorld({ capacity: 1000, components });
  for (let i = 0; i < 1000; i++) world.spawn({ a: i, b: i + 1, c: i + 2, d: i + 3, e: i + 4 });
  const { a, b, c, d, e } = world.columns;
  const withA = world.query({ all: ['a'] });
  const withB = world.query({ all: ['b'] });
  const withC = world.query({ all: ['c'] });
  const withD = world.query({ all: ['d'] });
  const withE = world.query({ all: ['e'] });
  return {
    step: () => {
      double(withA, a);
      double(withB, b);
      double(withC, c);
      double(withD, d);
      double(withE, e);
    },
    check: () => [sum(withA, a), sum(withB, b), sum(withC, c), sum(withD, d), sum(withE, e)],
  };
}

export function simpleIter(): Prepared {
  const number = scalar('f64');
  const components = { a: number, b: number, c: number, d: number, e: number };
  const world = createWorld({ capacity: 4000, components });
  for (let i = 0; i < 1000; i++) world.spawn({ a: 1, b: 2 });
  for (let i = 0; i < 1000; i++) world.spawn({ a: 1, b: 2, c: 3 });
  for (let i = 0; i < 1000; i++) world.spawn({ a: 1, b: 2, c: 3, d: 4 });
  for (let i = 0; i < 1000; i++) world.spawn({ a: 1, b: 2, c: 3, e: 5 });
  const { a, b, c, d, e } = world.columns;
  const withAB = world.query({ all: ['a', 'b'] });
  const withCD = world.query({ all: ['c', 'd'] });
  const withCE = world.query({ all: ['c', 'e'] });
  return {
    step: () => {
      swap(withAB, a, b);
      swap(withCD, c, d);
      swap(withCE, c, e);
    },
    check: () => {
      const names = ['a', 'b', 'c', 'd', 'e'] as const;
      return names.map((name) => sum(world.query({ all: [name] }), world.columns[name]));
    },
  };
}

export function fragIter(): Prepared {
  const number = scalar('f64');
  const letters = Object.fromEntries(Array.from('bcdefghijklmnopqrstuvwxy', (it) => [it, number]));
  const components = { a: number, ...letters, z: number, data: number };
  const world = createWorld({ capacity: 2600, components });
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    for (let i = 0; i < 100; i++) world.spawn({ [letter]: 1, data: 1 });
  }
  const { a, z, data } = world.columns;
  const withData = world.query({ all: ['data'] });
  const withZ = world.query({ all: ['z'] });
  return {
    step: () => {
      double(withData, data);
      double(withZ, z);
    },
    check: () => [sum(withData, data), sum(withZ, z), sum(world.query({ all: ['a'] }), a)],
  };
}

export function entityCycle(): Prepared {
  const components = { a: scalar('f64'), b: scalar('f64') };
  const world = createWorld({ capacity: 2000, components });
  for (let i = 0; i < 1000; i++) world.spawn({ a: i });
  const { a } = world.columns;
  const withA = world.query({ all: ['a'] });
  const withB = world.query({ all: ['b'] });
  let killed = 0;
  return {
    step: () => {
      const parents = withA.refresh();
      for (let k = 0; k < parents; k++) {
        world.spawn({ b: a[withA.indices[k] as number] as number });
      }
      const children = withB.refresh();
      killed += children;
      for (let k = 0; k < children; k++) {
        world.despawn(world.entityAt(withB.indices[k] as number));
      }
    },
    check: () => [withA.refresh(), killed],
  };
}

export function addRemove(): Prepared {
  const components = { a: scalar('f64'), b: scalar('f64') };
  const world = createWorld({ capacity: 1000, components });
  for (let i = 0; i < 1000; i++) world.spawn({ a: i });
  const withA = world.query({ all: ['a'] });
  const withB = world.query({ all: ['b'] });
  let removed = 0;
  return {
    step: () => {
      const bare = withA.refresh();
      for (let k = 0; k < bare; k++) {
        world.add(world.entityAt(withA.indices[k] as number), 'b', 0);
      }
      const full = withB.refresh();
      removed += full;
      for (let k = 0; k < full; k++) {
        world.remove(world.entityAt(withB.indices[k] as number), 'b');
      }
    },
    check: () => [withA.refresh(), removed],
  };
}

/** `vec2()` is of f32. */
export const storesSingles = true;

export function integrate(count: number, start: Start, dt: number): Prepared {
  const components = { position: vec2(), velocity: vec2() };
  const world = createWorld({ capacity: count, components });
  for (let i = 0; i < count; i++) {
    const [x, y, vx, vy] = start(i);
    world.spawn({ position: [x, y], velocity: [vx, vy] });
  }
  const { position, velocity } = world.columns;
  const moving = world.query({ all: ['position', 'velocity'] });
  return {
    step: () => {
      const runs = moving.refreshRuns();
      for (let r = 0; r < runs; r++) {
        move(position, velocity, moving.begins[r] as number, moving.ends[r] as number, dt);
      }
    },
    check: () => [everySecond(position, 0, count), everySecond(position, 1, count)],
  };
}

/**
 * Moves the entities of a run. Shifts instead of products and sums: they cannot overflow, so V8 has
 * nothing to check.
 */
function move(
  position: Float32Array,
  velocity: Float32Array,
  begin: number,
  end: number,
  dt: number,
): void {
  const last = end << 1;
  for (let x = begin << 1; x < last; x += 2) {
    const y = x | 1;
    let nextX = (position[x] as number) + (velocity[x] as number) * dt;
    if (nextX > 1) {
      nextX = 2 - nextX;
      velocity[x] = -(velocity[x] as number);
    } else if (nextX < -1) {
      nextX = -2 - nextX;
      velocity[x] = -(velocity[x] as number);
    }
    position[x] = nextX;
    let nextY = (position[y] as number) + (velocity[y] as number) * dt;
    if (nextY > 1) {
      nextY = 2 - nextY;
      velocity[y] = -(velocity[y] as number);
    } else if (nextY < -1) {
      nextY = -2 - nextY;
      velocity[y] = -(velocity[y] as number);
    }
    position[y] = nextY;
  }
}

function everySecond(column: Float32Array, first: number, count: number): number {
  let total = 0;
  for (let i = 0; i < count; i++) total += column[2 * i + first] as number;
  return total;
}

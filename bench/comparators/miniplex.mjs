import { World } from 'miniplex';

/*
 * Miniplex with plain objects and queries made once. Its documentation advises `for...of` over the
 * query itself, which stays right while entities leave it; where none leaves, its array is used,
 * since V8 goes through that several times faster.
 */

function sum(entities, key) {
  return entities.reduce((total, entity) => total + entity[key], 0);
}

export function packed5() {
  const world = new World();
  const entities = Array.from({ length: 1000 }, (_, i) =>
    world.add({ a: i, b: i + 1, c: i + 2, d: i + 3, e: i + 4 }),
  );
  const [withA, withB, withC, withD, withE] = Array.from('abcde', (key) => world.with(key));
  return {
    step() {
      for (const entity of withA.entities) entity.a *= 2;
      for (const entity of withB.entities) entity.b *= 2;
      for (const entity of withC.entities) entity.c *= 2;
      for (const entity of withD.entities) entity.d *= 2;
      for (const entity of withE.entities) entity.e *= 2;
    },
    check: () => Array.from('abcde', (key) => sum(entities, key)),
  };
}

export function simpleIter() {
  const world = new World();
  for (let i = 0; i < 1000; i++) world.add({ a: 1, b: 2 });
  for (let i = 0; i < 1000; i++) world.add({ a: 1, b: 2, c: 3 });
  for (let i = 0; i < 1000; i++) world.add({ a: 1, b: 2, c: 3, d: 4 });
  for (let i = 0; i < 1000; i++) world.add({ a: 1, b: 2, c: 3, e: 5 });
  const withAB = world.with('a', 'b');
  const withCD = world.with('c', 'd');
  const withCE = world.with('c', 'e');
  return {
    step() {
      for (const entity of withAB.entities) {
        const kept = entity.a;
        entity.a = entity.b;
        entity.b = kept;
      }
      for (const entity of withCD.entities) {
        const kept = entity.c;
        entity.c = entity.d;
        entity.d = kept;
      }
      for (const entity of withCE.entities) {
        const kept = entity.c;
        entity.c = entity.e;
        entity.e = kept;
      }
    },
    check: () => Array.from('abcde', (key) => sum(world.with(key).entities, key)),
  };
}

export function fragIter() {
  const world = new World();
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    for (let i = 0; i < 100; i++) world.add({ [letter]: 1, data: 1 });
  }
  const withData = world.with('data');
  const withZ = world.with('z');
  return {
    step() {
      for (const entity of withData.entities) entity.data *= 2;
      for (const entity of withZ.entities) entity.z *= 2;
    },
    check: () => ['data', 'z', 'a'].map((key) => sum(world.with(key).entities, key)),
  };
}

export function entityCycle() {
  const world = new World();
  for (let i = 0; i < 1000; i++) world.add({ a: i });
  const withA = world.with('a');
  const withB = world.with('b');
  let killed = 0;
  return {
    step() {
      for (const entity of withA.entities) world.add({ b: entity.a });
      killed += withB.size;
      for (const entity of withB) world.remove(entity);
    },
    check: () => [withA.size, killed],
  };
}

export function addRemove() {
  const world = new World();
  for (let i = 0; i < 1000; i++) world.add({ a: i });
  const withA = world.with('a');
  const withB = world.with('b');
  let removed = 0;
  return {
    step() {
      for (const entity of withA.entities) world.addComponent(entity, 'b', 0);
      removed += withB.size;
      for (const entity of withB) world.removeComponent(entity, 'b');
    },
    check: () => [withA.size, removed],
  };
}

export function integrate(count, start, dt) {
  const world = new World();
  const made = Array.from({ length: count }, (_, i) => {
    const [x, y, vx, vy] = start(i);
    return world.add({ position: { x, y }, velocity: { x: vx, y: vy } });
  });
  const moving = world.with('position', 'velocity');
  return {
    step() {
      for (const { position, velocity } of moving.entities) {
        let x = position.x + velocity.x * dt;
        let y = position.y + velocity.y * dt;
        if (x > 1) {
          x = 2 - x;
          velocity.x = -velocity.x;
        } else if (x < -1) {
          x = -2 - x;
          velocity.x = -velocity.x;
        }
        if (y > 1) {
          y = 2 - y;
          velocity.y = -velocity.y;
        } else if (y < -1) {
          y = -2 - y;
          velocity.y = -velocity.y;
        }
        position.x = x;
        position.y = y;
      }
    },
    check: () => [
      made.reduce((total, { position }) => total + position.x, 0),
      made.reduce((total, { position }) => total + position.y, 0),
    ],
  };
}

import { createQuery, createWorld, trait } from 'koota';

/*
 * Koota in the form its documentation names for performance-critical work: queries and handlers
 * made once, and the stores (structure of arrays) written directly by `useStores`.
 */

function sum(entities, component) {
  return entities.reduce((total, entity) => total + entity.get(component).value, 0);
}

function double([{ value }], entities) {
  for (let i = 0; i < entities.length; i++) value[entities[i].id()] *= 2;
}

function swap([{ value: left }, { value: right }], entities) {
  for (let i = 0; i < entities.length; i++) {
    const id = entities[i].id();
    const kept = left[id];
    left[id] = right[id];
    right[id] = kept;
  }
}

export function packed5() {
  const world = createWorld();
  const traits = Array.from({ length: 5 }, () => trait({ value: 0 }));
  const entities = Array.from({ length: 1000 }, (_, i) =>
    world.spawn(...traits.map((component, j) => component({ value: i + j }))),
  );
  const [withA, withB, withC, withD, withE] = traits.map((component) => createQuery(component));
  return {
    step() {
      world.query(withA).useStores(double);
      world.query(withB).useStores(double);
      world.query(withC).useStores(double);
      world.query(withD).useStores(double);
      world.query(withE).useStores(double);
    },
    check: () => traits.map((component) => sum(entities, component)),
  };
}

export function simpleIter() {
  const world = createWorld();
  const traits = Array.from({ length: 5 }, () => trait({ value: 0 }));
  const [A, B, C, D, E] = traits;
  const groups = [
    [A, B],
    [A, B, C],
    [A, B, C, D],
    [A, B, C, E],
  ];
  for (const group of groups) {
    for (let i = 0; i < 1000; i++) {
      world.spawn(...group.map((component) => component({ value: traits.indexOf(component) + 1 })));
    }
  }
  const withAB = createQuery(A, B);
  const withCD = createQuery(C, D);
  const withCE = createQuery(C, E);
  return {
    step() {
      world.query(withAB).useStores(swap);
      world.query(withCD).useStores(swap);
      world.query(withCE).useStores(swap);
    },
    check: () => traits.map((component) => sum(world.query(component), component)),
  };
}

export function fragIter() {
  const world = createWorld();
  const letters = Array.from({ length: 26 }, () => trait({ value: 0 }));
  const A = letters[0];
  const Z = letters[25];
  const Data = trait({ value: 0 });
  for (const letter of letters) {
    for (let i = 0; i < 100; i++) world.spawn(letter({ value: 1 }), Data({ value: 1 }));
  }
  // Each has a loop of its own: the store of Z begins with a hole, and V8 keeps it as a dictionary.
  const doubleData = ([{ value }], entities) => {
    for (let i = 0; i < entities.length; i++) value[entities[i].id()] *= 2;
  };
  const doubleZ = ([{ value }], entities) => {
    for (let i = 0; i < entities.length; i++) value[entities[i].id()] *= 2;
  };
  const withData = createQuery(Data);
  const withZ = createQuery(Z);
  return {
    step() {
      world.query(withData).useStores(doubleData);
      world.query(withZ).useStores(doubleZ);
    },
    check: () => [Data, Z, A].map((component) => sum(world.query(component), component)),
  };
}

export function entityCycle() {
  const world = createWorld();
  const A = trait({ value: 0 });
  const B = trait({ value: 0 });
  for (let i = 0; i < 1000; i++) world.spawn(A({ value: i }));
  const withA = createQuery(A);
  const withB = createQuery(B);
  const spawnEach = ([{ value }], entities) => {
    for (let i = 0; i < entities.length; i++) {
      world.spawn(B({ value: value[entities[i].id()] }));
    }
  };
  let killed = 0;
  return {
    step() {
      world.query(withA).useStores(spawnEach);
      const children = world.query(withB);
      killed += children.length;
      for (let i = 0; i < children.length; i++) children[i].destroy();
    },
    check: () => [world.query(withA).length, killed],
  };
}

export function addRemove() {
  const world = createWorld();
  const A = trait({ value: 0 });
  const B = trait({ value: 0 });
  for (let i = 0; i < 1000; i++) world.spawn(A({ value: i }));
  const withA = createQuery(A);
  const withB = createQuery(B);
  let removed = 0;
  return {
    step() {
      const bare = world.query(withA);
      for (let i = 0; i < bare.length; i++) bare[i].add(B);
      const full = world.query(withB);
      removed += full.length;
      for (let i = 0; i < full.length; i++) full[i].remove(B);
    },
    check: () => [world.query(withA).length, removed],
  };
}

export function integrate(count, start, dt) {
  const world = createWorld();
  const Position = trait({ x: 0, y: 0 });
  const Velocity = trait({ x: 0, y: 0 });
  const made = Array.from({ length: count }, (_, i) => {
    const [x, y, vx, vy] = start(i);
    return world.spawn(Position({ x, y }), Velocity({ x: vx, y: vy }));
  });
  const moving = createQuery(Position, Velocity);
  const move = ([{ x, y }, { x: vx, y: vy }], entities) => {
    for (let i = 0; i < entities.length; i++) {
      const id = entities[i].id();
      let nextX = x[id] + vx[id] * dt;
      let nextY = y[id] + vy[id] * dt;
      if (nextX > 1) {
        nextX = 2 - nextX;
        vx[id] = -vx[id];
      } else if (nextX < -1) {
        nextX = -2 - nextX;
        vx[id] = -vx[id];
      }
      if (nextY > 1) {
        nextY = 2 - nextY;
        vy[id] = -vy[id];
      } else if (nextY < -1) {
        nextY = -2 - nextY;
        vy[id] = -vy[id];
      }
      x[id] = nextX;
      y[id] = nextY;
    }
  };
  return {
    step: () => {
      world.query(moving).useStores(move);
    },
    check: () => [
      made.reduce((total, entity) => total + entity.get(Position).x, 0),
      made.reduce((total, entity) => total + entity.get(Position).y, 0),
    ],
  };
}

import { addComponent, addEntity, createWorld, query, removeComponent, removeEntity } from 'bitecs';

/*
 * bitECS in the form its documentation calls the fastest: structure of arrays in typed arrays,
 * functions as systems, and the terms of a query made once.
 */

const CAPACITY = 5000;

function column(capacity = CAPACITY) {
  return { value: new Float64Array(capacity) };
}

/** Adds a component with its number. */
function give(world, entity, component, value) {
  addComponent(world, entity, component);
  component.value[entity] = value;
}

function sum(component, entities) {
  return entities.reduce((total, entity) => total + component.value[entity], 0);
}

function double(world, terms, { value }) {
  const entities = query(world, terms);
  for (let i = 0; i < entities.length; i++) value[entities[i]] *= 2;
}

function swap(world, terms, { value: left }, { value: right }) {
  const entities = query(world, terms);
  for (let i = 0; i < entities.length; i++) {
    const entity = entities[i];
    const kept = left[entity];
    left[entity] = right[entity];
    right[entity] = kept;
  }
}

export function packed5() {
  const world = createWorld();
  const components = Array.from({ length: 5 }, () => column());
  const [A, B, C, D, E] = components;
  const entities = Array.from({ length: 1000 }, () => addEntity(world));
  entities.forEach((entity, i) => {
    components.forEach((component, j) => give(world, entity, component, i + j));
  });
  const terms = components.map((component) => [component]);
  const [withA, withB, withC, withD, withE] = terms;
  return {
    step() {
      double(world, withA, A);
      double(world, withB, B);
      double(world, withC, C);
      double(world, withD, D);
      double(world, withE, E);
    },
    check: () => components.map((component) => sum(component, entities)),
  };
}

export function simpleIter() {
  const world = createWorld();
  const components = Array.from({ length: 5 }, () => column());
  const [A, B, C, D, E] = components;
  const groups = [
    [A, B],
    [A, B, C],
    [A, B, C, D],
    [A, B, C, E],
  ];
  for (const group of groups) {
    for (let i = 0; i < 1000; i++) {
      const entity = addEntity(world);
      for (const component of group) {
        give(world, entity, component, components.indexOf(component) + 1);
      }
    }
  }
  const withAB = [A, B];
  const withCD = [C, D];
  const withCE = [C, E];
  return {
    step() {
      swap(world, withAB, A, B);
      swap(world, withCD, C, D);
      swap(world, withCE, C, E);
    },
    check: () => components.map((component) => sum(component, [...query(world, [component])])),
  };
}

export function fragIter() {
  const world = createWorld();
  const letters = Array.from({ length: 26 }, () => column());
  const A = letters[0];
  const Z = letters[25];
  const Data = column();
  for (const letter of letters) {
    for (let i = 0; i < 100; i++) {
      const entity = addEntity(world);
      give(world, entity, letter, 1);
      give(world, entity, Data, 1);
    }
  }
  const withData = [Data];
  const withZ = [Z];
  return {
    step() {
      double(world, withData, Data);
      double(world, withZ, Z);
    },
    check: () => [Data, Z, A].map((component) => sum(component, [...query(world, [component])])),
  };
}

export function entityCycle() {
  const world = createWorld();
  const A = column();
  const B = column();
  for (let i = 0; i < 1000; i++) give(world, addEntity(world), A, i);
  const withA = [A];
  const withB = [B];
  let killed = 0;
  return {
    step() {
      const parents = query(world, withA);
      for (let i = 0; i < parents.length; i++) {
        const entity = addEntity(world);
        addComponent(world, entity, B);
        B.value[entity] = A.value[parents[i]];
      }
      const children = query(world, withB);
      killed += children.length;
      for (let i = 0; i < children.length; i++) removeEntity(world, children[i]);
    },
    check: () => [query(world, withA).length, killed],
  };
}

export function addRemove() {
  const world = createWorld();
  const A = column();
  const B = column();
  for (let i = 0; i < 1000; i++) give(world, addEntity(world), A, i);
  const withA = [A];
  const withB = [B];
  let removed = 0;
  return {
    step() {
      const bare = query(world, withA);
      for (let i = 0; i < bare.length; i++) {
        addComponent(world, bare[i], B);
        B.value[bare[i]] = 0;
      }
      const full = query(world, withB);
      removed += full.length;
      for (let i = 0; i < full.length; i++) removeComponent(world, full[i], B);
    },
    check: () => [query(world, withA).length, removed],
  };
}

export const storesSingles = true;

export function integrate(count, start, dt) {
  const world = createWorld();
  const Position = { x: new Float32Array(count + 1), y: new Float32Array(count + 1) };
  const Velocity = { x: new Float32Array(count + 1), y: new Float32Array(count + 1) };
  const made = Array.from({ length: count }, (_, i) => {
    const entity = addEntity(world);
    addComponent(world, entity, Position);
    addComponent(world, entity, Velocity);
    [Position.x[entity], Position.y[entity], Velocity.x[entity], Velocity.y[entity]] = start(i);
    return entity;
  });
  const terms = [Position, Velocity];
  return {
    step() {
      const entities = query(world, terms);
      const { x, y } = Position;
      const { x: vx, y: vy } = Velocity;
      for (let i = 0; i < entities.length; i++) {
        const entity = entities[i];
        let nextX = x[entity] + vx[entity] * dt;
        let nextY = y[entity] + vy[entity] * dt;
        if (nextX > 1) {
          nextX = 2 - nextX;
          vx[entity] = -vx[entity];
        } else if (nextX < -1) {
          nextX = -2 - nextX;
          vx[entity] = -vx[entity];
        }
        if (nextY > 1) {
          nextY = 2 - nextY;
          vy[entity] = -vy[entity];
        } else if (nextY < -1) {
          nextY = -2 - nextY;
          vy[entity] = -vy[entity];
        }
        x[entity] = nextX;
        y[entity] = nextY;
      }
    },
    check: () => [
      made.reduce((total, entity) => total + Position.x[entity], 0),
      made.reduce((total, entity) => total + Position.y[entity], 0),
    ],
  };
}

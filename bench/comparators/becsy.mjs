import { System, Type, World } from '@lastolivegames/becsy/lib/perf.js';

/*
 * Becsy's performance build with sparse storage, its quickest: one system a task, run by
 * `world.execute`, which is asynchronous. Each system is written out, so that each has call sites
 * of its own.
 */

function component() {
  return class {
    static schema = { value: Type.float64 };
  };
}

function sum(entities, type) {
  return entities.reduce((total, entity) => total + entity.read(type).value, 0);
}

/** Makes a world, fills it by `fill`, and returns what `fill` returns. */
async function createWorld(maxEntities, defs, fill) {
  const world = await World.create({
    maxEntities,
    defaultComponentStorage: 'sparse',
    maxLimboComponents: maxEntities * 4,
    // The performance build does not notice when it has too little room, and does half the work.
    maxShapeChangesPerFrame: maxEntities * 8,
    defs,
  });
  let filled;
  world.build((system) => {
    filled = fill(system);
  });
  return { world, filled };
}

export async function packed5() {
  const [A, B, C, D, E] = Array.from({ length: 5 }, component);
  class DoubleA extends System {
    all = this.query((q) => q.current.with(A).write);
    execute() {
      for (const entity of this.all.current) entity.write(A).value *= 2;
    }
  }
  class DoubleB extends System {
    all = this.query((q) => q.current.with(B).write);
    execute() {
      for (const entity of this.all.current) entity.write(B).value *= 2;
    }
  }
  class DoubleC extends System {
    all = this.query((q) => q.current.with(C).write);
    execute() {
      for (const entity of this.all.current) entity.write(C).value *= 2;
    }
  }
  class DoubleD extends System {
    all = this.query((q) => q.current.with(D).write);
    execute() {
      for (const entity of this.all.current) entity.write(D).value *= 2;
    }
  }
  class DoubleE extends System {
    all = this.query((q) => q.current.with(E).write);
    execute() {
      for (const entity of this.all.current) entity.write(E).value *= 2;
    }
  }
  const types = [A, B, C, D, E];
  const systems = [DoubleA, DoubleB, DoubleC, DoubleD, DoubleE];
  const { world, filled } = await createWorld(1000, [...types, ...systems], (system) =>
    Array.from({ length: 1000 }, (_, i) => {
      const values = types.flatMap((type, j) => [type, { value: i + j }]);
      return system.createEntity(...values).hold();
    }),
  );
  return {
    step: () => world.execute(),
    check: () => types.map((type) => sum(filled, type)),
  };
}

export async function simpleIter() {
  const types = Array.from({ length: 5 }, component);
  const [A, B, C, D, E] = types;
  class SwapAB extends System {
    all = this.query((q) => q.current.with(A, B).write);
    execute() {
      for (const entity of this.all.current) {
        const left = entity.write(A);
        const right = entity.write(B);
        const kept = left.value;
        left.value = right.value;
        right.value = kept;
      }
    }
  }
  class SwapCD extends System {
    all = this.query((q) => q.current.with(C, D).write);
    execute() {
      for (const entity of this.all.current) {
        const left = entity.write(C);
        const right = entity.write(D);
        const kept = left.value;
        left.value = right.value;
        right.value = kept;
      }
    }
  }
  class SwapCE extends System {
    all = this.query((q) => q.current.with(C, E).write);
    sequel = this.schedule((s) => s.after(SwapCD));
    execute() {
      for (const entity of this.all.current) {
        const left = entity.write(C);
        const right = entity.write(E);
        const kept = left.value;
        left.value = right.value;
        right.value = kept;
      }
    }
  }
  const groups = [
    [A, B],
    [A, B, C],
    [A, B, C, D],
    [A, B, C, E],
  ];
  const defs = [...types, SwapAB, SwapCD, SwapCE];
  const { world, filled } = await createWorld(4000, defs, (system) =>
    groups.flatMap((group) =>
      Array.from({ length: 1000 }, () => {
        const values = group.flatMap((type) => [type, { value: types.indexOf(type) + 1 }]);
        return system.createEntity(...values).hold();
      }),
    ),
  );
  return {
    step: () => world.execute(),
    check: () =>
      types.map((type) =>
        sum(
          filled.filter((entity) => entity.has(type)),
          type,
        ),
      ),
  };
}

export async function fragIter() {
  const letters = Array.from({ length: 26 }, component);
  const A = letters[0];
  const Z = letters[25];
  const Data = component();
  class DoubleData extends System {
    all = this.query((q) => q.current.with(Data).write);
    execute() {
      for (const entity of this.all.current) entity.write(Data).value *= 2;
    }
  }
  class DoubleZ extends System {
    all = this.query((q) => q.current.with(Z).write);
    execute() {
      for (const entity of this.all.current) entity.write(Z).value *= 2;
    }
  }
  const { world, filled } = await createWorld(
    2600,
    [...letters, Data, DoubleData, DoubleZ],
    (system) =>
      letters.flatMap((letter) =>
        Array.from({ length: 100 }, () =>
          system.createEntity(letter, { value: 1 }, Data, { value: 1 }).hold(),
        ),
      ),
  );
  return {
    step: () => world.execute(),
    check: () =>
      [Data, Z, A].map((type) =>
        sum(
          filled.filter((entity) => entity.has(type)),
          type,
        ),
      ),
  };
}

export async function entityCycle() {
  const A = component();
  const B = component();
  let killed = 0;
  class SpawnB extends System {
    all = this.query((q) => q.current.with(A).also.using(B).create);
    execute() {
      for (const entity of this.all.current) {
        this.createEntity(B, { value: entity.read(A).value });
      }
    }
  }
  class KillB extends System {
    all = this.query((q) => q.current.with(B).write);
    sequel = this.schedule((s) => s.after(SpawnB));
    execute() {
      killed += this.all.current.length;
      for (const entity of this.all.current) entity.delete();
    }
  }
  // A deleted entity keeps its number until the frame after next.
  const { world, filled } = await createWorld(8000, [A, B, SpawnB, KillB], (system) =>
    Array.from({ length: 1000 }, (_, i) => system.createEntity(A, { value: i }).hold()),
  );
  return {
    step: () => world.execute(),
    check: () => [filled.filter((entity) => entity.alive && entity.has(A)).length, killed],
  };
}

export async function addRemove() {
  const A = component();
  const B = component();
  let removed = 0;
  class AddB extends System {
    all = this.query((q) => q.current.with(A).also.using(B).write);
    execute() {
      for (const entity of this.all.current) entity.add(B);
    }
  }
  class RemoveB extends System {
    all = this.query((q) => q.current.with(B).write);
    sequel = this.schedule((s) => s.after(AddB));
    execute() {
      removed += this.all.current.length;
      for (const entity of this.all.current) entity.remove(B);
    }
  }
  const { world, filled } = await createWorld(1000, [A, B, AddB, RemoveB], (system) =>
    Array.from({ length: 1000 }, (_, i) => system.createEntity(A, { value: i }).hold()),
  );
  return {
    step: () => world.execute(),
    check: () => [filled.filter((entity) => entity.has(A)).length, removed],
  };
}

export const storesSingles = true;

export async function integrate(count, start, dt) {
  class Position {
    static schema = { x: Type.float32, y: Type.float32 };
  }
  class Velocity {
    static schema = { x: Type.float32, y: Type.float32 };
  }
  class Move extends System {
    all = this.query((q) => q.current.with(Position, Velocity).write);
    execute() {
      for (const entity of this.all.current) {
        const position = entity.write(Position);
        const velocity = entity.write(Velocity);
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
    }
  }
  const { world, filled } = await createWorld(count, [Position, Velocity, Move], (system) =>
    Array.from({ length: count }, (_, i) => {
      const [x, y, vx, vy] = start(i);
      return system.createEntity(Position, { x, y }, Velocity, { x: vx, y: vy }).hold();
    }),
  );
  return {
    step: () => world.execute(),
    check: () => [
      filled.reduce((total, entity) => total + entity.read(Position).x, 0),
      filled.reduce((total, entity) => total + entity.read(Position).y, 0),
    ],
  };
}

import { describe, expect, it } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import {
  createWorld,
  fixed,
  quaternion,
  scalar,
  sparse,
  step,
  tag,
  vec2,
  vec3,
  vec4,
} from '../../src/sim-worker/index.ts';
import { errorOf, outcome } from './outcome.ts';

const components = { pos: vec2(), hp: step('u8'), frozen: tag(), rare: sparse(scalar(), 3) };
const small = (capacity = 8) => createWorld({ capacity, components, changes: true });

describe('who is hidden', () => {
  it('is still walked by whoever walks the living at that moment, and lives on', () => {
    const world = small();
    const entities = [0, 1, 2, 3, 4].map(() => world.spawn());
    const walked: number[] = [];
    for (const index of world.live()) {
      walked.push(index);
      if (index === 0) world.setVisible(entities[0] as Entity, false);
      expect([...world.live()]).toEqual([0, 1, 2, 3, 4]);
      expect(world.refreshShown()).toBe(4);
    }
    expect(walked).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('case 97, the generation of a slot', () => {
  it('makes a reused slot another entity, without the components of the dead one', () => {
    const world = small();
    const first = world.spawn({ pos: [1, 2], hp: 3, frozen: 1, rare: 4 });
    world.despawn(first);
    const second = world.spawn();
    expect(world.indexOf(second)).toBe(0);
    expect(second).not.toBe(first);
    expect(world.isAlive(first)).toBe(false);
    for (const name of ['pos', 'hp', 'frozen', 'rare'] as const) {
      expect(world.has(second, name)).toBe(false);
      expect(world.get(second, name, [])).toBe(false);
    }
    world.add(second, 'rare');
    const out = [9];
    expect(world.get(second, 'rare', out)).toBe(true);
    expect(out).toEqual([0]);
  });

  it('lets no slot be issued twice that a command has reserved', () => {
    const world = small(4);
    const reserved = world.commands.spawn();
    const others = [world.spawn(), world.spawn(), world.spawn()];
    expect(outcome(() => world.spawn())).toBe('CAPACITY_EXHAUSTED');
    world.commands.apply();
    const slots = [reserved, ...others].map((entity) => world.indexOf(entity));
    expect(slots).toEqual([0, 1, 2, 3]);
  });
});

describe('case 98, a change while a query is walked', () => {
  it('is refused by the verbs with the command to use, and the walk goes on', () => {
    const world = small(1000);
    for (let i = 0; i < 1000; i++) world.spawn({ pos: i });
    const query = world.query({ all: ['pos'] });
    const fixes: (string | undefined)[] = [];
    let visits = 0;
    query.each((_, entity) => {
      visits++;
      const verbs = [
        () => world.remove(entity, 'pos'),
        () => world.despawn(entity),
        () => world.add(entity, 'hp', 1),
        () => world.teleport(entity, { hp: 1 }),
        () => world.clear(),
      ];
      for (const verb of verbs) {
        const { code, detail } = errorOf(verb);
        expect(code).toBe('STATE_INVALID');
        if (visits === 1) fixes.push(detail.fix);
      }
    });
    expect(visits).toBe(1000);
    expect(fixes.map((fix) => /world\.commands\.(\w+)/.exec(fix ?? '')?.[1])).toEqual([
      'remove',
      'despawn',
      'add',
      'add',
      'despawn',
    ]);
    expect(query.refresh()).toBe(1000);
  });

  it('waits as a command: 1000 visits ascending, none left after it, none added seen in it', () => {
    const world = small(3000);
    for (let i = 0; i < 1000; i++) world.spawn({ pos: i });
    const query = world.query({ all: ['pos'] });
    const visited: number[] = [];
    query.each((index, entity) => {
      visited.push(index);
      world.commands.remove(entity, 'pos');
      world.commands.spawn({ pos: 1 });
      world.spawn({ pos: 2 });
    });
    expect(visited).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    world.commands.apply();
    expect(query.refresh()).toBe(2000);
    expect(query.indices[0]).toBe(1000);
  });

  it('does not come from a value, a teleport or an overwrite: those are done at once', () => {
    const world = small();
    const entity = world.spawn({ pos: 0, rare: 1 });
    world.query({ all: ['pos'] }).each(() => {
      expect(world.add(entity, 'pos', [5, 6])).toBe(true);
      expect(world.teleport(entity, { rare: 7 })).toBe(true);
      expect(world.remove(entity, 'frozen')).toBe(true);
    });
    const out = [0, 0];
    world.get(entity, 'pos', out);
    expect(out).toEqual([5, 6]);
  });

  it('is possible again after a visit has thrown', () => {
    const world = small();
    const entity = world.spawn({ pos: 0 });
    const query = world.query({ all: ['pos'] });
    expect(() =>
      query.each(() =>
        query.each(() => {
          throw new Error('on purpose');
        }),
      ),
    ).toThrow('on purpose');
    expect(world.despawn(entity)).toBe(true);
  });

  it('cannot be brought about by applying the commands inside', () => {
    const world = small();
    const entity = world.spawn({ pos: 0 });
    world.query({ all: ['pos'] }).each(() => {
      world.commands.apply();
      world.commands.despawn(entity);
      expect(errorOf(() => world.commands.apply()).code).toBe('STATE_INVALID');
      expect(errorOf(() => world.beginTick()).code).toBe('STATE_INVALID');
    });
    expect(world.isAlive(entity)).toBe(true);
    world.commands.apply();
    expect(world.isAlive(entity)).toBe(false);
  });
});

describe('a walk inside a walk', () => {
  it('sees every pair', () => {
    const world = small();
    for (let i = 0; i < 4; i++) world.spawn({ pos: i });
    const query = world.query({ all: ['pos'] });
    const pairs: number[] = [];
    query.each((a) => query.each((b) => void pairs.push(10 * a + b)));
    expect(pairs).toEqual([0, 1, 2, 3].flatMap((a) => [0, 1, 2, 3].map((b) => 10 * a + b)));
  });

  it('sees who was spawned since, at a lower slot too; the outer one goes on as it began', () => {
    const world = small();
    const entities = Array.from({ length: 5 }, () => world.spawn({ pos: 1 }));
    world.despawn(entities[0] as Entity);
    world.despawn(entities[2] as Entity);
    const query = world.query({ all: ['pos'] });
    const outer: number[] = [];
    const inner: number[] = [];
    query.each((index) => {
      outer.push(index);
      if (index === 1) world.spawn({ pos: 1 });
      if (index === 1) query.each((other) => void inner.push(other));
      if (index === 3) world.spawn({ pos: 1 });
      if (index === 3) query.refresh();
    });
    expect(inner).toEqual([0, 1, 3, 4]);
    expect(outer).toEqual([1, 3, 4]);
    expect([...query.indices.subarray(0, query.count)]).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('case 100, a component taken and given again in one tick', () => {
  it('enters and leaves nothing, and the query lists what it did', () => {
    const world = small();
    const entity = world.spawn({ pos: 0, hp: 1 });
    const query = world.query({ all: ['hp'] });
    world.beginTick();
    expect([query.refreshChanges(), query.enteredCount, query.exitedCount]).toEqual([1, 1, 0]);
    world.remove(entity, 'hp');
    world.commands.remove(entity, 'pos');
    world.commands.add(entity, 'pos', 1);
    world.add(entity, 'hp', 2);
    world.commands.apply();
    expect(query.refresh()).toBe(1);
    world.beginTick();
    expect([query.refreshChanges(), query.enteredCount, query.exitedCount]).toEqual([0, 0, 0]);
    expect(world.query({ all: ['pos'] }).refreshChanges()).toBe(0);
  });

  it('flips a query that asks who has none, from 0 to 1 to 0 over three ticks', () => {
    const world = small();
    const entity = world.spawn({ hp: 1 });
    const without = world.query({ none: ['hp'] });
    const seen: number[][] = [];
    for (const change of [
      () => 0,
      () => world.remove(entity, 'hp'),
      () => world.add(entity, 'hp'),
    ]) {
      change();
      world.beginTick();
      without.refreshChanges();
      seen.push([without.refresh(), without.enteredCount, without.exitedCount]);
    }
    expect(seen).toEqual([
      [0, 0, 0],
      [1, 1, 0],
      [0, 0, 1],
    ]);
  });

  it('leaves a removed entity in no query and no component from then on', () => {
    const world = small();
    const entity = world.spawn({ pos: 0, hp: 1, frozen: 1, rare: 2 });
    const terms = [{ all: ['pos'] }, { any: ['hp', 'rare'] }, { none: [] }, { all: ['rare'] }];
    const queries = terms.map((spec) => world.query(spec as { all: 'pos'[] }));
    for (const query of queries) expect(query.refresh() + query.refreshRuns()).toBe(2);
    world.despawn(entity);
    for (const query of queries) {
      expect(query.refresh() + query.refreshRuns()).toBe(0);
      expect(query.matches(0)).toBe(false);
    }
    expect(world.sparse('rare').count).toBe(0);
  });

  it('tells an entity that died in a tick, and one in its slot, as gone and come', () => {
    const world = small();
    const first = world.spawn({ hp: 1 });
    const query = world.query({ all: ['hp'] });
    world.beginTick();
    world.despawn(first);
    const second = world.spawn({ hp: 1 });
    world.beginTick();
    expect(query.refreshChanges()).toBe(2);
    expect([query.entered[0], query.exited[0]]).toEqual([second, first]);
  });
});

describe('what is full', () => {
  it('names `capacity` and changes nothing; a capacity of 0 is full from the start', () => {
    for (const capacity of [0, 1, 32, 33]) {
      const world = small(capacity);
      for (let i = 0; i < capacity; i++) world.spawn({ pos: i });
      for (const spawn of [() => world.spawn({ pos: 1 }), () => world.commands.spawn()]) {
        const { code, message } = errorOf(spawn);
        expect(code).toBe('CAPACITY_EXHAUSTED');
        expect(message).toContain('Raise `capacity`');
      }
      expect([world.count, world.commands.count]).toEqual([capacity, 0]);
      expect(world.query({}).refresh()).toBe(capacity);
      world.clear();
      expect([world.count, world.highWater, world.live().length]).toEqual([0, 0, 0]);
    }
  });

  it('names `rows` when it is a sparse component, and no half of a spawn is left', () => {
    const world = small();
    world.beginFrame();
    const entities = [1, 2, 3].map((rare) => world.spawn({ rare }));
    const bare = world.spawn({ pos: 1 });
    const verbs = [
      () => world.spawn({ pos: 1, rare: 4 }),
      () => world.add(bare, 'rare', 4),
      () => world.teleport(bare, { pos: 9, rare: 4 }),
    ];
    for (const verb of verbs) {
      const { code, message } = errorOf(verb);
      expect(code).toBe('CAPACITY_EXHAUSTED');
      expect(message).toContain('Raise the `rows`');
    }
    const out = [0, 0];
    world.get(bare, 'pos', out);
    expect(out).toEqual([1, 1]);
    expect([world.count, world.sparse('rare').count, world.guard.frameChurn]).toEqual([4, 3, 4]);
    world.add(entities[1] as Entity, 'rare', 5);
    world.despawn(entities[0] as Entity);
    expect(world.add(bare, 'rare', 6)).toBe(true);
    expect([...world.sparse('rare').slots]).toEqual([1, 2, 3]);
    expect([...world.columns.rare]).toEqual([5, 3, 6]);
  });

  it('keeps the commands behind one that finds no row', () => {
    const world = small();
    for (let i = 0; i < 3; i++) world.spawn({ rare: i });
    const late = world.commands.spawn({ pos: 1, rare: 4, hp: 5 });
    const later = world.commands.spawn();
    expect(errorOf(() => world.commands.apply()).code).toBe('CAPACITY_EXHAUSTED');
    expect(world.commands.count).toBe(2);
    world.commands.apply();
    expect(world.has(late, 'hp')).toBe(true);
    expect(world.has(late, 'rare')).toBe(false);
    expect(world.isAlive(later)).toBe(true);
  });
});

describe('the numbers of a component', () => {
  const kinds = {
    f32: { spec: scalar(), given: [0.1], held: [Math.fround(0.1)] },
    f64: { spec: scalar('f64'), given: [0.1], held: [0.1] },
    i32: { spec: step('i32', 2), given: [-(2 ** 31), 1.9], held: [-(2 ** 31), 1] },
    u32: { spec: step('u32'), given: [2 ** 32 - 1], held: [2 ** 32 - 1] },
    u16: { spec: step('u16', 3), given: [65535, 65537, 2], held: [65535, 1, 2] },
    u8: { spec: step('u8', 4), given: [255, 256, 1, 2], held: [255, 0, 1, 2] },
    fixed: { spec: fixed(2), given: [65536, -1], held: [65536, -1] },
    vec2: { spec: vec2(), given: [1.5, -2], held: [1.5, -2] },
    vec3: { spec: vec3('f64'), given: [1e300, 2, 3], held: [1e300, 2, 3] },
    vec4: { spec: vec4(), given: [1, 2, 3, 4], held: [1, 2, 3, 4] },
  };

  it('come back as its type holds them, in every slot, by every verb, dense and sparse', () => {
    for (const { spec, given, held } of Object.values(kinds)) {
      const world = createWorld({ capacity: 5, components: { a: spec, b: sparse(spec, 5) } });
      const values = { a: given, b: given };
      const entities = [
        world.spawn(values),
        world.commands.spawn(values),
        world.spawn(),
        world.spawn(),
        world.spawn(),
      ] as const;
      for (const name of ['a', 'b'] as const) {
        world.add(entities[2], name, given);
        world.commands.add(entities[3], name, given);
      }
      world.teleport(entities[4], values);
      world.commands.apply();
      const all = entities.flatMap(() => held);
      expect([...world.columns.a]).toEqual(all);
      expect([...world.columns.b]).toEqual(all);
      for (const entity of entities) {
        const out: number[] = [];
        expect(world.get(entity, 'b', out)).toBe(true);
        expect(out).toEqual(held);
      }
    }
  });

  it('are all the same when one is given, and 0 when none is', () => {
    const world = createWorld({ capacity: 2, components: { a: vec3(), b: sparse(vec3(), 2) } });
    const entity = world.spawn({ a: 2, b: 3 });
    expect([...world.columns.a.subarray(0, 3), ...world.columns.b.subarray(0, 3)]).toEqual([
      2, 2, 2, 3, 3, 3,
    ]);
    world.add(entity, 'a');
    world.commands.add(entity, 'b');
    world.commands.apply();
    expect([...world.columns.a.subarray(0, 3), ...world.columns.b.subarray(0, 3)]).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  });

  it('are refused in another width, by every verb, before anything is done', () => {
    const world = small();
    const entity = world.spawn({ pos: 1 });
    const wrong: Record<string, number[]> = { pos: [1], hp: [1, 2], frozen: [1], rare: [] };
    for (const [name, value] of Object.entries(wrong) as ['pos', number[]][]) {
      const verbs = [
        () => world.spawn({ hp: 1, [name]: value }),
        () => world.add(entity, name, value),
        () => world.teleport(entity, { hp: 1, [name]: value }),
        () => world.commands.spawn({ hp: 1, [name]: value }),
        () => world.commands.add(entity, name, value),
      ];
      for (const verb of verbs) {
        const { code, message } = errorOf(verb);
        expect(code).toBe('VALUE_INVALID');
        expect(message).toContain(`"${name}"`);
      }
    }
    expect([world.count, world.commands.count, world.has(entity, 'hp')]).toEqual([1, 0, false]);
  });

  it('of a quaternion have length 1, whoever wrote them; none of length 0 is kept', () => {
    const q = { a: quaternion(), b: sparse(quaternion(), 4) };
    const world = createWorld({ capacity: 4, components: q });
    const [one, two, three] = [world.spawn(), world.spawn(), world.spawn()];
    const given = [2, 0, 0, 2];
    const half = Math.fround(2 / Math.sqrt(8));
    for (const name of ['a', 'b'] as const) {
      world.add(one, name, given);
      world.commands.add(two, name, given);
      world.teleport(three, { [name]: given });
    }
    world.commands.spawn({ a: 0, b: 0 });
    world.commands.apply();
    const all = [one, two, three].flatMap(() => [half, 0, 0, half]);
    expect([...world.columns.a]).toEqual([...all, 0, 0, 0, 1]);
    expect([...world.columns.b]).toEqual([...all, 0, 0, 0, 1]);
  });

  it('are given by no name whose value is undefined', () => {
    const world = small();
    const values = { pos: 1, hp: undefined, rare: undefined } as unknown as { pos: number };
    const now = world.spawn(values);
    const later = world.commands.spawn(values);
    world.commands.apply();
    for (const entity of [now, later]) {
      const had = (['pos', 'hp', 'rare'] as const).map((name) => world.has(entity, name));
      expect(had).toEqual([true, false, false]);
    }
  });
});

describe('names', () => {
  it('have ids dense from 1 in the order of declaration', () => {
    const world = small();
    const names = Object.keys(components) as (keyof typeof components)[];
    expect(names.map((name) => world.componentId(name))).toEqual([1, 2, 3, 4]);
  });

  it('that are unknown are refused by every verb and query with those that are known', () => {
    const world = small();
    const entity = world.spawn();
    const name = 'mana' as 'pos';
    const uses = [
      () => world.spawn({ [name]: 1 }),
      () => world.add(entity, name),
      () => world.remove(entity, name),
      () => world.has(entity, name),
      () => world.get(entity, name, []),
      () => world.teleport(entity, { [name]: 1 }),
      () => world.componentId(name),
      () => world.sparse(name),
      () => world.commands.spawn({ [name]: 1 }),
      () => world.commands.add(entity, name),
      () => world.commands.remove(entity, name),
      () => world.query({ all: [name] }),
      () => world.query({ any: ['pos', name] }),
      () => world.query({ none: [name] }),
    ];
    for (const use of uses) {
      const { code, message } = errorOf(use);
      expect(code).toBe('NAME_UNKNOWN');
      expect(message).toContain('"mana"');
      expect(message).toContain('pos, hp, frozen, rare');
    }
    expect([world.count, world.commands.count]).toEqual([1, 0]);
  });

  it('of dense components have no sparse rows', () => {
    const { code, detail } = errorOf(() => small().sparse('pos'));
    expect([code, detail.given]).toEqual(['COMPONENT_MISSING', 'pos']);
  });
});

describe('a query', () => {
  it('is one for a spec and for the same terms, in any order and however often named', () => {
    const world = small();
    const spec = { all: ['pos', 'hp'], none: ['rare'] } as const;
    const query = world.query(spec);
    expect(world.query(spec)).toBe(query);
    expect(world.query({ none: ['rare'], any: [], all: ['hp', 'pos', 'hp'] })).toBe(query);
    expect(world.query({ all: ['pos', 'hp'] })).not.toBe(query);
    expect(world.query({ any: ['pos', 'hp'], none: ['rare'] })).not.toBe(query);
    expect(small().query(spec)).not.toBe(query);
  });

  it('has no lists of changes in a world that keeps none', () => {
    const world = createWorld({ capacity: 1, components });
    const { code, message } = errorOf(() => world.query({}).refreshChanges());
    expect(code).toBe('STATE_INVALID');
    expect(message).toContain('changes: true');
  });
});

import { expect, test } from 'vitest';
import { createWorld, scalar, sparse, step, tag, vec2 } from '../../src/sim-worker/index.ts';

const components = { pos: vec2(), hp: step('u8'), frozen: tag(), rare: sparse(scalar(), 20_000) };
const open = (capacity: number) => createWorld({ capacity, components });

test('a value written after `add` or `spawn` is kept; one of a sparse component waits', () => {
  const world = open(4);
  const entity = world.spawn();
  world.commands.add(entity, 'pos', [1, 2]);
  world.commands.add(entity, 'rare', 3);
  expect(world.has(entity, 'pos')).toBe(false);
  expect([...world.columns.pos.subarray(0, 2)]).toEqual([1, 2]);
  world.columns.pos[1] = 7;
  const born = world.commands.spawn({ hp: 5, rare: 6 });
  expect(world.isAlive(born)).toBe(false);
  world.columns.hp[1] = 8;
  world.commands.apply();
  expect([...world.columns.pos.subarray(0, 2), world.columns.hp[1]]).toEqual([1, 7, 8]);
  expect([...world.columns.rare.subarray(0, 2)]).toEqual([3, 6]);
});

test('commands apply in the order given, the last of two values wins', () => {
  const world = open(4);
  const entity = world.spawn({ hp: 1, rare: 1 });
  const { commands } = world;
  commands.remove(entity, 'hp');
  commands.add(entity, 'hp', 2);
  commands.add(entity, 'frozen');
  commands.remove(entity, 'frozen');
  commands.add(entity, 'rare', 3);
  commands.remove(entity, 'rare');
  commands.add(entity, 'rare', 4);
  commands.add(entity, 'rare', 5);
  expect(commands.count).toBe(8);
  commands.apply();
  expect(commands.count).toBe(0);
  expect([world.has(entity, 'hp'), world.has(entity, 'frozen')]).toEqual([true, false]);
  expect([world.columns.hp[0], world.columns.rare[0], world.sparse('rare').count]).toEqual([
    2, 5, 1,
  ]);
});

test('the handle of `commands.spawn` is good for further commands, and for keeping', () => {
  const world = open(4);
  const { commands } = world;
  const kept = commands.spawn({ hp: 1 });
  commands.add(kept, 'pos', [1, 2]);
  commands.add(kept, 'rare', 3);
  commands.remove(kept, 'hp');
  const brief = commands.spawn({ rare: 9 });
  commands.despawn(brief);
  expect([world.isAlive(kept), world.count, world.despawn(brief)]).toEqual([false, 0, false]);
  commands.apply();
  expect([world.isAlive(kept), world.isAlive(brief), world.count]).toEqual([true, false, 1]);
  expect([world.has(kept, 'hp'), world.has(kept, 'pos')]).toEqual([false, true]);
  expect([world.columns.rare[0], world.sparse('rare').count]).toEqual([3, 1]);
  expect(world.staleCount).toBe(1);
});

test('a command whose entity is gone by then does nothing and is counted as stale', () => {
  const world = open(4);
  const { commands } = world;
  const doomed = world.spawn({ hp: 1 });
  commands.add(doomed, 'pos', [1, 2]);
  commands.add(doomed, 'rare', 3);
  commands.remove(doomed, 'hp');
  commands.despawn(doomed);
  world.despawn(doomed);
  const heir = world.spawn({ hp: 4 });
  expect(world.indexOf(heir)).toBe(0);
  commands.apply();
  expect(world.staleCount).toBe(4);
  expect([world.has(heir, 'hp'), world.has(heir, 'pos'), world.has(heir, 'rare')]).toEqual([
    true,
    false,
    false,
  ]);
  commands.despawn(heir);
  commands.despawn(heir);
  commands.apply();
  expect([world.count, world.staleCount]).toEqual([0, 5]);
});

test('an `add` that names a dead entity is counted at once and does not wait', () => {
  const world = open(2);
  const dead = world.spawn();
  world.despawn(dead);
  world.columns.hp[0] = 7;
  world.commands.add(dead, 'hp', 1);
  expect([world.staleCount, world.commands.count, world.columns.hp[0]]).toEqual([1, 0, 7]);
});

test('nothing is lost when the buffer grows, and nothing is kept when it was applied', () => {
  for (const count of [63, 64, 65, 10_001]) {
    const world = open(2 * count);
    const { commands } = world;
    const entities = Array.from({ length: count }, () => world.spawn());
    entities.forEach((entity, i) => commands.add(entity, 'rare', i));
    expect(commands.count).toBe(count);
    commands.apply();
    expect(world.count).toBe(count);
    const wanted = Array.from({ length: count }, (_, i) => i);
    expect([...world.columns.rare.subarray(0, count)]).toEqual(wanted);
    for (const entity of entities) commands.despawn(entity);
    const born = entities.map(() => commands.spawn());
    commands.apply();
    expect(born.filter((entity) => world.isAlive(entity))).toHaveLength(count);
    expect([world.count, world.sparse('rare').count, world.staleCount]).toEqual([count, 0, 0]);
  }
});

test('a tick begins with the commands given since the last one', () => {
  const world = open(2);
  const entity = world.commands.spawn({ hp: 1 });
  world.beginTick();
  expect([world.isAlive(entity), world.commands.count]).toEqual([true, 0]);
});

import { expect, test } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import { createWorld, scalar, vec2 } from '../../src/sim-worker/index.ts';
import { scaled } from '../scaled.ts';
import { Dice, underSeed } from './dice.ts';
import {
  GLOBALS,
  type HashedWorld,
  type Name,
  NAMES,
  numbersFor,
  openHashed,
  readState,
} from './hashed-world.ts';

const WORLDS = scaled({ tiny: 10, normal: 40, full: 1000 });
const STEPS = 60;

type World = HashedWorld['world'];

const valueFor = (name: Name, dice: Dice): number[] => numbersFor(name, (end) => dice.below(end));

/** Does one thing to a world; what it is follows from the dice and from who lives. */
function act(world: World, dice: Dice): void {
  const live = world.live();
  const entity = live.length > 0 ? world.entityAt(dice.pick(live)) : (0 as Entity);
  const name = dice.pick(NAMES);
  const value = valueFor(name, dice);
  const spawned = Object.fromEntries(dice.some(NAMES).map((n) => [n, valueFor(n, dice)]));
  const verb = dice.below(10);
  if (verb < 3 && world.count < 60) world.spawn(spawned);
  else if (verb === 3) world.despawn(entity);
  else if (verb === 4) world.add(entity, name, value);
  else if (verb === 5) world.remove(entity, name);
  else if (verb === 6) world.teleport(entity, { [name]: value });
  else if (verb === 7) world.commands.despawn(entity);
  else if (verb === 8) world.globals[dice.pick(GLOBALS)] = dice.below(200);
  else world.generators[dice.below(world.generators.length)]?.nextU32();
}

/** What is seen of a tick: the state, its hash, and what queries list. */
function runTick(opened: HashedWorld, dice: Dice): unknown {
  const { world } = opened;
  world.beginTick();
  const changes = NAMES.map((name) => {
    const query = world.query({ all: [name] });
    query.refreshChanges();
    return [
      [...query.entered.subarray(0, query.enteredCount)],
      [...query.exited.subarray(0, query.exitedCount)],
    ];
  });
  for (let i = dice.below(6); i > 0; i--) act(world, dice);
  world.commands.apply();
  const runs = world.query({ none: ['frozen'] });
  const count = runs.refreshRuns();
  const spans = [[...runs.begins.subarray(0, count)], [...runs.ends.subarray(0, count)]];
  const { highWater, issued, count: living, retiredCount } = world;
  const hash = opened.hash();
  return {
    state: readState(opened),
    hash,
    changes,
    spans,
    highWater,
    issued,
    living,
    retiredCount,
  };
}

function live(opened: HashedWorld, dice: Dice, ticks: number): unknown[] {
  return Array.from({ length: ticks }, () => runTick(opened, dice));
}

test('case 97: a world restored from a copy goes on as the one that was copied', () => {
  underSeed((dice) => {
    for (let k = 0; k < WORLDS; k++) {
      const straight = openHashed();
      live(straight, dice, dice.below(STEPS));
      const copy = new Uint8Array(straight.world.block.byteLength);
      straight.world.block.save(copy);
      const other = openHashed();
      // Another past: whatever it left beside the block must not show.
      live(other, dice, dice.below(STEPS));
      other.world.block.restore(copy, dice.oneIn(2));
      const seed = dice.word();
      const expected = live(straight, new Dice(seed), STEPS);
      expect(live(other, new Dice(seed), STEPS)).toEqual(expected);
    }
  });
});

test('going back and forth in one world leads to the same states', () => {
  underSeed((dice) => {
    const opened = openHashed();
    const copies: { bytes: Uint8Array; seed: number; after: unknown }[] = [];
    for (let k = 0; k < WORLDS; k++) {
      const bytes = new Uint8Array(opened.world.block.byteLength);
      opened.world.block.save(bytes);
      const seed = dice.word();
      copies.push({ bytes, seed, after: live(opened, new Dice(seed), 5) });
      const back = dice.pick(copies);
      opened.world.block.restore(back.bytes);
      expect(live(opened, new Dice(back.seed), 5)).toEqual(back.after);
    }
  });
});

test('a thousand spawns after a restoration issue each handle once', () => {
  const world = createWorld({ capacity: 5000, components: { at: vec2() } });
  const first = Array.from({ length: 500 }, () => world.spawn({ at: 1 }));
  for (let k = 0; k < 500; k += 3) world.despawn(first[k] as Entity);
  const copy = new Uint8Array(world.block.byteLength);
  world.block.save(copy);
  world.clear();
  world.block.restore(copy);
  const after = Array.from({ length: 1000 }, () => world.spawn({ at: 2 }));
  expect(new Set([...first, ...after]).size).toBe(1500);
  expect(world.isAlive(first[0] as Entity)).toBe(false);
  expect(world.isAlive(first[1] as Entity)).toBe(true);
});

test('readers blend nobody across a restoration, unless it is one that goes on', () => {
  const world = createWorld({ capacity: 100, components: { at: vec2() } });
  for (let k = 0; k < 40; k++) world.spawn({ at: k });
  const copy = new Uint8Array(world.block.byteLength);
  world.block.save(copy);
  const stamps = world.stamps.slice();
  const { version } = world;
  world.block.restore(copy);
  expect(Array.from(world.stamps)).toEqual(Array.from(stamps, (stamp) => stamp + 1));
  expect(world.version).toBeGreaterThan(version);
  expect(Array.from(world.stampVersions)).toEqual([
    world.version,
    world.version,
    world.version,
    world.version,
  ]);
  world.block.restore(copy, true);
  expect(Array.from(world.stamps)).toEqual(Array.from(stamps));
});

test('a state of another world, and one inside a walk, are refused', () => {
  const world = createWorld({ capacity: 10, components: { at: vec2() } });
  const other = createWorld({ capacity: 10, components: { at: vec2(), age: scalar() } });
  world.spawn({ at: 1 });
  const copy = new Uint8Array(world.block.byteLength);
  world.block.save(copy);
  const before = world.stateHash.hex(0);
  expect(() => other.block.restore(copy)).toThrow('VALUE_INVALID');
  const query = world.query({ all: ['at'] });
  expect(() => query.each(() => world.block.restore(copy))).toThrow('STATE_INVALID');
  expect(world.stateHash.hex(0)).toBe(before);
});

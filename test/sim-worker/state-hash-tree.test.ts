import { describe, expect, it } from 'vitest';
import { compareHashTrees } from '../../src/shared/hash-tree.ts';
import { GLOBALS, type HashedWorld, NAMES, openHashed } from './hashed-world.ts';

const SLOTS = 5000;

/** Two worlds in the same state: 3000 entities, of which every third is gone. */
function twins(): [HashedWorld, HashedWorld] {
  const open = (path: 'javascript' | 'kernel'): HashedWorld => {
    const opened = openHashed(undefined, path, SLOTS);
    const { world } = opened;
    for (let i = 0; i < 3000; i++) world.spawn({ pos: [i, 1], energy: i / 3, level: i % 9 });
    for (let i = 0; i < 3000; i += 3) world.despawn(world.entityAt(i));
    for (const type of GLOBALS) world.globals[type] = 3;
    return opened;
  };
  return [open('javascript'), open('kernel')];
}

const differences = (one: HashedWorld, other: HashedWorld): unknown[] =>
  compareHashTrees(one.world.stateHash.tree(5), other.world.stateHash.tree(5)).map(
    ({ kind, name, blocks }) => [kind, name, ...blocks],
  );

describe('the tree of a state hash', () => {
  it('has the hash as its root, and a part for all that is hashed, in blocks of 1024 slots', () => {
    const [one, other] = twins();
    const tree = one.world.stateHash.tree(5);
    expect([tree.tick, tree.root]).toEqual([5, one.hash()]);
    const kinds = ['entities', ...NAMES.map(() => 'component'), 'globals', 'random'];
    expect(tree.parts.map(({ kind }) => kind)).toEqual(kinds);
    const names = ['entities', ...NAMES, 'globals', 'random'];
    expect(tree.parts.map(({ name }) => name)).toEqual(names);
    const counts = tree.parts.map(({ blocks }) => blocks.length);
    expect(counts).toEqual([3, ...NAMES.map(() => 3), 0, 0]);
    const hashes = tree.parts.flatMap(({ hash, blocks }) => [hash, ...blocks]);
    expect(hashes.filter((hash) => !/^[0-9a-f]{16}$/.test(hash))).toEqual([]);
    expect(other.world.stateHash.tree(5)).toEqual(tree);
    expect(differences(one, other)).toEqual([]);
  });

  it('names the component and the block in which two states differ', () => {
    const [one, other] = twins();
    const { world } = other;
    world.add(world.entityAt(1025), 'energy', -1);
    expect(differences(one, other)).toEqual([['component', 'energy', 1]]);
    world.add(world.entityAt(1), 'poison', 7);
    world.remove(world.entityAt(2999), 'pos');
    expect(differences(one, other)).toEqual([
      ['component', 'pos', 2],
      ['component', 'energy', 1],
      ['component', 'poison', 0],
    ]);
  });

  it('tells who lives apart from what they have, and a block that only one has', () => {
    const [one, other] = twins();
    for (let i = 0; i < 1100; i++) other.world.spawn();
    expect(differences(one, other)[0]).toEqual(['entities', 'entities', 0, 1, 2, 3]);
    const blocks = other.world.stateHash.tree(5).parts.map((part) => part.blocks.length);
    expect(blocks.slice(0, 2)).toEqual([4, 4]);
  });

  it('names globals, generators and the foreign state, also where only one has any', () => {
    const [one, other] = twins();
    other.world.globals['u8'] = 9;
    other.world.generators[1]?.nextU32();
    other.world.stateHash.foreign = () => 1;
    const told = [
      ['globals', 'globals'],
      ['random', 'random'],
      ['foreign', 'foreign'],
    ];
    expect(differences(one, other)).toEqual(told);
    expect(differences(other, one)).toEqual(told);
    one.world.stateHash.foreign = () => 2;
    expect(differences(one, other)).toEqual(told);
  });

  it('does not count the tick as a difference, but the root does', () => {
    const [{ world }] = twins();
    const [five, six] = [world.stateHash.tree(5), world.stateHash.tree(6)];
    expect([compareHashTrees(five, six), five.root === six.root]).toEqual([[], false]);
  });

  it('of a world without entities has no blocks', () => {
    const { world } = openHashed();
    expect(world.stateHash.tree(0).parts.flatMap(({ blocks }) => blocks)).toEqual([]);
  });
});

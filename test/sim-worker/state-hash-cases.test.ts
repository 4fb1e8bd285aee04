import { describe, expect, it, test } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import { scalarBytes } from '../../src/shared/schema.ts';
import { createWorld, quaternion, scalar, vec3 } from '../../src/sim-worker/index.ts';
import { scaled } from '../scaled.ts';
import { type Dice, underSeed } from './dice.ts';
import { type HashedWorld, type Name, NAMES, numbersFor, openHashed } from './hashed-world.ts';

const PATHS = ['javascript', 'kernel'] as const;
/** Components that may have a row for each entity; sparse ones of these worlds have 70 rows. */
const DENSE: readonly Name[] = NAMES.filter((name) => name !== 'rare' && name !== 'poison');

/** Numbers that follow from the slot alone. */
const valueAt = (name: Name, slot: number): number[] =>
  numbersFor(name, (end) => (slot * 7919) % end);

const isSparseOwner = (slot: number): boolean => slot % 20 === 7;

describe('case 110: the order in which entities came to be', () => {
  for (const path of PATHS) {
    it(`does not show in the hash, nor in the order of a walk, by ${path}`, () => {
      underSeed((dice) => {
        const hashes = new Set<string>();
        for (let order = 0; order < 20; order++) {
          const opened = openHashed(undefined, path, 1000);
          const { world } = opened;
          for (let i = 0; i < 1000; i++) world.spawn();
          const slots = Array.from({ length: 1000 }, (_, slot) => slot);
          for (const slot of dice.shuffled(slots)) furnish(opened, slot, dice);
          const full = opened.hash();
          for (const slot of dice.shuffled(slots.filter((slot) => slot % 2 === 0))) {
            world.despawn(world.entityAt(slot));
          }
          hashes.add(`${full} ${opened.hash()}`);
          const query = world.query({ all: ['pos'] });
          query.refresh();
          const walked = [...query.indices.subarray(0, query.count)];
          expect(walked).toEqual(slots.filter((slot) => slot % 2 === 1));
        }
        expect(hashes.size).toBe(1);
      });
    });
  }
});

function furnish({ world }: HashedWorld, slot: number, dice: Dice): void {
  const entity = world.entityAt(slot);
  const names = isSparseOwner(slot) ? NAMES : DENSE;
  for (const name of dice.shuffled(names)) world.add(entity, name, valueAt(name, slot));
}

/** A world in which 1000 entities have everything, but for gaps. */
function settled(path: (typeof PATHS)[number]): HashedWorld {
  const opened = openHashed(undefined, path, 12_000);
  const { world } = opened;
  for (let slot = 0; slot < 1000; slot++) {
    const names = isSparseOwner(slot) ? NAMES : DENSE;
    world.spawn(Object.fromEntries(names.map((name) => [name, valueAt(name, slot)])));
  }
  return opened;
}

/** Takes every fifth entity, and from every seventh its numbers. */
function thin({ world }: HashedWorld): void {
  for (let slot = 0; slot < 1000; slot++) {
    const entity = world.entityAt(slot);
    if (slot % 5 === 0) world.despawn(entity);
    else if (slot % 7 === 0)
      for (const name of ['pos', 'rare'] as const) world.remove(entity, name);
  }
}

describe('case 112: what is not the state', () => {
  for (const path of PATHS) {
    it(`is not hashed by ${path}: 10,000 more entities that came and went`, () => {
      const [plain, other] = [settled(path), settled(path)];
      const { world } = other;
      const extra: Entity[] = [];
      for (let i = 0; i < 10_000; i++) {
        extra.push(world.spawn({ pos: [i, i], level: 3, frozen: 1, turn: [0, 0, 0, 1] }));
      }
      for (let i = 0; i < 10; i++) world.add(extra[i] as Entity, 'rare', [1, 2, 3]);
      expect(other.hash()).not.toBe(plain.hash());
      for (const entity of extra.reverse()) world.despawn(entity);
      expect([world.issued, other.hash()]).toEqual([11_000, plain.hash()]);
      for (const opened of [plain, other]) thin(opened);
      expect(other.hash()).toBe(plain.hash());
    });

    it(`is not hashed by ${path}: dead slots full of 0xDEADBEEF, stamps, who is hidden`, () => {
      const opened = settled(path);
      thin(opened);
      const base = opened.hash();
      const { world } = opened;
      for (const { presence, column, schema, width, rows } of world.stores) {
        const stride = width * scalarBytes(schema.scalar);
        const capacity = rows?.capacity ?? 12_000;
        for (let row = 0; row < capacity; row++) {
          const isUsed =
            rows === undefined
              ? (((presence[row >>> 5] as number) >>> (row & 31)) & 1) === 1
              : row < rows.count;
          if (!isUsed) poison(opened.bytes, column.byteOffset + row * stride, stride);
        }
      }
      world.stamps.fill(0xdeadbeef);
      for (const slot of [1, 2, 3]) {
        world.setVisible(world.entityAt(slot), false);
        world.setBlended(world.entityAt(slot), false);
      }
      expect(opened.hash()).toBe(base);
      const at = world.columns.cell.byteOffset + 12;
      poison(opened.bytes, at, 4);
      expect(opened.hash()).not.toBe(base);
    });
  }
});

function poison(bytes: Uint8Array, at: number, length: number): void {
  const pattern = [0xef, 0xbe, 0xad, 0xde];
  for (let i = 0; i < length; i++) bytes[at + i] = pattern[i & 3] as number;
}

test('a NaN is reported alike by both ways', () => {
  const told = PATHS.map((path) => {
    const opened = settled(path);
    const { world } = opened;
    world.columns.pos[1701] = Number.NaN;
    world.columns.energy[900] = Number.NaN;
    world.columns.energy[33] = Number.NaN;
    const hash = opened.hash();
    return [hash, world.stateHash.nanCount, world.stateHash.firstNan];
  });
  const { world } = settled('javascript');
  const first = { component: 'pos', entity: world.entityAt(850), index: 850 };
  expect(told).toEqual([told[1], [told[0]?.[0], 3, first]]);
});

test('a world of its own that is large is hashed as one that is small', () => {
  const components = { position: vec3(), turn: quaternion(), energy: scalar('f64') };
  const hashes = [1000, 1024, 60_000, 65_536].map((capacity) => {
    const world = createWorld({ capacity, components });
    for (let i = 0; i < 900; i++) world.spawn({ position: [i, 1, 2], energy: i / 7 });
    const tree = world.stateHash.tree(1);
    return tree.parts.filter(({ kind }) => kind === 'component').map(({ hash }) => hash);
  });
  expect(new Set(hashes.map(String)).size).toBe(1);
});

/** How a state is changed, as words of its memory: one or two of them. */
const CHANGES: readonly ((words: Uint32Array, at: () => number, dice: Dice) => void)[] = [
  (words, at, dice) => flip(words, at(), 1 << dice.below(32)),
  (words, at, dice) => flip(words, at(), 1 + dice.below(2 ** 31)),
  (words, at, dice) => {
    for (let k = 0; k < 2; k++) flip(words, at(), 1 << dice.below(32));
  },
  (words, at, dice) => {
    for (let k = 0; k < 2; k++) flip(words, at(), 1 + dice.below(2 ** 31));
  },
  (words, at) => {
    const first = at();
    flip(words, first, 0x80000000);
    flip(words, neighbour(words, first, at), 0x80000000);
  },
  (words, at, dice) => {
    const first = at();
    words[first] = (words[first] as number) + 1 + dice.below(9);
    const second = neighbour(words, first, at);
    words[second] = (words[second] as number) - 1 - dice.below(9);
  },
  (words, at) => {
    const first = at();
    const second = neighbour(words, first, at);
    const word = words[first] as number;
    words[first] = words[second] as number;
    words[second] = word;
  },
];

function flip(words: Uint32Array, at: number, bits: number): void {
  words[at] = (words[at] as number) ^ bits;
}

const DISTANCES = [4, 8, 16, 32, 48, 64, 128] as const;

/** A word at a distance at which both come to one lane, or to lanes that meet, or any other. */
function neighbour(words: Uint32Array, first: number, at: () => number): number {
  const other = at();
  const near = first + (DISTANCES[other % DISTANCES.length] as number);
  return other % 2 === 0 && near < words.length ? near : other;
}

test('a hundred thousand states that differ in a word or two have as many hashes', () => {
  const runs = scaled({ tiny: 20_000, normal: 100_000, full: 1_000_000 });
  const opened = openHashed(undefined, 'kernel', 100);
  const { world } = opened;
  for (let i = 0; i < 100; i++) world.spawn({ cell: [i, 0, -i], mask: i % 3 });
  // The rows of `cell` alone: whole numbers, so that no two words count as one.
  const { buffer, byteOffset, length } = world.columns.cell;
  const words = new Uint32Array(buffer, byteOffset, length);
  const start = words.slice();
  const states = new Map<string, string>();
  const halves = [new Set<number>(), new Set<number>()];
  const out = new Uint32Array(2);
  underSeed((dice) => {
    for (let run = 0; run < runs; run++) {
      const change = CHANGES[run % CHANGES.length] as (typeof CHANGES)[number];
      const at = (): number => dice.below(words.length);
      change(words, at, dice);
      const state = [...words.keys()].filter((k) => words[k] !== start[k]);
      world.stateHash.compute(run % 3, out);
      const key = [run % 3, ...state.flatMap((k) => [k, words[k]])].join();
      states.set(key, `${out[0]} ${out[1]}`);
      words.set(start);
    }
  });
  const hashes = [...states.values()].map((hash) => hash.split(' ').map(Number));
  for (const hash of hashes) halves.forEach((half, which) => half.add(hash[which] as number));
  expect(new Set(states.values()).size).toBe(states.size);
  // Of so many words of 32 bits chance alone makes some the same.
  const byChance = (states.size * (states.size - 1)) / 2 ** 33;
  for (const half of halves) expect(states.size - half.size).toBeLessThan(4 * byChance + 8);
});

import { describe, expect, it } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import { STATE_WORDS } from '../../src/shared/math/random.ts';
import { scalarBytes } from '../../src/shared/schema.ts';
import { type Dice, underSeed } from './dice.ts';
import {
  GLOBALS,
  type HashedWorld,
  type Name,
  NAMES,
  numbersFor,
  openHashed,
  SYSTEMS,
} from './hashed-world.ts';
import { logBench } from './log-bench.ts';

/** A world with living and dead slots, and every number in it other than 0. */
function furnished(dice: Dice): HashedWorld {
  const opened = openHashed();
  const { world } = opened;
  const some = (): Record<string, number[]> =>
    Object.fromEntries(
      dice.some(NAMES).map((name) => [name, numbersFor(name, (end) => dice.below(end))]),
    );
  for (let i = 0; i < 34; i++) world.spawn(some());
  for (let i = 0; i < 20; i++) world.despawn(world.entityAt(dice.below(34)));
  for (let i = 0; i < 5; i++) world.spawn(some());
  for (const name of NAMES) world.remove(world.entityAt(dice.pick(world.live())), name);
  for (const type of GLOBALS) world.globals[type] = 1 + dice.below(100);
  for (const random of world.generators) random.nextU32();
  world.beginTick();
  return opened;
}

function bitsIn(byte: number): number {
  return byte === 0 ? 0 : (byte & 1) + bitsIn(byte >>> 1);
}

/** The bits of a world's memory that are its state, and those that only follow from it. */
class Bits {
  /** By byte: which of its bits change the hash. */
  readonly state: Uint8Array;
  /** By byte: which of its bits may not be flipped alone. */
  readonly derived: Uint8Array;

  constructor({ world, map, roster, bytes }: HashedWorld) {
    this.state = new Uint8Array(bytes.length);
    this.derived = new Uint8Array(bytes.length);
    this.derived.fill(0xff, map.roster, map.roster + 64);
    const live = [...world.live()];
    this.derived.fill(0xff, map.roster + roster.live, map.roster + roster.handles);
    const alive = map.roster + roster.alive;
    this.derived.fill(0xff, alive, alive + 12);
    for (const index of live) {
      this.#fill(map.roster + roster.handles + 4 * index, 4);
      for (const at of roster.presence) this.#bit(map.roster + at, index);
    }
    for (const { name, width, column, rows, schema } of world.stores) {
      const stride = width * scalarBytes(schema.scalar);
      const base = column.byteOffset;
      if (rows === undefined) {
        for (const index of live) {
          const isThere = world.has(world.entityAt(index), name as Name);
          if (isThere) this.#fill(base + stride * index, stride);
        }
      } else {
        this.#fill(base, stride * rows.count);
        this.derived.fill(0xff, rows.slots.byteOffset - 64, base);
      }
    }
    this.#fill(map.random, 4 * STATE_WORDS * (1 + SYSTEMS));
    GLOBALS.forEach((type, g) =>
      this.#fill(map.globals + (map.globalOffsets[g] as number), scalarBytes(type)),
    );
  }

  #fill(at: number, bytes: number): void {
    this.state.fill(0xff, at, at + bytes);
  }

  #bit(bitset: number, index: number): void {
    const at = bitset + (index >>> 3);
    this.state[at] = (this.state[at] as number) | (1 << (index & 7));
  }
}

describe('the hash of the state', () => {
  it('changes, to another one, with every bit of the state, and with no other bit', () => {
    underSeed((dice) => {
      const opened = furnished(dice);
      const { bytes } = opened;
      const { state, derived } = new Bits(opened);
      const base = opened.hash();
      const seen = new Set([base]);
      const faults: string[] = [];
      for (let bit = 0; bit < 8 * bytes.length; bit++) {
        const at = bit >>> 3;
        const mask = 1 << (bit & 7);
        if (((derived[at] as number) & mask) !== 0) continue;
        bytes[at] = (bytes[at] as number) ^ mask;
        const hash = opened.hash();
        bytes[at] = (bytes[at] as number) ^ mask;
        const isState = ((state[at] as number) & mask) !== 0;
        if (isState ? seen.has(hash) : hash !== base) faults.push(`bit ${bit & 7} of byte ${at}`);
        seen.add(hash);
      }
      expect(faults).toEqual([]);
      expect(seen.size).toBe(1 + state.reduce((sum, byte) => sum + bitsIn(byte), 0));
      expect(opened.hash()).toBe(base);
    });
  });

  it('does not see what a dead slot or a component taken away has left', () => {
    const one = openHashed();
    const other = openHashed();
    for (const { world } of [one, other]) world.spawn({ pos: [1, 2] });
    const entity = other.world.entityAt(0);
    const brief = other.world.spawn({ energy: 5, rare: 6, frozen: 1 });
    other.world.add(entity, 'rare', [7, 8, 9]);
    other.world.add(entity, 'mask', 3);
    expect(other.hash()).not.toBe(one.hash());
    other.world.despawn(brief);
    other.world.remove(entity, 'rare');
    other.world.remove(entity, 'mask');
    expect(other.hash()).toBe(one.hash());
  });

  it('tells who has the row of a sparse component', () => {
    const low = openHashed();
    const high = openHashed();
    for (const { world } of [low, high]) for (let i = 0; i < 3; i++) world.spawn();
    low.world.add(low.world.entityAt(0), 'poison', 4);
    high.world.add(high.world.entityAt(2), 'poison', 4);
    expect(low.hash()).not.toBe(high.hash());
  });

  it('tells where one component ends and the next begins', () => {
    const [tags, numbers] = [openHashed(), openHashed()];
    for (const { world } of [tags, numbers]) for (let i = 0; i < 2; i++) world.spawn();
    for (const slot of [0, 1]) tags.world.add(tags.world.entityAt(slot), 'frozen');
    numbers.world.add(numbers.world.entityAt(0), 'level', 1);
    expect(tags.world.componentId('level')).toBe(tags.world.componentId('frozen') + 1);
    expect(tags.hash()).not.toBe(numbers.hash());
  });

  it('is another one after another tick, up to 2^53 - 1', () => {
    const { world } = openHashed();
    const ticks = [0, 1, 2, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 52, 2 ** 53 - 1];
    expect(new Set(ticks.map((tick) => world.stateHash.hex(tick))).size).toBe(ticks.length);
    const out = new Uint32Array(2);
    for (const tick of ticks) {
      world.stateHash.compute(tick, out);
      const hex = Array.from(out, (word) => word.toString(16).padStart(8, '0')).join('');
      expect(world.stateHash.hex(tick)).toBe(hex);
    }
  });

  it('takes in the state kept outside the world, when there is any', () => {
    const { world, hash } = openHashed();
    const base = hash();
    let foreign = 1;
    world.stateHash.foreign = () => foreign;
    const first = hash();
    foreign = 2 ** 40;
    const second = hash();
    world.stateHash.foreign = undefined;
    expect([hash(), new Set([base, first, second]).size]).toEqual([base, 3]);
  });

  it('is the same for -0 and 0, in every column and global of floats', () => {
    for (const name of ['pos', 'energy', 'rare'] as const) {
      const [plus, minus] = [openHashed(), openHashed()];
      plus.world.spawn({ [name]: 0 });
      minus.world.spawn({ [name]: -0 });
      expect(Object.is(minus.world.columns[name][0], -0)).toBe(true);
      expect(minus.hash()).toBe(plus.hash());
    }
    for (const type of ['f32', 'f64']) {
      const { world, hash } = openHashed();
      const base = hash();
      world.globals[type] = -0;
      expect([Object.is(world.globals[type], -0), hash()]).toEqual([true, base]);
    }
  });
});

describe('a NaN in the state', () => {
  const floats = ['pos', 'energy', 'rare'] as const;

  it('is the same whatever its bits, and other than any number', () => {
    for (const name of floats) {
      const opened = openHashed();
      const { world, bytes } = opened;
      world.spawn({ [name]: 1 });
      const base = opened.hash();
      const { byteOffset, BYTES_PER_ELEMENT } = world.columns[name];
      const view = new DataView(bytes.buffer, byteOffset);
      const hashes = [0, 1, 2 ** 31].flatMap((sign) =>
        [1, 2 ** 18, 2 ** 19 + 5].map((payload) => {
          const isLong = BYTES_PER_ELEMENT === 8;
          const word = ((isLong ? 0x7ff00000 : 0x7f800000) | sign | payload) >>> 0;
          view.setUint32(isLong ? 4 : 0, word, true);
          return opened.hash();
        }),
      );
      expect(new Set(hashes).size).toBe(1);
      expect(hashes[0]).not.toBe(base);
      if (BYTES_PER_ELEMENT === 4) continue;
      view.setUint32(4, 0x7ff00000, true);
      view.setUint32(0, 1, true);
      expect(opened.hash()).toBe(hashes[0]);
    }
  });

  it('is none of the infinities and none of the largest numbers', () => {
    const numbers = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3e38, 1e-320, -1];
    for (const name of floats) {
      const { world, hash } = openHashed();
      const entity = world.spawn();
      const hashes = numbers.map((number) => {
        world.add(entity, name, number);
        const hex = hash();
        expect([world.stateHash.nanCount, world.stateHash.firstNan]).toEqual([0, undefined]);
        return hex;
      });
      expect(new Set(hashes).size).toBe(numbers.length);
    }
  });

  it('is counted, and the first is told by component and entity, in the log too', () => {
    const bench = logBench();
    const { world } = openHashed(bench.log.for('ecs'));
    for (let i = 0; i < 4; i++) world.spawn({ energy: 1 });
    const entity = world.entityAt(2) as Entity;
    world.add(entity, 'energy', Number.NaN);
    world.add(world.entityAt(3), 'energy', Number.NaN);
    world.add(world.entityAt(1), 'rare', [1, Number.NaN, Number.NaN]);
    bench.records.length = 0;
    world.stateHash.hex(12);
    expect(world.stateHash.nanCount).toBe(4);
    expect(world.stateHash.firstNan).toEqual({ component: 'energy', entity, index: 2 });
    expect(bench.events()).toEqual(['state_nan']);
    const fields = { tick: 12, component: 'energy', entity, index: 2, count: 4 };
    expect([bench.records[0]?.severity, bench.records[0]?.fields]).toEqual(['error', fields]);
    for (const slot of [1, 2, 3]) world.despawn(world.entityAt(slot));
    world.stateHash.hex(13);
    expect([world.stateHash.nanCount, world.stateHash.firstNan]).toEqual([0, undefined]);
  });

  it('is told of a global by its name', () => {
    for (const type of ['f32', 'f64']) {
      const bench = logBench();
      const { world } = openHashed(bench.log.for('ecs'));
      world.globals[type] = Number.NaN;
      world.stateHash.hex(1);
      const report = { component: `globals.${type}`, entity: 0, index: -1 };
      expect([world.stateHash.nanCount, world.stateHash.firstNan]).toEqual([1, report]);
      expect(bench.fieldsOf('state_nan')).toEqual([{ tick: 1, count: 1, ...report }]);
    }
  });

  it('takes as many words as a number, so that what is beside it cannot stand in for it', () => {
    const double = (high: number, low: number): number => {
      const view = new DataView(new ArrayBuffer(8));
      view.setUint32(0, high);
      view.setUint32(4, low);
      return view.getFloat64(0);
    };
    const [nan, one] = [0x7fc00000, 0x40000000];
    const left = openHashed();
    const right = openHashed();
    left.world.spawn({ rare: [Number.NaN, double(one, nan), 1] });
    right.world.spawn({ rare: [double(nan, one), Number.NaN, 1] });
    expect(left.hash()).not.toBe(right.hash());
  });
});

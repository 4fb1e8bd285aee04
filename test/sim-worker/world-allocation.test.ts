import { expect, test } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import { scalar, sparse, step, tag, vec2 } from '../../src/sim-worker/index.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { type SystemBench, systemBench } from './system-bench.ts';

const calls = scaled({ tiny: 3000, normal: 10_000, full: 10_000 });
/** How long something that is left is hoped to go. */
const patienceMs = scaled({ tiny: 500, normal: 5000, full: 5000 });
const ENTITIES = 10_000;
const CHURN = 10;

const components = {
  pos: vec2(),
  vel: vec2(),
  age: step('u32'),
  frozen: tag(),
  rare: sparse(scalar(), 500),
};

type Bench = SystemBench<typeof components>;

const BORN = { pos: [1, 2], vel: [0.5, 0.25], age: 0 };
const MOVERS = { all: ['pos', 'vel'], none: ['frozen'] } as const;
const AGED = { all: ['age'], any: ['pos', 'rare'] } as const;
const FROZEN = { all: ['frozen'] } as const;

/** 10,000 entities, four systems that use all that a tick may use, and timing. */
function busy(): Bench {
  const bench = systemBench({
    capacity: 2 ** 14,
    components,
    changes: true,
    maxSystems: 5,
    churnPerFrame: 0,
  });
  const { world, set } = bench;
  for (let i = 0; i < ENTITIES; i++) world.spawn(BORN);
  set.register({
    name: 'move',
    reads: ['vel'],
    writes: ['pos'],
    run({ world, columns: { pos, vel }, dt, random }) {
      const movers = world.query(MOVERS);
      const runs = movers.refreshRuns();
      const nudge = random.nextRange(0, 2);
      for (let r = 0; r < runs; r++) {
        const end = 2 * (movers.ends[r] as number);
        for (let i = 2 * (movers.begins[r] as number); i < end; i++) {
          pos[i] = (pos[i] as number) + (vel[i] as number) * dt + nudge;
        }
      }
    },
  });
  set.register({
    name: 'grow older',
    writes: ['age'],
    run({ world, columns: { age } }) {
      const aged = world.query(AGED);
      const count = aged.refresh();
      for (let k = 0; k < count; k++) {
        const i = aged.indices[k] as number;
        age[i] = (age[i] as number) + 1;
      }
    },
  });
  set.register({
    name: 'give and take',
    writes: ['frozen', 'rare'],
    run({ world, commands, tick }) {
      for (let k = 0; k < CHURN; k++) {
        const given = world.entityAt((CHURN * tick + k) % ENTITIES);
        const taken = world.entityAt((CHURN * (tick + ENTITIES - 20) + k) % ENTITIES);
        commands.add(given, 'frozen');
        commands.add(given, 'rare', tick);
        commands.remove(taken, 'frozen');
        commands.remove(taken, 'rare');
      }
    },
  });
  set.register({
    name: 'live and die',
    after: ['grow older', 'give and take', 'move'],
    writes: ['pos', 'vel', 'age'],
    run({ world, commands, tick }) {
      for (let k = 0; k < CHURN; k++) {
        const doomed = world.entityAt((7 * CHURN * tick + 3 * k) % ENTITIES) as Entity;
        if (k % 2 === 0) world.despawn(doomed);
        else commands.despawn(doomed);
        if (k % 2 === 0) world.spawn(BORN);
        else commands.spawn(BORN);
      }
    },
  });
  return bench;
}

test('a steady tick over 10,000 entities leaves nothing on the heap', { timeout: 600_000 }, () => {
  const bench = busy();
  const { world, set, hand } = bench;
  const frozen = world.query(FROZEN);
  let changed = 0;
  set.register({
    name: 'watch',
    run({ world }) {
      changed += frozen.refreshChanges();
      for (let k = 0; k < frozen.enteredCount; k++) {
        if (!world.isAlive(frozen.entered[k] as Entity)) changed++;
      }
      hand.ns += 1000;
    },
  });
  set.use(set.schedule());
  let tick = 0;
  const perTick = bytesLeft(calls, () => {
    set.beginFrame();
    set.runTick(++tick);
  });
  expect(world.count).toBe(ENTITIES);
  expect(set.profiler.systems.map(({ runs }) => runs)).toEqual(set.specs.map(() => tick));
  expect(frozen.refresh()).toBeGreaterThan(100);
  expect(changed).toBeGreaterThan(CHURN * tick);
  expect(perTick).toBe(0);
});

test('a hash of the state leaves nothing on the heap', () => {
  const { world } = systemBench({ capacity: 100, components });
  for (let i = 0; i < 80; i++) world.spawn(i % 3 === 0 ? { ...BORN, frozen: 1, rare: i } : BORN);
  const out = new Uint32Array(2);
  let tick = 0;
  expect(bytesLeft(calls, () => world.stateHash.compute(++tick, out))).toBe(0);
});

test('the measure shows nothing for nothing, and sees one small list left in a tick', () => {
  expect(bytesLeft(calls, () => undefined)).toBe(0);
  const bench = systemBench({ capacity: 100, components, maxSystems: 1 });
  const kept: { last: readonly number[] } = { last: [] };
  bench.set.register({ name: 'litter', run: ({ tick }) => void (kept.last = [tick]) });
  bench.set.use(bench.set.schedule());
  let tick = 0;
  expect(bytesLeft(calls, () => bench.set.runTick(++tick), patienceMs)).toBeGreaterThanOrEqual(16);
  expect(kept.last).toEqual([tick]);
});

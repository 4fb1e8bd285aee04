import { startSimulation } from 'escapement';
import { describe, expect, it, test } from 'vitest';
import type { Entity } from '../../src/shared/entity.ts';
import type { LogRecord } from '../../src/shared/log.ts';
import {
  createWorld,
  defineSimulation,
  inline,
  scalar,
  sparse,
  tag,
  type World,
} from '../../src/sim-worker/index.ts';
import { VirtualClock } from '../render/stage.ts';
import { type LogBench, logBench } from './log-bench.ts';
import { errorOf, outcome } from './outcome.ts';

const components = { hp: scalar(), frozen: tag(), rare: sparse(scalar(), 2) };

interface Guarded extends LogBench {
  readonly world: World<typeof components>;
}

function guarded(capacity: number, churnPerFrame?: number): Guarded {
  const bench = logBench();
  const churn = churnPerFrame === undefined ? {} : { churnPerFrame };
  const world = createWorld({ capacity, components, log: bench.log.for('ecs'), ...churn });
  world.beginFrame();
  return { ...bench, world };
}

/** Begins a frame, in a window of the log that has told nothing. */
function nextFrame({ world, clock }: Guarded): void {
  clock.nowMs += 1000;
  world.beginFrame();
}

it('counts nothing before the first frame: what fills a world is no overload', () => {
  const { records, log } = logBench();
  const world = createWorld({ capacity: 400, components, log: log.for('ecs') });
  for (let i = 0; i < 400; i++) world.spawn({ hp: i });
  expect([records, world.guard.frameChurn, world.guard.entityBudgetWarnings]).toEqual([[], 0, 0]);
  world.beginFrame();
  world.despawn(world.entityAt(0));
  world.spawn({ hp: 1 });
  expect(records.map(({ event }) => event)).toEqual(['entity_budget_100']);
  expect(world.guard.frameChurn).toBe(1);
});

describe('the entity budget (G-R3)', () => {
  it('warns when a birth makes the count reach 25, 50 and 100 %, rounded down, never at 0', () => {
    for (let capacity = 0; capacity <= 130; capacity++) {
      const { world, records } = guarded(capacity);
      const reached: Record<string, number> = {};
      for (let count = 1; count <= capacity; count++) {
        const before = records.length;
        world.spawn();
        for (const { event, fields } of records.slice(before)) {
          expect(fields).toEqual({ entity_count: count, capacity, level: Number(event.slice(14)) });
          reached[event] = count;
        }
      }
      const wanted = [25, 50, 100]
        .map((level): [string, number] => [
          `entity_budget_${level}`,
          Math.floor((capacity * level) / 100),
        ])
        .filter(([, threshold]) => threshold > 0);
      expect(reached).toEqual(Object.fromEntries(wanted));
      expect(world.guard.entityBudgetWarnings).toBe(wanted.length);
    }
  });

  it('warns once a level and frame, however often it is reached, and again in the next', () => {
    const bench = guarded(8);
    const { world, fieldsOf, records } = bench;
    for (let frame = 1; frame <= 3; frame++) {
      nextFrame(bench);
      for (let time = 0; time < 5; time++) {
        const entities = [world.spawn(), world.spawn(), world.spawn(), world.spawn()];
        for (const entity of entities) world.despawn(entity);
      }
      expect(world.guard.entityBudgetWarnings).toBe(2 * frame);
    }
    expect(fieldsOf('entity_budget_25')).toHaveLength(3);
    expect(fieldsOf('entity_budget_50')).toHaveLength(3);
    expect(records.map(({ severity, subsystem }) => `${severity} ${subsystem}`)).toEqual(
      Array.from({ length: 6 }, () => 'warn ecs'),
    );
  });

  it('counts a birth by command when it applies, and none that was refused', () => {
    const { world, events } = guarded(2);
    world.commands.spawn();
    expect(events()).toEqual([]);
    world.commands.apply();
    expect(events()).toEqual(['entity_budget_50']);
    world.spawn();
    expect(outcome(() => world.spawn())).toBe('CAPACITY_EXHAUSTED');
    expect(events()).toEqual(['entity_budget_50', 'entity_budget_100']);
  });

  it('does not warn on the way down', () => {
    const { world } = guarded(8);
    const entities = Array.from({ length: 8 }, () => world.spawn());
    world.beginFrame();
    const before = world.guard.entityBudgetWarnings;
    for (const entity of entities) world.despawn(entity);
    expect(world.guard.entityBudgetWarnings).toBe(before);
  });
});

describe('the churn of components (G-R4)', () => {
  /** What each use counts; the entity has `hp` and not `frozen`. */
  const uses: readonly [string, number, (world: Guarded['world'], entity: Entity) => unknown][] = [
    ['a component given', 1, (world, entity) => world.add(entity, 'frozen')],
    ['one overwritten', 1, (world, entity) => world.add(entity, 'hp', 2)],
    ['one taken', 1, (world, entity) => world.remove(entity, 'hp')],
    ['one taken that is not there', 0, (world, entity) => world.remove(entity, 'frozen')],
    ['one spawned with', 2, (world) => world.spawn({ hp: 1, rare: 2 })],
    ['a bare spawn', 0, (world) => world.spawn()],
    ['one set by a teleport', 1, (world, entity) => world.teleport(entity, { hp: 1 })],
    ['a despawn', 0, (world, entity) => world.despawn(entity)],
    ['a clear', 0, (world) => world.clear()],
    ['a direct write', 0, (world) => (world.columns.hp[0] = 3)],
    ['a stale add', 0, (world) => world.add(99 as Entity, 'hp')],
    ['a stale remove', 0, (world) => world.remove(99 as Entity, 'hp')],
    ['a refused width', 0, (world, entity) => outcome(() => world.add(entity, 'hp', [1, 2]))],
    [
      'a command, when it applies',
      2,
      (world, entity) => {
        world.commands.add(entity, 'frozen');
        world.commands.remove(entity, 'hp');
        world.commands.remove(entity, 'rare');
        expect(world.guard.frameChurn).toBe(0);
        world.commands.apply();
      },
    ],
  ];

  it.each(uses)('counts %s as %i', (_, count, use) => {
    const { world } = guarded(8);
    const entity = world.spawn({ hp: 1 });
    world.beginFrame();
    use(world, entity);
    expect(world.guard.frameChurn).toBe(count);
  });

  it('does not count what finds no row', () => {
    const { world } = guarded(8);
    world.spawn({ rare: 1 });
    world.spawn({ rare: 1 });
    const entity = world.spawn();
    world.beginFrame();
    expect(outcome(() => world.add(entity, 'rare'))).toBe('CAPACITY_EXHAUSTED');
    world.commands.add(entity, 'rare');
    expect(outcome(() => world.commands.apply())).toBe('CAPACITY_EXHAUSTED');
    expect(world.guard.frameChurn).toBe(0);
  });

  it('warns strictly above the budget, once a frame, with what it has come to', () => {
    for (const [given, budget] of [
      [undefined, 256],
      [256, 256],
      [1, 1],
      [7, 7],
    ] as const) {
      const bench = guarded(4, given);
      const { world, fieldsOf } = bench;
      const entity = world.spawn();
      for (let frame = 1; frame <= 3; frame++) {
        nextFrame(bench);
        for (let i = 0; i < budget; i++) world.add(entity, 'hp', i);
        expect(world.guard.churnWarnings).toBe(frame - 1);
        for (let i = 0; i < 5; i++) world.add(entity, 'hp', i);
        expect(world.guard.churnWarnings).toBe(frame);
      }
      const fields = { frame_churn: budget + 1, churn_budget: budget };
      expect(fieldsOf('churn_per_frame')).toEqual([fields, fields, fields]);
    }
  });

  it('never warns with a budget of 0, but counts', () => {
    const { world, events } = guarded(100, 0);
    const entity = world.spawn();
    for (let i = 0; i < 5000; i++) world.add(entity, 'hp', i);
    expect(world.guard.frameChurn).toBe(5000);
    expect([world.guard.churnWarnings, events()]).toEqual([0, []]);
  });

  it('has a budget that is a whole number from 0', () => {
    for (const churnPerFrame of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      const { code, message } = errorOf(() => guarded(1, churnPerFrame));
      expect(code).toBe('OPTION_INVALID');
      expect(message).toContain('churnPerFrame');
    }
  });

  it('is counted when its warning is held back by the log', () => {
    const { world, events } = guarded(4, 1);
    const entity = world.spawn();
    for (let frame = 1; frame <= 4; frame++) {
      world.beginFrame();
      world.add(entity, 'hp');
      world.add(entity, 'hp');
    }
    expect(world.guard.churnWarnings).toBe(4);
    expect(events().filter((event) => event === 'churn_per_frame')).toHaveLength(1);
  });
});

describe('a call that names a dead entity', () => {
  const uses: readonly [string, string, (world: Guarded['world'], dead: Entity) => unknown][] = [
    ['despawn', 'stale_entity_destroy', (world, dead) => world.despawn(dead)],
    ['add', 'stale_entity_access', (world, dead) => world.add(dead, 'hp')],
    ['remove', 'stale_entity_access', (world, dead) => world.remove(dead, 'hp')],
    ['get', 'stale_entity_access', (world, dead) => world.get(dead, 'hp', [])],
    ['check', 'stale_entity_access', (world, dead) => world.check(dead)],
    ['teleport', 'stale_entity_access', (world, dead) => world.teleport(dead, { hp: 1 })],
  ];

  it.each(uses)('by %s is told as %s, returns false and changes nothing', (_, event, use) => {
    const { world, fieldsOf, events } = guarded(4);
    const dead = world.spawn({ hp: 1 });
    world.despawn(dead);
    world.spawn({ hp: 2 });
    const told = events().length;
    const { version } = world;
    expect(use(world, dead)).toBe(false);
    expect(fieldsOf(event)).toEqual([{ entity: dead, stale_calls: 1 }]);
    expect([events().length - told, world.version, world.columns.hp[0]]).toEqual([1, version, 2]);
  });

  it('is silent and not counted by has, isAlive, indexOf and entityAt', () => {
    const { world, events } = guarded(4);
    const dead = world.spawn();
    world.despawn(dead);
    const told = events().length;
    expect([world.has(dead, 'hp'), world.isAlive(dead)]).toEqual([false, false]);
    expect([world.indexOf(dead), world.entityAt(0), world.entityAt(-1)]).toEqual([-1, 0, 0]);
    expect([world.staleCount, events().length]).toEqual([0, told]);
  });

  it('is told once a window of the log, and counted on; the summary says how many were not', () => {
    const { world, clock, events, fieldsOf } = guarded(8);
    const dead = world.spawn();
    world.despawn(dead);
    for (let call = 1; call <= 10; call++) {
      clock.nowMs = call;
      world.check(dead);
      world.despawn(dead);
    }
    expect(world.staleCount).toBe(20);
    expect(events()).toEqual(['stale_entity_access', 'stale_entity_destroy']);
    clock.nowMs = 1001;
    world.check(dead);
    expect(fieldsOf('rate_limited')).toEqual([{ event: 'stale_entity_access', suppressed: 9 }]);
    expect(fieldsOf('stale_entity_access').at(-1)).toEqual({ entity: dead, stale_calls: 21 });
  });
});

test('a frame of a simulation is a wake-up of its driver, whatever ticks it makes', async () => {
  const definition = defineSimulation({
    capacity: 8,
    tickRateHz: 20,
    components: { hp: scalar() },
    publish: [],
    churnPerFrame: 5,
    setup: ({ world }) => void world.spawn({ hp: 1 }),
    systems: [
      {
        name: 'churn',
        writes: ['hp'],
        run: ({ world }) => {
          for (let i = 0; i < 2; i++) world.add(world.entityAt(0), 'hp', i);
        },
      },
    ],
  });
  const told: LogRecord[] = [];
  const clock = new VirtualClock();
  const manual = inline(definition, { pacing: 'manual', clock });
  const sim = await startSimulation(manual, { logSink: (record) => void told.push(record) });
  for (const ms of [100, 200, 350, 450]) {
    clock.toMs(ms);
    manual.runDue();
  }
  await sim.stop();
  expect(sim.tick).toBe(9);
  const warnings = told.filter(({ event }) => event === 'churn_per_frame');
  expect(warnings.map(({ subsystem, fields }) => [subsystem, fields])).toEqual([
    ['ecs', { frame_churn: 6, churn_budget: 5 }],
  ]);
});

import { describe, expect, test } from 'vitest';
import { createLog, type LogRecord } from '../../src/shared/log.ts';
import { createSystems, createWorld, GameLoop, scalar } from '../../src/sim-worker/index.ts';
import { VirtualClock } from '../render/stage.ts';

/** A loop over a real world with two systems, in virtual time. */
function openLoop() {
  const clock = new VirtualClock();
  const lines: LogRecord[] = [];
  const log = createLog({ nowMs: () => clock.ns / 1e6, sink: (line) => void lines.push(line) });
  const world = createWorld({
    capacity: 100,
    components: { a: scalar(), b: scalar() },
    churnPerFrame: 4,
    log: log.for('ecs'),
  });
  const systems = createSystems(world, { tickRateHz: 100, clock, log });
  const ran: string[] = [];
  systems.register({
    name: 'second',
    reads: ['a'],
    writes: ['b'],
    after: ['first'],
    budgetMs: 1,
    run: ({ tick }) => void ran.push(`second ${tick}`),
  });
  systems.register({
    name: 'first',
    writes: ['a'],
    run: ({ tick }) => void ran.push(`first ${tick}`),
  });
  systems.use(systems.schedule());
  const ticks: number[] = [];
  const loop = new GameLoop(systems, {
    tickRateHz: 100,
    clock,
    log,
    onTick: (tick) => void ticks.push(tick),
  });
  const frameAt = (ms: number): string => {
    clock.toMs(ms);
    return loop.frame();
  };
  const events = (): string[] => lines.map(({ subsystem, event }) => `${subsystem}/${event}`);
  return { clock, world, systems, loop, ran, ticks, lines, frameAt, events };
}

describe('a loop over a world and its systems', () => {
  test('runs every due tick in the order of the schedule', () => {
    const { frameAt, ran, ticks } = openLoop();
    expect(frameAt(0)).toBe('ok');
    expect(frameAt(25)).toBe('ok');
    expect(ran).toEqual(['first 1', 'second 1', 'first 2', 'second 2']);
    expect(ticks).toEqual([1, 2]);
  });

  test('CLK 20: four ticks of one late frame are given the quantum each, not the frame', () => {
    const clock = new VirtualClock();
    const world = createWorld({ capacity: 1, components: { a: scalar() } });
    const systems = createSystems(world, { tickRateHz: 60, clock });
    const seen: [tick: number, dt: number][] = [];
    systems.register({ name: 'note', run: ({ tick, dt }) => void seen.push([tick, dt]) });
    systems.use(systems.schedule());
    const loop = new GameLoop(systems, { clock });
    loop.frame();
    clock.toMs(66.7);
    expect(loop.frame()).toBe('ok');
    expect(seen).toEqual([1, 2, 3, 4].map((tick) => [tick, 1 / 60]));
  });

  test('a stale schedule runs no system, and the tick stands still until a new loop', () => {
    const { systems, loop, ran, ticks, frameAt, lines } = openLoop();
    frameAt(0);
    frameAt(10);
    systems.register({ name: 'third', run: () => void ran.push('third') });
    ran.length = 0;
    for (let ms = 20; ms <= 1500; ms += 10) expect(frameAt(ms)).toBe('schedule-stale');
    expect([loop.currentTick, ran, ticks]).toEqual([1, [], [1]]);
    expect(loop.stats).toMatchObject({ droppedTicks: 0, ticks: 1 });
    expect(loop.lastError?.code).toBe('SCHEDULE_STALE');
    const told = lines.filter(({ event }) => event === 'schedule_stale');
    expect(told.map(({ fields }) => fields)).toEqual(
      Array.from({ length: 2 }, () => ({ scheduled_systems: 2, current_systems: 3 })),
    );
    systems.use(systems.schedule());
    const next = new GameLoop(systems, { tickRateHz: 100, clock: { read: (out) => out } });
    expect(next.frame()).toBe('ok');
  });

  test('a schedule built by hand that is no order of the systems runs nothing', () => {
    const { systems, loop, ran, frameAt } = openLoop();
    frameAt(0);
    for (const order of [[0, 1], [1, 1], [1, 3], [1], [1.5, 2]]) {
      systems.use({ order, systemCount: 2, warnings: [] });
      expect(frameAt(10)).toBe('schedule-invalid');
    }
    expect([ran, loop.currentTick]).toEqual([[], 0]);
    systems.use({ order: [1, 2], systemCount: 2, warnings: [] });
    expect(frameAt(10)).toBe('ok');
    expect(ran).toEqual(['second 1', 'first 1']);
  });

  test('guardrail windows are per frame: a catch-up frame counts all its ticks', () => {
    const { systems, world, frameAt, events } = openLoop();
    const entity = world.spawn({ a: 0 });
    systems.register({
      name: 'churner',
      writes: ['a'],
      after: ['first'],
      run: () => void world.add(entity, 'a', 1),
    });
    systems.use(systems.schedule());
    frameAt(0);
    for (let frame = 1; frame <= 8; frame++) frameAt(10 * frame);
    expect(world.guard.churnWarnings).toBe(0);
    frameAt(130);
    expect(world.guard.churnWarnings).toBe(1);
    expect(events().filter((event) => event === 'ecs/churn_per_frame')).toHaveLength(1);
  });

  test('a run over its budget is told, counted in its frame, and fails the report', () => {
    const { systems, clock, frameAt, events, lines } = openLoop();
    systems.register({
      name: 'slow',
      budgetMs: 1,
      run: ({ tick }) => {
        if (tick === 2) clock.ns += 3e6;
      },
    });
    systems.use(systems.schedule());
    frameAt(0);
    frameAt(10);
    frameAt(20);
    expect(events()).toEqual(['system/budget_overrun', 'system/budget_critical']);
    expect(lines.at(-1)?.fields).toMatchObject({
      system: 'slow',
      id: 3,
      measured_ms: 3,
      budget_ms: 1,
      window_samples: 2,
    });
    expect(systems.profiler.ticks.count).toBe(2);
    expect(
      systems.profiler.frameRecords
        .list()
        .map(({ tick, overruns, verdict }) => [tick, overruns, verdict]),
    ).toEqual([
      [1, 0, 'PASS'],
      [2, 2, 'FAIL'],
    ]);
  });
});

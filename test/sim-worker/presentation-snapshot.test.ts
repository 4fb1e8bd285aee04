import { describe, expect, test } from 'vitest';
import { EscapementError } from '../../src/shared/error.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { quantumOf } from '../../src/shared/rational.ts';
import {
  createSystems,
  createWorld,
  type Entity,
  fixed,
  FIXED_ONE,
  GameLoop,
  position3d,
  PresentationSnapshot,
  scalar,
  sparse,
  step,
  vec2,
} from '../../src/sim-worker/index.ts';
import { errorOf, outcome } from './outcome.ts';
import { at, openStage, sample } from './presentation-stage.ts';

const MS = 1e6;

describe('create', () => {
  test.each([20, 60, 59.94, 120])('takes %d Hz', (tickRateHz) => {
    const { open, records } = openStage();
    const snapshot = open({ tickRateHz });
    expect([snapshot.lastTick, snapshot.alpha, snapshot.alphaRaw]).toEqual([0, 0, undefined]);
    expect(records).toEqual([]);
  });

  test.each([19, 121, Number.NaN, 0, undefined])('refuses %d Hz with one warning', (tickRateHz) => {
    const { open, records, events, fieldsOf } = openStage();
    for (let i = 0; i < 3; i++) expect(outcome(() => open({ tickRateHz }))).toBe('OPTION_INVALID');
    expect(events()).toEqual(['tick_rate_invalid']);
    expect(records[0]).toMatchObject({ severity: 'warn', subsystem: 'presentation' });
    expect(fieldsOf('tick_rate_invalid')).toEqual([{ tick_rate_hz: tickRateHz }]);
  });

  test('takes the rate of a loop, and refuses another one than that', () => {
    const { world, log, events } = openStage();
    const loop = new GameLoop(createSystems(world, { tickRateHz: 50, log }));
    const create = (tickRateHz?: number): unknown =>
      PresentationSnapshot.create(world, loop, { tickRateHz, log }).lastTick;
    expect([outcome(() => create()), outcome(() => create(50))]).toEqual([0, 0]);
    expect(errorOf(() => create(60)).message).toContain('a snapshot at 60 Hz of a loop at 50 Hz');
    expect(outcome(() => create(7))).toBe('OPTION_INVALID');
    const slow = { startReference: at(0), stats: { droppedTicks: 0 } };
    const quantum = quantumOf({ fixedDt: 0.1 });
    expect(outcome(() => PresentationSnapshot.create(world, { ...slow, quantum }, { log }))).toBe(
      'OPTION_INVALID',
    );
    expect(events()).toEqual(['tick_rate_invalid']);
  });

  test('takes the loop’s exact quantum where no rate names it', () => {
    const { world } = openStage();
    const quantum = { numerator: 123_457, denominator: 10_000_000 };
    const clock = { startReference: at(0), stats: { droppedTicks: 0 }, quantum };
    const snapshot = PresentationSnapshot.create(world, clock, { component: 'exact' });
    snapshot.onTick(1);
    snapshot.onRenderFrame(at(123_457 * 150));
    expect(snapshot.alphaRaw).toBe(32_768);
  });

  test.each([
    ['nothing', 'NAME_UNKNOWN', '"nothing"'],
    ['three', 'OPTION_INVALID', 'it has 3 numbers, not 2'],
    ['one', 'OPTION_INVALID', 'it has 1 numbers, not 2'],
    ['double', 'OPTION_INVALID', 'f64 with the blend lerp has no backend'],
    ['stepped', 'OPTION_INVALID', 'f32 with the blend step has no backend'],
    ['rare', 'OPTION_INVALID', 'it is sparse'],
  ])('refuses component %s and names those that would do', (component, code, why) => {
    const all = {
      place: vec2(),
      exact: fixed(2),
      three: position3d(),
      one: scalar(),
      double: vec2('f64'),
      stepped: step('f32', 2),
      rare: sparse(vec2(), 4),
    };
    const world = createWorld({ capacity: 1, components: all });
    const error = errorOf(() =>
      PresentationSnapshot.create(world, at(0), { tickRateHz: 60, component: component as 'one' }),
    );
    expect(error).toBeInstanceOf(EscapementError);
    expect(error.code).toBe(code);
    expect(error.message).toContain(why);
    expect(error.detail.allowed).toBe('place, exact');
  });

  test('keeps a copy of the start reference', () => {
    const { world } = openStage();
    const reference = createInstant(5, 0);
    const snapshot = PresentationSnapshot.create(world, reference, { tickRateHz: 100 });
    reference.seconds = 99;
    snapshot.onTick(1);
    snapshot.onRenderFrame(createInstant(5, 15 * MS));
    expect(snapshot.alpha).toBe(0.5);
  });
});

describe('alpha and place after tick 2 at 100 Hz, x from 1 to 2', () => {
  test.each([
    ['when tick 2 was due', 0, 0, 65_536],
    ['5 ms later', 5 * MS, 32_768, 98_304],
    ['7.5 ms later', 7.5 * MS, 49_152, 114_688],
    ['9.9 ms later', 9.9 * MS, 64_881, 130_417],
    ['10 µs later', 10_000, 66, 65_602],
    ['1 ns later', 1, 0, 65_536],
    ['when tick 3 is due', 10 * MS, 65_536, 131_072],
    ['15 ms later', 15 * MS, 65_536, 131_072],
    ['5 s later', 5e9, 65_536, 131_072],
    ['1000 s later', 1e12, 65_536, 131_072],
    ['5 ns before', -5, 0, 65_536],
    ['before the start', -1e12, 0, 65_536],
  ])('%s', (_, after, alpha, raw) => {
    const { world, open } = openStage();
    const entity = world.spawn({ exact: [FIXED_ONE, -FIXED_ONE], position: [1, -1] });
    const exact = open({ component: 'exact' });
    const float = open();
    for (const snapshot of [exact, float]) snapshot.onTick(1);
    world.add(entity, 'exact', [2 * FIXED_ONE, -2 * FIXED_ONE]);
    world.add(entity, 'position', [2, -2]);
    for (const snapshot of [exact, float]) {
      snapshot.onTick(2);
      snapshot.onRenderFrame(at(20 * MS + after));
    }
    expect([exact.alphaRaw, exact.alpha]).toEqual([alpha, alpha / 65_536]);
    expect(sample(exact, entity)).toEqual(['ok', raw, -raw]);
    const t = Math.fround(Math.min(1, Math.max(0, after / (10 * MS))));
    expect([float.alpha, float.alphaRaw]).toEqual([t, undefined]);
    expect(sample(float, entity)).toEqual(['ok', Math.fround(1 + t), -Math.fround(1 + t)]);
  });

  test('9 x 10^18 ns later', () => {
    const { world, open } = openStage();
    const entity = world.spawn({ exact: [FIXED_ONE, 0] });
    const snapshot = open({ component: 'exact' });
    snapshot.onTick(1);
    world.add(entity, 'exact', [2 * FIXED_ONE, 0]);
    snapshot.onTick(2);
    snapshot.onRenderFrame(createInstant(9_000_001_000, 20 * MS));
    expect([snapshot.alphaRaw, sample(snapshot, entity)]).toEqual([65_536, ['ok', 131_072, 0]]);
  });

  test('binary32 from (1, 2) to (3, 4) is (2, 3) in the middle', () => {
    const { world, open } = openStage();
    const entity = world.spawn({ position: [1, 2] });
    const snapshot = open();
    snapshot.onTick(1);
    world.add(entity, 'position', [3, 4]);
    snapshot.onTick(2);
    snapshot.onRenderFrame(at(25 * MS));
    expect(sample(snapshot, entity)).toEqual(['ok', 2, 3]);
  });
});

describe('a sample', () => {
  test('snaps to the live place before the first tick, whatever the reading', () => {
    const { world, open } = openStage();
    const entity = world.spawn({ position: [3, 4] });
    const snapshot = open();
    snapshot.onRenderFrame(at(1e12));
    expect([snapshot.alpha, sample(snapshot, entity)]).toEqual([0, ['snapped', 3, 4]]);
    world.add(entity, 'position', [5, 6]);
    expect(sample(snapshot, entity)).toEqual(['snapped', 5, 6]);
  });

  test('snaps an entity that came between ticks: live, then as its first tick left it', () => {
    const { world, open } = openStage();
    const snapshot = open();
    snapshot.onTick(1);
    const entity = world.spawn({ position: [500, -20] });
    snapshot.onRenderFrame(at(15 * MS));
    expect(sample(snapshot, entity)).toEqual(['snapped', 500, -20]);
    snapshot.onTick(2);
    world.add(entity, 'position', [600, 0]);
    snapshot.onRenderFrame(at(25 * MS));
    // Overwritten since, but that is seen after the next tick.
    expect(sample(snapshot, entity)).toEqual(['snapped', 500, -20]);
    snapshot.onTick(3);
    snapshot.onRenderFrame(at(35 * MS));
    expect(sample(snapshot, entity)).toEqual(['ok', 550, -10]);
  });

  test('shows the pair, not what was overwritten since the last tick', () => {
    const { world, open } = openStage();
    const entity = world.spawn({ position: [0, 0] });
    const snapshot = open();
    snapshot.onTick(1);
    world.add(entity, 'position', [2, 2]);
    snapshot.onTick(2);
    world.add(entity, 'position', [90, 90]);
    snapshot.onRenderFrame(at(25 * MS));
    expect(sample(snapshot, entity)).toEqual(['ok', 1, 1]);
  });

  test('snaps across a teleport, in a tick and between ticks', () => {
    const { world, open } = openStage();
    const entity = world.spawn({ position: [0, 0] });
    const snapshot = open();
    for (const tick of [1, 2]) snapshot.onTick(tick);
    world.teleport(entity, { position: [50, 0] });
    snapshot.onRenderFrame(at(25 * MS));
    expect(sample(snapshot, entity)).toEqual(['snapped', 50, 0]);
    snapshot.onTick(3);
    world.add(entity, 'position', [60, 0]);
    snapshot.onRenderFrame(at(35 * MS));
    expect(sample(snapshot, entity)).toEqual(['snapped', 50, 0]);
    snapshot.onTick(4);
    snapshot.onRenderFrame(at(45 * MS));
    expect(sample(snapshot, entity)).toEqual(['ok', 55, 0]);
  });

  test('snaps a component that was taken and given again, however much later', () => {
    const { world, open } = openStage();
    const entity = world.spawn({ position: [0, 0] });
    const snapshot = open();
    let tick = 0;
    for (const ticksWithout of [0, 1, 5]) {
      for (let i = 0; i < 2; i++) snapshot.onTick(++tick);
      world.remove(entity, 'position');
      expect(sample(snapshot, entity)).toEqual(['no-component']);
      for (let i = 0; i < ticksWithout; i++) snapshot.onTick(++tick);
      expect(sample(snapshot, entity)).toEqual(['no-component']);
      world.add(entity, 'position', [100 + tick, 0]);
      snapshot.onRenderFrame(at((tick + 0.5) * 10 * MS));
      expect(sample(snapshot, entity)).toEqual(['snapped', 100 + tick, 0]);
      snapshot.onTick(++tick);
      snapshot.onRenderFrame(at((tick + 0.5) * 10 * MS));
      expect(sample(snapshot, entity)).toEqual(['snapped', 99 + tick, 0]);
    }
  });

  test('of a stale handle warns once a window, and writes nothing', () => {
    const { world, open, events, clock } = openStage();
    const entity = world.spawn({ position: [1, 1] });
    const snapshot = open();
    for (const tick of [1, 2]) snapshot.onTick(tick);
    world.despawn(entity);
    const out = new Float32Array([7, 8]);
    for (let i = 0; i < 100; i++) expect(snapshot.samplePosition(entity, out)).toBe('stale');
    expect([[...out], events(), world.staleCount]).toEqual([[7, 8], ['stale_entity_access'], 100]);
    clock.nowMs = 1000;
    snapshot.samplePosition(0 as Entity, out);
    expect(events()).toEqual(['stale_entity_access', 'rate_limited', 'stale_entity_access']);
  });

  test('of an entity without a place says so silently, and writes nothing', () => {
    const { world, open, records } = openStage();
    const entity = world.spawn({ exact: 1 });
    const out = [7, 8];
    expect(open().samplePosition(entity, out)).toBe('no-component');
    expect([out, records]).toEqual([[7, 8], []]);
  });
});

describe('ticks', () => {
  test('a catch-up frame spans the last tick alone', () => {
    const { world, open } = openStage();
    const entity = world.spawn({ exact: [0, 0] });
    const snapshot = open({ component: 'exact' });
    for (let tick = 1; tick <= 4; tick++) {
      world.add(entity, 'exact', [tick * FIXED_ONE, 0]);
      snapshot.onTick(tick);
    }
    snapshot.onRenderFrame(at(45 * MS));
    expect(sample(snapshot, entity)).toEqual(['ok', 3.5 * FIXED_ONE, 0]);
  });

  test.each([4, 2, 1])('that are no neighbours are not blended: %i after 2', (tick) => {
    const { world, open } = openStage();
    const entity = world.spawn({ position: [0, 0] });
    const snapshot = open();
    for (const earlier of [1, 2]) snapshot.onTick(earlier);
    world.add(entity, 'position', [8, 8]);
    expect(snapshot.onTick(tick)).toBe('ok');
    snapshot.onRenderFrame(at((tick + 0.5) * 10 * MS));
    expect([snapshot.lastTick, sample(snapshot, entity)]).toEqual([tick, ['snapped', 8, 8]]);
    world.add(entity, 'position', [10, 8]);
    snapshot.onTick(tick + 1);
    snapshot.onRenderFrame(at((tick + 1.5) * 10 * MS));
    expect(sample(snapshot, entity)).toEqual(['ok', 9, 8]);
  });

  test('inside a walk are refused: last tick and pair stay, and it is told once a window', () => {
    const { world, open, fieldsOf } = openStage();
    const entity = world.spawn({ position: [0, 0] });
    const snapshot = open();
    snapshot.onTick(1);
    world.add(entity, 'position', [2, 0]);
    snapshot.onTick(2);
    world.add(entity, 'position', [50, 0]);
    const query = world.query({ all: ['position'] });
    query.each(() => expect(snapshot.onTick(3)).toBe('in-walk'));
    query.each(() => query.each(() => expect(snapshot.onTick(3)).toBe('in-walk')));
    snapshot.onRenderFrame(at(25 * MS));
    expect([snapshot.lastTick, snapshot.rejectedCount]).toEqual([2, 2]);
    expect(sample(snapshot, entity)).toEqual(['ok', 1, 0]);
    expect(fieldsOf('refresh_rejected')).toEqual([
      { reason: 'in-walk', tick: 3, last_tick: 2, rejected: 1 },
    ]);
    expect(snapshot.onTick(3)).toBe('ok');
    // What is read while a query is walked is as ever.
    snapshot.onRenderFrame(at(35 * MS));
    query.each((_, it) => expect(sample(snapshot, it)).toEqual(['ok', 26, 0]));
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('with the number %d are refused', (tick) => {
    const { open, events } = openStage();
    const snapshot = open();
    expect([snapshot.onTick(tick), snapshot.lastTick, snapshot.rejectedCount]).toEqual([
      'not-a-tick',
      0,
      1,
    ]);
    expect(events()).toEqual(['refresh_rejected']);
  });

  test('read the world and never change it', () => {
    const { world, open } = openStage();
    for (let i = 0; i < 5; i++) world.spawn({ position: [i, 1 / 3], exact: i });
    const snapshot = open();
    const before = [world.stateHash.hex(1), world.version];
    for (let tick = 1; tick < 5; tick++) {
      snapshot.onTick(tick);
      snapshot.onRenderFrame(at(tick * 12 * MS));
      for (const index of world.live()) sample(snapshot, world.entityAt(index));
    }
    expect([world.stateHash.hex(1), world.version]).toEqual(before);
  });

  test('over a world of many blocks take every row, also of one that shrank and grew', () => {
    const { world, open } = openStage(10_000);
    const snapshot = open();
    const entities = Array.from({ length: 10_000 }, (_, i) => world.spawn({ position: [i, 0] }));
    const place = (tick: number): void => {
      const { position } = world.columns;
      for (let i = 0; i < 10_000; i++) position[2 * i] = i + 2 * tick;
      snapshot.onTick(tick);
      snapshot.onRenderFrame(at((tick + 0.5) * 10 * MS));
    };
    const misplaced = (tick: number, from: number, to: number, status: string): number[] =>
      entities.slice(from, to).flatMap((entity, k) => {
        const out = [0, 0];
        const got = snapshot.samplePosition(entity, out);
        const x = from + k + 2 * tick - (status === 'ok' ? 1 : 0);
        return got === status && out[0] === x ? [] : [from + k];
      });
    place(1);
    expect(misplaced(1, 0, 10_000, 'snapped')).toEqual([]);
    place(2);
    expect(misplaced(2, 0, 10_000, 'ok')).toEqual([]);
    for (const entity of entities.slice(100)) world.despawn(entity);
    place(3);
    place(4);
    expect(misplaced(4, 0, 100, 'ok')).toEqual([]);
    for (let i = 100; i < 10_000; i++) entities[i] = world.spawn({ position: [i, 0] });
    place(5);
    expect(misplaced(5, 0, 100, 'ok')).toEqual([]);
    expect(misplaced(5, 100, 10_000, 'snapped')).toEqual([]);
    place(6);
    expect(misplaced(6, 0, 10_000, 'ok')).toEqual([]);
  });
});

describe('several snapshots, empty worlds, closed ones', () => {
  test('snapshots of one world know nothing of each other', () => {
    const { world, open } = openStage();
    const entity = world.spawn({ position: [0, 0], exact: [0, 0] });
    const [every, odd, exact] = [open(), open(), open({ component: 'exact' })];
    for (let tick = 1; tick <= 6; tick++) {
      world.add(entity, 'position', [tick, 0]);
      world.add(entity, 'exact', [-tick * FIXED_ONE, 0]);
      every.onTick(tick);
      exact.onTick(tick);
      if (tick % 2 === 1) odd.onTick((tick + 1) / 2);
    }
    for (const snapshot of [every, exact]) snapshot.onRenderFrame(at(65 * MS));
    odd.onRenderFrame(at(35 * MS));
    expect(sample(every, entity)).toEqual(['ok', 5.5, 0]);
    expect(sample(odd, entity)).toEqual(['ok', 4, 0]);
    expect(sample(exact, entity)).toEqual(['ok', -5.5 * FIXED_ONE, 0]);
    every.close();
    expect([sample(every, entity), sample(odd, entity)]).toEqual([['closed'], ['ok', 4, 0]]);
  });

  test('a world of capacity 0 is legal', () => {
    const { open } = openStage(0);
    for (const component of ['position', 'exact'] as const) {
      const snapshot = open({ component });
      for (let tick = 1; tick < 4; tick++) expect(snapshot.onTick(tick)).toBe('ok');
      snapshot.onRenderFrame(at(35 * MS));
      expect([snapshot.lastTick, snapshot.alpha]).toEqual([3, 0.5]);
      expect(sample(snapshot, 1 as Entity)).toEqual(['stale']);
    }
  });

  test('a closed one answers so, reads 0, and neither touches the world nor logs', () => {
    const { world, open, records } = openStage();
    const entity = world.spawn({ exact: [1, 1] });
    const snapshot = open({ component: 'exact' });
    for (const tick of [1, 2]) snapshot.onTick(tick);
    snapshot.onRenderFrame(at(25 * MS));
    expect(snapshot.alpha).toBe(0.5);
    world.despawn(entity);
    snapshot.close();
    snapshot.close();
    const out = [7, 8];
    snapshot.onRenderFrame(at(25 * MS));
    expect([
      snapshot.onTick(3),
      snapshot.onTick(-1),
      snapshot.samplePosition(entity, out),
      snapshot.alpha,
      snapshot.alphaRaw,
      snapshot.lastTick,
    ]).toEqual(['closed', 'closed', 'closed', 0, 0, 0]);
    expect([out, records, world.staleCount]).toEqual([[7, 8], [], 0]);
  });

  test('is closed at the end of a `using` block', () => {
    const { open } = openStage();
    const snapshot = open();
    snapshot.onTick(1);
    snapshot[Symbol.dispose]();
    expect(snapshot.onTick(2)).toBe('closed');
  });
});

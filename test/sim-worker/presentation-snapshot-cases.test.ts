import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromFixed } from '../../src/shared/math/fixed.ts';
import type { Entity, PresentationSnapshot } from '../../src/sim-worker/index.ts';
import { scaled } from '../scaled.ts';
import { at, openStage, sample, type Sampled } from './presentation-stage.ts';

/**
 * The faults of presentation that broke others, by their number in the catalogue of cases (INT n),
 * where a snapshot on the simulation's own thread could bring them back.
 */

const QUANTUM_NS = 10e6;
const ALPHAS = [0, 0.001, 0.1, 0.5, 0.9, 0.999, 1];

/** Shows an entity at an alpha of the last tick. */
function show(snapshot: PresentationSnapshot, entity: Entity, alpha: number): Sampled {
  snapshot.onRenderFrame(at(Math.round((snapshot.lastTick + alpha) * QUANTUM_NS)));
  return sample(snapshot, entity);
}

const showAll = (snapshot: PresentationSnapshot, entity: Entity): Sampled[] =>
  ALPHAS.map((alpha) => show(snapshot, entity, alpha));

const everywhere = (shown: Sampled): Sampled[] => ALPHAS.map(() => shown);

test('INT 25: alpha is new in every frame, also when no tick ran', () => {
  const { open } = openStage();
  const snapshot = open({ tickRateHz: 20, component: 'exact' });
  snapshot.onTick(1);
  const raws: number[] = [];
  for (let frame = 0; frame < 12; frame++) {
    snapshot.onRenderFrame(at(50e6 + Math.round((frame * 1e9) / 240)));
    raws.push(snapshot.alphaRaw as number);
  }
  const steps = raws.slice(1).map((raw, i) => raw - (raws[i] as number));
  expect(raws[0]).toBe(0);
  expect(steps.filter((step) => Math.abs(step - 5461) > 1)).toEqual([]);
});

test('INT 28: a teleport is said: 150 units a tick are blended, 5 that were told snap', () => {
  const { world, open } = openStage();
  const rocket = world.spawn({ position: [0, 0] });
  const walker = world.spawn({ position: [0, 0] });
  const snapshot = open();
  for (let tick = 1; tick <= 3; tick++) {
    world.add(rocket, 'position', [150 * tick, 0]);
    if (tick === 3) world.teleport(walker, { position: [5, 0] });
    snapshot.onTick(tick);
  }
  expect(show(snapshot, rocket, 0.5)).toEqual(['ok', 375, 0]);
  expect(showAll(snapshot, walker)).toEqual(everywhere(['snapped', 5, 0]));
});

test('INT 34: one that opted out of blending shows each of its moves at once', () => {
  const { world, open } = openStage();
  const entity = world.spawn({ position: [0, 0] });
  world.setBlended(entity, false);
  expect(world.isBlended(entity)).toBe(false);
  const snapshot = open();
  for (let tick = 1; tick <= 3; tick++) {
    world.add(entity, 'position', [tick, 0]);
    snapshot.onTick(tick);
    expect(showAll(snapshot, entity)).toEqual(everywhere(['snapped', tick, 0]));
  }
  world.setBlended(entity, true);
  expect(show(snapshot, entity, 0.5)).toEqual(['ok', 2.5, 0]);
});

test('a hidden entity says so, and comes back without a streak', () => {
  const { world, open } = openStage();
  const entity = world.spawn({ position: [0, 0] });
  const snapshot = open();
  snapshot.onTick(1);
  world.setVisible(entity, false);
  snapshot.onTick(2);
  expect(world.isVisible(entity)).toBe(false);
  expect(show(snapshot, entity, 0.5)[0]).toBe('hidden');
  world.add(entity, 'position', [90, 0]);
  world.setVisible(entity, true);
  snapshot.onTick(3);
  expect(showAll(snapshot, entity)).toEqual(everywhere(['snapped', 90, 0]));
});

describe('INT 29: a new entity does not fly in from the origin', () => {
  test('it stands where it was spawned before its first tick, in it, and after it', () => {
    const { world, open } = openStage();
    const snapshot = open();
    for (let tick = 1; tick <= 7; tick++) snapshot.onTick(tick);
    const entity = world.spawn({ position: [500, -20] });
    expect(showAll(snapshot, entity)).toEqual(everywhere(['snapped', 500, -20]));
    snapshot.onTick(8);
    expect(showAll(snapshot, entity)).toEqual(everywhere(['snapped', 500, -20]));
    snapshot.onTick(9);
    expect(showAll(snapshot, entity)).toEqual(everywhere(['ok', 500, -20]));
  });

  test('nor do those who were there before the snapshot', () => {
    const { world, open } = openStage();
    const entity = world.spawn({ position: [500, -20] });
    const snapshot = open();
    expect(showAll(snapshot, entity)).toEqual(everywhere(['snapped', 500, -20]));
    snapshot.onTick(1);
    expect(showAll(snapshot, entity)).toEqual(everywhere(['snapped', 500, -20]));
  });
});

describe('INT 32: a recycled slot does not blend from its previous owner', () => {
  test.each([1, 2, 3])('after %i changes of the owner in one tick', (changes) => {
    const { world, open } = openStage();
    for (let i = 0; i < 3; i++) world.spawn();
    const owners = [world.spawn({ position: [-900, 0] })];
    const snapshot = open();
    for (let tick = 1; tick < 20; tick++) snapshot.onTick(tick);
    for (let i = 0; i < changes; i++) {
      world.despawn(owners.at(-1) as Entity);
      owners.push(world.spawn({ position: [50, 0] }));
    }
    const last = owners.pop() as Entity;
    expect(world.indexOf(last)).toBe(3);
    const stale = (): Sampled[][] => owners.map((owner) => showAll(snapshot, owner));
    const allStale = owners.map(() => everywhere(['stale']));
    expect(showAll(snapshot, last)).toEqual(everywhere(['snapped', 50, 0]));
    expect(stale()).toEqual(allStale);
    snapshot.onTick(20);
    expect(showAll(snapshot, last)).toEqual(everywhere(['snapped', 50, 0]));
    expect(stale()).toEqual(allStale);
    snapshot.onTick(21);
    expect(showAll(snapshot, last)).toEqual(everywhere(['ok', 50, 0]));
  });
});

test('INT 35: sampling is pure: the same alpha gives the same bits, and the world stays', () => {
  const { world, open } = openStage();
  const entity = world.spawn({ position: [1 / 3, 0], exact: [1, 2] });
  const snapshots = [open(), open({ component: 'exact' })];
  for (let tick = 1; tick <= 2; tick++) {
    world.add(entity, 'position', [tick * 0.7 + 1 / 3, tick * tick]);
    world.add(entity, 'exact', [tick * 77_777, -tick * 99_999]);
    for (const snapshot of snapshots) snapshot.onTick(tick);
  }
  const bytes = Buffer.from(world.columns.position.buffer as ArrayBuffer);
  const before = Buffer.from(bytes);
  for (const snapshot of snapshots) {
    const [first, second, third, other, last] = [0.55, 0.55, 0.55, 0.2, 0.55].map((alpha) => {
      const rows = [show(snapshot, entity, alpha), sample(snapshot, entity)];
      expect(rows[1]).toEqual(rows[0]);
      return rows[0];
    });
    expect([second, third, last]).toEqual([first, first, first]);
    expect(other).not.toEqual(first);
  }
  expect(bytes.equals(before)).toBe(true);
});

describe('INT 44: the ends are the states, bit for bit, and what is between stays between', () => {
  const runs = { numRuns: scaled({ tiny: 2000, normal: 20_000, full: 100_000 }) };
  const raw = fc.oneof(
    fc.integer({ min: -2147483648, max: 2147483647 }),
    fc.constantFrom(-2147483648, 2147483647, 0x7fff0000, 0, -1),
  );
  const float = fc.oneof(
    fc.float(),
    fc.constantFrom(0, -0, Number.NaN, Infinity, -Infinity, 3.4028234663852886e38),
  );

  /** Three bits of alpha: the ends and the middle of a pair from `a` to `b`. */
  function ends(component: 'exact' | 'position', a: number, b: number): (number | undefined)[] {
    const { world, snapshot, entity } = stages[component];
    world.add(entity, component, [a, a]);
    snapshot.onTick(1);
    world.add(entity, component, [b, b]);
    snapshot.onTick(2);
    return [0, 0.5, 1].map((alpha) => show(snapshot, entity, alpha)[1]);
  }
  const open = (component: 'exact' | 'position') => {
    const stage = openStage();
    const entity = stage.world.spawn({ exact: 0, position: 0 });
    const snapshot = stage.open({ component });
    // So that the entity is known before the first pair.
    snapshot.onTick(1);
    return { ...stage, entity, snapshot };
  };
  const stages = { exact: open('exact'), position: open('position') };

  test('in Q16.16, also where b - a is more than 32 bits', () => {
    fc.assert(
      fc.property(raw, raw, (a, b) => {
        const [start, middle, end] = ends('exact', a, b);
        expect([start, end]).toEqual([a, b]);
        expect(middle).toBeGreaterThanOrEqual(Math.min(a, b));
        expect(middle).toBeLessThanOrEqual(Math.max(a, b));
      }),
      runs,
    );
    expect(ends('exact', -2147483648, 0x7fff0000)[1]).toBe(-32_768);
    expect(fromFixed(ends('exact', -2147483648, 2147483647)[1] as number)).toBeCloseTo(0, 4);
  });

  test('in f32, also for what is no finite number', () => {
    fc.assert(
      fc.property(float, float, (a, b) => {
        const [start, , end] = ends('position', a, b);
        expect(start).toBe(a);
        expect(end).toBe(b);
      }),
      runs,
    );
  });
});

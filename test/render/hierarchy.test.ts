import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Hierarchy, openHierarchy } from '../../src/render/index.ts';
import { type Entity, NO_ENTITY } from '../../src/shared/entity.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { errorOf } from '../sim-worker/outcome.ts';
import { farthest, matrixOf, mix, repeated, slerp, times } from './matrix-model.ts';
import {
  define,
  type Nodes,
  RandomForest,
  type Script,
  type TreeTypes,
  type TreeWorld,
} from './random-forest.ts';
import { openTicks, type Ticks } from './ticks.ts';

let ticks: Ticks<TreeTypes>;

afterEach(() => ticks.close());

const SOLID = {
  parent: 'parent',
  position: 'position',
  orientation: 'orientation',
  scale: 'scale',
} as const;

async function open(script: Script, capacity?: number): Promise<Hierarchy<TreeTypes>> {
  ticks = await openTicks(define(script, capacity));
  return openHierarchy(ticks.view, SOLID);
}

/** Where a hierarchy shows some entities: the last column of each matrix, and what is said. */
function shownAt(hierarchy: Hierarchy<TreeTypes>, who: readonly Entity[], tick: number, a: number) {
  using frame = ticks.frameAt(tick, a);
  return who.map((entity) => {
    const out = new Float64Array(16);
    const status = hierarchy.worldMatrixInto(frame, entity, out);
    return { status, place: [...out.subarray(12, 15)], alpha: frame.alpha };
  });
}

/** Not 0: a clock of whole nanoseconds may still be in the tick before. */
const ALPHAS = [0.001, 0.25, 0.5, 0.75, 0.99, 1];

interface Shown {
  readonly later: Nodes;
  readonly earlier: Nodes;
  readonly alpha: number;
  readonly isShown: (entity: number) => boolean;
  readonly snaps: (entity: number) => boolean;
}

/** What the world matrix of an entity is, by the definition, or why there is none. */
function expected(shown: Shown, entity: number, above: readonly number[] = []): number[] | string {
  const now = shown.later.get(entity);
  if (now === undefined || !shown.isShown(entity)) return 'orphan';
  if (now.position === undefined) return above.length === 0 ? 'no-component' : 'orphan';
  if (above.includes(entity)) return 'cycle';
  const before = shown.earlier.get(entity);
  const isSnapped =
    before?.position === undefined || before.parent !== now.parent || shown.snaps(entity);
  const from = isSnapped ? now : before;
  const local = matrixOf(
    mix(from.position ?? [], now.position, shown.alpha),
    slerp(from.orientation, now.orientation, shown.alpha),
    mix(from.scale, now.scale, shown.alpha),
  );
  if (now.parent === NO_ENTITY) return local;
  const parent = expected(shown, now.parent, [...above, entity]);
  return typeof parent === 'string' ? parent : times(parent, local);
}

describe('world matrices', () => {
  it('are by the definition, whatever becomes of a forest and whoever looks when', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const forest = new RandomForest(seed);
        const hierarchy = await open((world) => forest.tick(world));
        const { dice: eye } = new RandomForest(seed + 1);
        for (let tick = 1; tick < 40; tick += 1 + eye.below(3)) {
          // Not 0: a clock of whole nanoseconds may still be in the tick before.
          for (const alpha of [(1 + eye.below(999)) / 1000, 1]) {
            using frame = ticks.frameAt(tick, alpha);
            hierarchy.update(frame);
            const rows = new Map([...frame.entities].map((entity, row) => [entity, row]));
            const { pair } = frame;
            const shown: Shown = {
              later: forest.history[tick] as Nodes,
              earlier: forest.history[tick - 1] as Nodes,
              alpha: frame.alpha,
              isShown: (entity) => rows.has(entity),
              snaps: (entity) => pair.snaps(frame.indices[rows.get(entity) as number] as number),
            };
            const counts = { orphan: 0, 'no-component': 0, cycle: 0 };
            for (const [entity, row] of rows) {
              const got = hierarchy.worldMatrices.subarray(row * 16, row * 16 + 16);
              const out = Array.from({ length: 16 }, () => 7);
              const status = hierarchy.worldMatrixInto(frame, entity as Entity, out);
              const matrix = expected(shown, entity);
              if (typeof matrix === 'string') {
                expect(status).toBe(matrix);
                expect([...got]).toEqual(repeated(0, 16));
                expect(out).toEqual(repeated(7, 16));
                counts[matrix as keyof typeof counts]++;
              } else {
                expect(['ok', 'snapped']).toContain(status);
                const size = Math.max(1, ...matrix.map(Math.abs));
                expect(farthest(got, matrix)).toBeLessThan(3e-6 * size);
                expect(out).toEqual([...got]);
              }
            }
            expect(hierarchy.count).toBe(rows.size);
            expect(hierarchy.orphanCount).toBe(counts.orphan + counts['no-component']);
            expect(hierarchy.cycleCount).toBe(counts.cycle);
          }
        }
        await ticks.close();
      }),
      { numRuns: scaled({ tiny: 10, normal: 40, full: 1000 }) },
    );
  });
});

/** A body at speed 10 along x, one at rest at y = 100, and a child that sits at x = 1. */
async function openRide(
  script: (world: TreeWorld, tick: number, who: readonly Entity[]) => void,
): Promise<{ h: Hierarchy<TreeTypes>; who: Entity[] }> {
  const who: Entity[] = [];
  const h = await open((world, tick) => {
    if (tick === 0) {
      const horse = world.spawn({ position: [0, 0, 0] });
      const tower = world.spawn({ position: [0, 100, 0] });
      who.push(horse, tower, world.spawn({ position: [1, 0, 0], parent: horse }));
    }
    world.columns.position[3 * world.indexOf(who[0] as Entity)] = 10 * tick;
    script(world, tick, who);
  });
  return { h, who };
}

describe('a child', () => {
  it('rides on its parent at every alpha, and its local motion is blended too', async () => {
    const { h, who } = await openRide((world, tick, those) => {
      world.columns.position[3 * world.indexOf(those[2] as Entity) + 2] = tick;
    });
    for (const tick of [1, 2, 5]) {
      for (const a of ALPHAS) {
        const [horse, , child] = shownAt(h, who, tick, a);
        const at = tick - 1 + (child?.alpha ?? Number.NaN);
        expect(horse?.place[0]).toBeCloseTo(10 * at, 4);
        expect(child?.place[0]).toBeCloseTo(10 * at + 1, 4);
        expect(child?.place[2]).toBeCloseTo(at, 5);
      }
    }
  });

  it('that changes over to another parent is there at once, at every alpha', async () => {
    const { h, who } = await openRide((world, tick, those) => {
      const at = world.indexOf(those[2] as Entity);
      if (tick < 3) return;
      world.columns.parent[at] = those[1] as Entity;
      world.columns.position[3 * at] = 5;
    });
    for (const a of ALPHAS) {
      const [, , child] = shownAt(h, who, 2, a);
      expect(child?.place[1]).toBe(0);
    }
    for (const tick of [3, 4]) {
      for (const a of ALPHAS) {
        const [, , child] = shownAt(h, who, tick, a);
        expect(child?.place).toEqual([5, 100, 0]);
        expect(child?.status).toBe(tick === 3 ? 'snapped' : 'ok');
      }
    }
  });

  it('that changes over in a tick that no frame shows has left no trace', async () => {
    const { h, who } = await openRide((world, tick, those) => {
      if (tick === 7) world.columns.parent[world.indexOf(those[2] as Entity)] = those[1] as Entity;
    });
    expect(shownAt(h, who, 1, 0.5)[2]?.place[1]).toBe(0);
    expect(shownAt(h, who, 12, 0.5)[2]).toMatchObject({ status: 'ok', place: [1, 100, 0] });
  });

  it('that is let go is a root at once, by NO_ENTITY and by losing the component', async () => {
    const { h, who } = await openRide((world, tick, those) => {
      const child = those[2] as Entity;
      if (tick === 2) world.columns.parent[world.indexOf(child)] = NO_ENTITY;
      if (tick === 4) world.add(child, 'parent', those[1] as Entity);
      if (tick === 4) world.columns.parent[world.indexOf(child)] = those[1] as Entity;
      if (tick === 6) world.remove(child, 'parent');
    });
    const ys = [1, 2, 3, 4, 5, 6, 7, 8].map((tick) => shownAt(h, who, tick, 0.5)[2]?.place);
    expect(ys.map((place) => place?.[1])).toEqual([0, 0, 0, 100, 100, 0, 0, 0]);
    expect(ys.slice(5).map((place) => place?.[0])).toEqual([1, 1, 1]);
  });

  it('goes with a parent that is teleported, without a streak', async () => {
    const { h, who } = await openRide((world, tick, those) => {
      if (tick === 2) world.teleport(those[1] as Entity, { position: [0, 500, 0] });
      if (tick === 0) world.spawn();
      if (tick === 1) world.columns.parent[world.indexOf(those[2] as Entity)] = those[1] as Entity;
    });
    for (const a of ALPHAS) expect(shownAt(h, who, 1, a)[2]?.place).toEqual([1, 100, 0]);
    for (const a of ALPHAS) expect(shownAt(h, who, 2, a)[2]?.place).toEqual([1, 500, 0]);
  });

  it('is left out, with all below, while its parent is hidden or has ended', async () => {
    let grandchild = NO_ENTITY;
    const { h, who } = await openRide((world, tick, those) => {
      const [horse, , child] = those as [Entity, Entity, Entity];
      if (tick === 0) grandchild = world.spawn({ position: [0, 0, 1], parent: child });
      if (tick === 2) world.setVisible(horse, false);
      if (tick === 4) world.setVisible(horse, true);
      if (tick === 6) world.despawn(horse);
      // The slot of the horse has another owner now: no parent of anybody.
      if (tick === 7) world.spawn({ position: [7, 7, 7] });
      world.columns.position[0] = 0;
    });
    const statuses = [1, 2, 4, 6, 7].map((tick) => {
      const shown = shownAt(h, [...who, grandchild], tick, 0.5);
      return [tick, h.orphanCount, ...shown.map(({ status }) => status)];
    });
    expect(statuses).toEqual([
      [1, 0, 'ok', 'ok', 'ok', 'ok'],
      [2, 2, 'hidden', 'ok', 'orphan', 'orphan'],
      [4, 0, 'snapped', 'ok', 'ok', 'ok'],
      [6, 2, 'stale', 'ok', 'orphan', 'orphan'],
      [7, 2, 'stale', 'ok', 'orphan', 'orphan'],
    ]);
  });
});

describe('a hierarchy', () => {
  it('leaves out who is its own ancestor and who is below, and counts them', async () => {
    const who: Entity[] = [];
    const h = await open((world, tick) => {
      if (tick === 0) for (let i = 0; i < 5; i++) who.push(world.spawn({ position: 1, parent: 0 }));
      // 0 -> 1 -> 2 -> 0, 3 below 2, 4 alone; later 4 is its own parent, then all is well again.
      const parents = [
        [0, 0, 0, 0, 0],
        [1, 2, 0, 2, -1],
        [1, 2, 0, 2, 4],
        [-1, 0, 1, 2, -1],
      ][tick] as number[];
      parents.forEach((parent, i) => {
        const at = world.indexOf(who[i] as Entity);
        world.columns.parent[at] = parent < 0 ? NO_ENTITY : (who[parent] as Entity);
      });
    });
    const counts = [1, 2, 3].map((tick) => [
      ...shownAt(h, who, tick, 1).map(({ status }) => (status === 'snapped' ? 'ok' : status)),
      h.cycleCount,
    ]);
    expect(counts).toEqual([
      ['cycle', 'cycle', 'cycle', 'cycle', 'ok', 4],
      ['cycle', 'cycle', 'cycle', 'cycle', 'cycle', 5],
      ['ok', 'ok', 'ok', 'ok', 'ok', 0],
    ]);
  });

  it('composes a chain of thousands without running out of stack', async () => {
    const length = scaled({ tiny: 1000, normal: 20_000, full: 100_000 });
    const chain: Entity[] = [];
    const h = await open((world, tick) => {
      if (tick > 0) return;
      // Children live at lower slots than their parents.
      for (let i = 0; i < length; i++) chain.push(world.spawn({ position: [1, 0, 0] }));
      chain.forEach((entity, i) => world.add(entity, 'parent', chain[i + 1] ?? NO_ENTITY));
      chain.slice(0, -1).forEach((entity, i) => {
        world.columns.parent[world.indexOf(entity)] = chain[i + 1] as Entity;
      });
    }, length);
    const [deepest, top] = shownAt(h, [chain[0] as Entity, chain.at(-1) as Entity], 1, 0.5);
    expect(deepest?.place[0]).toBe(length);
    expect(top?.place[0]).toBe(1);
  });

  it('turns by angles of any period about an axis, scales by one number or two', async () => {
    const who: Entity[] = [];
    ticks = await openTicks(
      define((world, tick) => {
        if (tick > 0) return;
        const base = world.spawn({
          flat: [10, 0],
          heading: 90,
          size: 2,
          stretch: [2, 3],
          parent: 0,
        });
        who.push(base, world.spawn({ flat: [1, 1], parent: base }));
        world.columns.parent[1] = base;
      }),
    );
    const place = (
      parts: Parameters<typeof openHierarchy<TreeTypes>>[1],
      point: number,
    ): number[] => {
      const h = openHierarchy(ticks.view, parts);
      return shownAt(h, who, 1, 1)[point]?.place.map((x) => Math.round(x * 1e6) / 1e6 + 0) ?? [];
    };
    const flat = { parent: 'parent', position: 'flat' } as const;
    expect(place(flat, 1)).toEqual([11, 1, 0]);
    expect(place({ ...flat, orientation: 'heading' }, 1)).toEqual([9, 1, 0]);
    expect(place({ ...flat, orientation: 'heading', axis: 'x' }, 1)).toEqual([11, 0, 1]);
    expect(place({ ...flat, orientation: 'heading', axis: 'y' }, 1)).toEqual([10, 1, -1]);
    expect(place({ ...flat, scale: 'size' }, 1)).toEqual([12, 2, 0]);
    expect(place({ ...flat, scale: 'stretch' }, 1)).toEqual([12, 3, 0]);
  });

  it('goes on with another run after a restart', async () => {
    let who: Entity[] = [];
    const h = await open((world, tick) => {
      if (tick > 0) return;
      const offset = who.length === 0 ? 1 : 2;
      who = [world.spawn({ position: [offset, 0, 0] })];
      who.push(world.spawn({ position: [0, offset, 0], parent: 0 }));
      world.columns.parent[world.indexOf(who[1] as Entity)] = who[0] as Entity;
    });
    expect(shownAt(h, who, 3, 0.5)[1]?.place).toEqual([1, 1, 0]);
    await ticks.restart();
    expect(shownAt(h, who, 0, 0)[1]?.place).toEqual([2, 2, 0]);
    expect(shownAt(h, who, 3, 0.5)[1]?.place).toEqual([2, 2, 0]);
  });

  it('has nothing before anything is published, and does an update once a frame', async () => {
    const { h, who } = await openRide(() => undefined);
    using frame = ticks.frameAt(1, 0.5);
    h.update(frame);
    expect(h.worldMatrices.length).toBe(48);
    h.worldMatrices[12] = 77;
    h.update(frame);
    const out = new Float32Array(16);
    expect(h.worldMatrixInto(frame, who[0] as Entity, out)).toBe('ok');
    expect(out[12]).toBe(77);
  });

  it('refuses channels that do not fit their part, and names what would', async () => {
    await open(() => undefined);
    const refusal = (parts: object): string => {
      const error = errorOf(() => openHierarchy(ticks.view, { ...SOLID, ...parts }));
      return `${error.code} ${error.message}`;
    };
    expect(refusal({ parent: 'count' })).toContain('a reference()');
    expect(refusal({ position: 'orientation' })).toContain('two or three f32 or f64');
    expect(refusal({ position: 'bones' })).toContain('"bones" is no position');
    expect(refusal({ orientation: 'position' })).toContain('a quaternion, or one angle');
    expect(refusal({ scale: 'orientation' })).toContain('one, two or three');
    expect(refusal({ axis: 'w' })).toContain('OPTION_INVALID');
    expect(refusal({ position: 'nothing' })).toContain('NAME_UNKNOWN');
  });

  it('leaves nothing on the heap from frame to frame', async () => {
    const { h, who } = await openRide(() => undefined);
    using frame = ticks.frameAt(1, 0.5);
    // The blends themselves are those of the frame, which keeps them.
    const moving = frame as { alpha: number } & typeof frame;
    const out = new Float32Array(16);
    const left = bytesLeft(scaled({ tiny: 2000, normal: 5000, full: 5000 }), () => {
      moving.alpha = moving.alpha < 0.5 ? 0.75 : 0.25;
      h.worldMatrixInto(frame, who[2] as Entity, out);
    });
    expect(left).toBe(0);
  });
});

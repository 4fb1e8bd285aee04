import { afterEach, describe, expect, it } from 'vitest';
import { computeLayout } from '../../src/shared/layout.ts';
import type { RegionHandle } from '../../src/shared/handle.ts';
import type { KernelMemory } from '../../src/shared/region.ts';
import type { Entity } from '../../src/sim-worker/index.ts';
import { openStage, type Script, type Stage, TwoThreads } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

/** Milliseconds at which tick T is over, plus a part of a tick, a nanosecond late: it is due. */
function at(tick: number, rateHz: number, alpha = 0): number {
  return ((tick + alpha) * 1000) / rateHz + 1e-6;
}

/** Samples one entity's position in a frame at the stage's present time. */
function sampleX(view: ReturnType<Stage['openView']>, entity: Entity): [string, number, number] {
  const frame = view.frame();
  const out = [Number.NaN, Number.NaN];
  const status = frame.sample(entity, 'position', out);
  frame.release();
  return [status, out[0] as number, out[1] as number];
}

describe('INT 28: a teleport is said, never guessed from distance', () => {
  it('blends 150 units a tick and snaps 5 units that were teleported', async () => {
    let rocket = 0 as Entity;
    let walker = 0 as Entity;
    const script: Script = ({ world, tick }) => {
      if (tick === 0) {
        rocket = world.spawn({ position: [0, 0] });
        walker = world.spawn({ position: [0, 0] });
        return;
      }
      world.add(rocket, 'position', [150 * tick, 0]);
      if (tick === 3) world.teleport(walker, { position: [5, 0] });
    };
    stage = await openStage(script, { tickRateHz: 20 });
    const view = stage.openView();
    stage.advanceTo(100);
    stage.advanceTo(150);
    stage.clock.toMs(175);
    expect(sampleX(view, rocket)).toEqual(['ok', 375, 0]);
    expect(sampleX(view, walker)).toEqual(['snapped', 5, 0]);
  });
});

describe('INT 29: a new entity does not fly in from the origin', () => {
  it('is absent before its tick and stands where it was spawned from then on', async () => {
    let newcomer = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      if (tick === 8) newcomer = world.spawn({ position: [500, -20] });
    });
    const view = stage.openView();
    stage.advanceTo(at(7, 60, 0.5));
    const early = view.frame();
    expect(early.count).toBe(0);
    early.release();
    stage.advanceTo(at(8, 60));
    for (let i = 0; i <= 10; i++) {
      stage.clock.toMs(at(8, 60, i / 10));
      expect(sampleX(view, newcomer)).toEqual(['snapped', 500, -20]);
      const frame = view.frame();
      expect([...frame.blend('position')]).toEqual([500, -20]);
      frame.release();
    }
    stage.advanceTo(at(9, 60, 0.5));
    expect(sampleX(view, newcomer)).toEqual(['ok', 500, -20]);
  });
});

describe('INT 32: a recycled slot does not blend from its previous owner', () => {
  it.each([1, 2])('shows the new owner alone after %i changes in one tick', async (changes) => {
    const owners: Entity[] = [];
    const script: Script = ({ world, tick }) => {
      if (tick === 0) {
        for (let i = 0; i < 4; i++) owners.push(world.spawn({ position: [-900, 0] }));
        owners.splice(0, 3);
      }
      if (tick !== 20) return;
      for (let i = 0; i < changes; i++) {
        world.despawn(owners.at(-1) as Entity);
        owners.push(world.spawn({ position: [50, 0] }));
      }
    };
    stage = await openStage(script);
    const view = stage.openView();
    for (let tick = 1; tick <= 20; tick++) stage.advanceTo(at(tick, 60));
    const last = owners.at(-1) as Entity;
    for (const alpha of [0, 0.1, 0.5, 0.999, 1]) {
      stage.clock.toMs(at(20, 60, alpha));
      expect(sampleX(view, last)).toEqual(['snapped', 50, 0]);
      for (const old of owners.slice(0, -1)) {
        expect(sampleX(view, old)).toEqual(['stale', Number.NaN, Number.NaN]);
      }
      const frame = view.frame();
      expect(frame.blend('position')[2 * 3]).toBe(50);
      frame.release();
    }
  });
});

describe('INT 35: sampling changes nothing', () => {
  it('gives the same bits for the same alpha and leaves every byte of the region', async () => {
    let body = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) body = world.spawn({ position: [1 / 3, 0], heading: 350, exact: 65536 });
      else world.add(body, 'position', [tick * 0.7 + 1 / 3, tick * tick]);
    });
    const view = stage.openView();
    stage.advanceTo(at(1, 60));
    stage.advanceTo(at(2, 60));
    const handle = stage.sim.share() as unknown as RegionHandle;
    const { buffer } = handle.memory as KernelMemory;
    const { outputs } = computeLayout(handle.schema, handle.options);
    const bytes = Buffer.from(buffer as ArrayBuffer, 0, outputs);
    const seen: number[][] = [];
    for (const alpha of [0.55, 0.55, 0.55, 0.2, 0.55]) {
      stage.clock.toMs(at(2, 60, alpha));
      const frame = view.frame();
      const before = Buffer.from(bytes);
      const row: number[] = [];
      for (let i = 0; i < 3; i++) {
        const out = [0, 0];
        frame.sample(body, 'position', out);
        row.push(...out, ...frame.blend('position'), ...frame.blend('heading'));
      }
      expect(bytes.equals(before)).toBe(true);
      frame.release();
      seen.push(row);
    }
    const [first, second, third, other, last] = seen;
    expect([second, third, last]).toEqual([first, first, first]);
    expect(other).not.toEqual(first);
  });
});

describe('INT 43: a camera that reads the same frame does not jitter', () => {
  it('keeps its offset bitwise over 1000 frames at 144 Hz', async () => {
    let target = 0 as Entity;
    stage = await openStage(({ world, tick }) => {
      if (tick === 0) target = world.spawn({ position: [0, 0] });
      else world.add(target, 'position', [5 * tick, 0]);
    });
    const view = stage.openView();
    const offsets = new Set<number>();
    const positions: number[] = [];
    for (let i = 1; i <= 1000; i++) {
      stage.advanceTo((i * 1000) / 144);
      const frame = view.frame();
      const camera = [0, 0];
      frame.sample(target, 'position', camera);
      const drawn = frame.blend('position')[0] as number;
      offsets.add(drawn - (camera[0] as number));
      positions.push(drawn);
      // Time passing inside a frame moves nothing in it.
      stage.clock.ns += 1e6;
      const again = [0, 0];
      frame.sample(target, 'position', again);
      expect(again).toEqual(camera);
      frame.release();
    }
    expect([...offsets]).toEqual([0]);
    expect(positions.every((x, i) => i === 0 || x >= (positions[i - 1] as number))).toBe(true);
  });
});

describe('INT 46: a reader that was away is back at once', () => {
  it('stands a tick behind the newest within 250 ms and never still or backwards', async () => {
    let lastX = Number.NEGATIVE_INFINITY;
    let look: () => void = () => undefined;
    const threads = new TwoThreads(60, () => look());
    const script: Script = ({ world, columns, tick }) => {
      if (tick === 0) world.spawn({ position: [0, 0] });
      else columns.position[0] = 3 * tick;
      if (tick > 0) threads.spend(10e6);
    };
    stage = await openStage(script, { tickRateHz: 20 }, threads.clock);
    const view = stage.openRemoteView();
    const lags: number[] = [];
    const watch = (): void => {
      const frame = view.frame();
      const x = frame.blend('position')[0] as number;
      lags.push(Math.abs(frame.pairTick - 1 + frame.alpha - (frame.tick - 1)));
      frame.release();
      expect(x).toBeGreaterThan(lastX);
      lastX = x;
    };
    const late = (): number => 1;
    threads.play(stage, 200, late);
    look = watch;
    threads.play(stage, 2000, late);
    look = () => undefined;
    threads.play(stage, 5000, late);
    look = watch;
    threads.play(stage, 5250, late);
    lags.length = 0;
    threads.play(stage, 7000, late);
    expect(lags.length).toBeGreaterThan(100);
    expect(Math.max(...lags)).toBeLessThanOrEqual(1);
    expect(view.stats().slackMs).toBeCloseTo(11, 3);
  });
});

describe('INT 47: blends know about time dilation', () => {
  it('halves alpha in slow motion and keeps it over a change of speed', async () => {
    let body = 0 as Entity;
    stage = await openStage(
      ({ world, tick }) => {
        if (tick === 0) body = world.spawn({ position: [0, 0], exact: 0 });
        else {
          world.add(body, 'position', [tick, 0]);
          world.add(body, 'exact', tick * 65536);
        }
      },
      { speed: 0.5 },
    );
    const view = stage.openView();
    const read = (): { alpha: number; raw: number; tick: number } => {
      const frame = view.frame();
      const raw = (frame.blend('exact')[0] as number) - (frame.pairTick - 1) * 65536;
      const { alpha, tick } = frame;
      frame.release();
      return { alpha, raw, tick };
    };
    const spacingMs = 2000 / 60;
    stage.advanceTo(spacingMs + 1e-6);
    expect(read().tick).toBe(1);
    stage.advanceTo(1.5 * spacingMs);
    expect(Math.abs(read().raw - 32768)).toBeLessThanOrEqual(1);
    const before = read();
    await stage.sim.clock.setSpeed(2);
    const after = read();
    expect(after.tick).toBe(before.tick);
    expect(Math.abs(after.raw - before.raw)).toBeLessThanOrEqual(1);
    // The other half of the tick now takes a quarter of the time.
    stage.clock.toMs(1.5 * spacingMs + 1000 / 60 / 8);
    expect(read().alpha).toBeCloseTo(0.75, 6);
    stage.advanceTo(1.5 * spacingMs + 1000 / 60 / 4 + 1e-3);
    expect(read().tick).toBe(2);
  });
});

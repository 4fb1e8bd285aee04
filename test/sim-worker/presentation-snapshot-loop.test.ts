import { describe, expect, test } from 'vitest';
import {
  createSystems,
  createWorld,
  defineSimulation,
  GameLoop,
  openHeadless,
  position2d,
  PresentationSnapshot,
  vec2,
} from '../../src/sim-worker/index.ts';
import { logBench } from './log-bench.ts';
import { HandClock } from './loop-stage.ts';
import { errorOf } from './outcome.ts';
import { at, components, sample } from './presentation-stage.ts';

const MS = 1e6;

describe('wired to a loop', () => {
  const openLoop = (maxCatchUpTicks = 5) => {
    const clock = new HandClock();
    const bench = logBench();
    const world = createWorld({ capacity: 4, components, log: bench.log });
    const systems = createSystems(world, { tickRateHz: 100, clock, log: bench.log });
    systems.register({
      name: 'move',
      writes: ['position'],
      run: ({ columns, tick }) => void (columns.position[0] = tick),
    });
    systems.use(systems.schedule());
    const entity = world.spawn({ position: [0, 0] });
    const loop = new GameLoop(systems, {
      clock,
      log: bench.log,
      maxCatchUpTicks,
      onTick: (tick) => void snapshot.onTick(tick),
    });
    const snapshot = PresentationSnapshot.create(world, loop, { log: bench.log });
    const frameAt = (ms: number): unknown[] => {
      clock.ns = ms * MS;
      loop.frame();
      snapshot.onRenderFrame(loop.lastReading);
      return [snapshot.lastTick, snapshot.alpha, ...sample(snapshot, entity).slice(0, 2)];
    };
    return { ...bench, clock, world, systems, loop, snapshot, frameAt };
  };

  test('frames at 15, 25 and 45 ms show ticks 1, 2 and 4 at alpha one half', () => {
    const { systems, frameAt } = openLoop();
    expect(frameAt(0)).toEqual([0, 0, 'snapped', 0]);
    expect([15, 25, 45].map(frameAt)).toEqual([
      [1, 0.5, 'snapped', 1],
      [2, 0.5, 'ok', 1.5],
      [4, 0.5, 'ok', 3.5],
    ]);
    // A stale schedule runs nothing: the last tick stays, and alpha with it at the end.
    systems.register({ name: 'late', run: () => undefined });
    expect(frameAt(65)).toEqual([4, 1, 'ok', 4]);
  });

  test('a frame that failed leaves the last tick and the pair', () => {
    const { systems, loop, frameAt } = openLoop();
    systems.register({
      name: 'fail',
      after: ['move'],
      run: ({ tick }) => {
        if (tick === 3) throw new Error('no');
      },
    });
    systems.use(systems.schedule());
    for (const ms of [0, 15, 25]) frameAt(ms);
    expect(frameAt(35)).toEqual([2, 1, 'ok', 2]);
    expect(loop.lastError?.code).toBe('SIMULATION_FAILED');
  });

  test('dropped ticks move the due times on, so alpha goes on as the loop says', () => {
    const { loop, frameAt } = openLoop(2);
    frameAt(0);
    expect(frameAt(105)).toEqual([2, 0.5, 'ok', 1.5]);
    expect(loop.stats.droppedTicks).toBe(8);
    expect(frameAt(112.5)).toEqual([3, 0.25, 'ok', 2.25]);
    for (let ms = 112.5; ms < 3000; ms += ms < 1000 ? 2.5 : 37.5) {
      const [, alpha] = frameAt(ms);
      expect(alpha).toBe(loop.alphaAt(loop.lastReading));
    }
    expect(loop.stats.droppedTicks).toBeGreaterThan(50);
  });

  test('a reading that goes back, or past the next tick, clamps and does not extrapolate', () => {
    const { snapshot, frameAt, world } = openLoop();
    for (const ms of [0, 15, 25]) frameAt(ms);
    const shown = [-1e6, 0, 19.9, 20, 29.9, 30, 31, 1e9].map((ms) => {
      snapshot.onRenderFrame(at(ms * MS));
      return sample(snapshot, world.entityAt(0))[1];
    });
    expect(shown).toEqual([1, 1, 1, 1, Math.fround(1.99), 2, 2, 2]);
  });

  test('follows a loop that is moved out when the reference names the one in force', () => {
    const { world, loop } = openLoop();
    let live = loop;
    const reference = {
      quantum: loop.quantum,
      get startReference() {
        return live.startReference;
      },
      get stats() {
        return live.stats;
      },
    };
    const snapshot = PresentationSnapshot.create(world, reference);
    live.frame();
    live = live.moveOut();
    snapshot.onTick(1);
    snapshot.onRenderFrame(at(15 * MS));
    expect(snapshot.alpha).toBe(0.5);
  });

  test('a headless run of a definition is presented by the same calls', async () => {
    const simulation = defineSimulation({
      tickRateHz: 50,
      capacity: 4,
      components: { position: position2d(), hidden: vec2() },
      publish: ['position'],
      setup: ({ world }) => void world.spawn({ position: [0, 0] }),
      systems: [
        {
          name: 'move',
          writes: ['position'],
          run: ({ columns, tick }) => void (columns.position[0] = tick),
        },
      ],
    });
    const clock = new HandClock();
    const shown: unknown[] = [];
    const headless = await openHeadless(simulation, {
      clock: {
        read: (out) => {
          clock.ns += 5 * MS;
          return clock.read(out);
        },
      },
      maxTicks: 3,
      profile: false,
      onTick: (tick) => void snapshot.onTick(tick),
      onFrame: (reading) => {
        snapshot.onRenderFrame(reading);
        const [status, x] = sample(snapshot, headless.world.entityAt(0));
        shown.push(status);
        const since = (reading.seconds - 1000) * 1e9 + reading.nanos;
        const start = headless.loop.startReference?.nanos ?? 0;
        const alpha = (since - start) / (20 * MS) - snapshot.lastTick;
        if (status === 'ok') expect(x).toBeCloseTo(snapshot.lastTick - 1 + alpha, 5);
      },
    });
    const snapshot = PresentationSnapshot.create(headless.world, headless.loop);
    expect(
      errorOf(() =>
        PresentationSnapshot.create(headless.world, headless.loop, {
          component: 'hidden',
        }),
      ).message,
    ).toContain('it is not published');
    expect((await headless.run()).status).toBe('done');
    expect(snapshot.lastTick).toBe(3);
    expect(shown).toContain('ok');
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EscapementError } from '../../src/shared/error.ts';
import { createInstant, elapsedNs, type Instant } from '../../src/shared/instant.ts';
import { createLog } from '../../src/shared/log.ts';
import { createSystemClock } from '../../src/shared/system-clock.ts';
import { HeadlessRunner, type HeadlessOptions } from '../../src/sim-worker/headless.ts';
import { scaled } from '../scaled.ts';
import { codeOf } from '../shared/clock-frames.ts';
import { HandClock, NotingTarget } from './loop-stage.ts';

/** A target that can be given up, and notes when. */
class OwnedTarget extends NotingTarget {
  disposed = 0;

  dispose(): void {
    this.disposed++;
    this.calls.push('dispose');
  }
}

/** A clock that is `stepNs` on at every reading, whoever reads it. */
class RunningClock extends HandClock {
  readonly stepNs: number;

  constructor(stepNs: number) {
    super();
    this.stepNs = stepNs;
  }

  override read(out: Instant): Instant {
    this.ns += this.stepNs;
    return super.read(out);
  }
}

const silent = createLog({ level: 'off', nowMs: () => 0, sink: () => {} });

const fast = (options: HeadlessOptions = {}): [HeadlessRunner, OwnedTarget] => {
  const target = new OwnedTarget();
  return [new HeadlessRunner(target, { pacing: 'fast', log: silent, ...options }), target];
};

const broken = new Error('divided by zero');

test.each<HeadlessOptions>([
  { maxTicks: -1 },
  { maxTicks: 1.5 },
  { maxTicks: Number.NaN },
  { pacing: 'slow' as 'fast' },
  { pacing: 'fast', clock: new HandClock() },
  { frameBudgetTicks: 0 },
  { tickRateHz: 19 },
])('%o is refused', (options) => {
  expect(codeOf(() => new HeadlessRunner(new NotingTarget(), options))).toBe('OPTION_INVALID');
});

describe('a fast run', () => {
  test('is one frame without a tick, then one a tick, each at the instant it is due', async () => {
    const seen: [number, Instant][] = [];
    const [runner, target] = fast({
      maxTicks: 600,
      onFrame: (reading, tick) => seen.push([tick, { ...reading }]),
    });
    expect(await runner.run()).toEqual({ tick: 600, frames: 601, status: 'done' });
    expect(seen.map(([tick]) => tick)).toEqual(Array.from({ length: 601 }, (_, i) => i));
    expect(seen.map(([, { seconds, nanos }]) => seconds * 1e9 + nanos)).toEqual(
      Array.from({ length: 601 }, (_, i) => Math.ceil((i * 1e9) / 60)),
    );
    expect(target.calls.slice(0, 5)).toEqual(['begin', 'end', 'begin', 'tick 1 first', 'end']);
    expect(runner.loop.stats.droppedTicks).toBe(0);
  });

  test('with a budget runs that many a frame, and as few as are left in the last', async () => {
    const ticks: number[] = [];
    const [runner] = fast({
      maxTicks: 12,
      frameBudgetTicks: 5,
      onFrame: (_, tick) => ticks.push(tick),
    });
    expect(await runner.run()).toEqual({ tick: 12, frames: 4, status: 'done' });
    expect(ticks).toEqual([0, 5, 10, 12]);
  });

  test('ends on the tick it was to end on, whatever the rate and the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 20, max: 120 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 300 }),
        async (tickRateHz, frameBudgetTicks, maxTicks) => {
          const [runner] = fast({ tickRateHz, frameBudgetTicks, maxTicks });
          const frames = 1 + Math.ceil(maxTicks / frameBudgetTicks);
          expect(await runner.run()).toEqual({ tick: maxTicks, frames, status: 'done' });
          expect(runner.loop.stats.droppedTicks).toBe(0);
        },
      ),
      { numRuns: scaled({ tiny: 20, normal: 100, full: 1000 }) },
    );
  });

  test('without an end goes on until a timer of the same thread stops it', async () => {
    const [runner, target] = fast();
    target.runTick = (ran) => {
      if (ran === 1) setTimeout(() => runner.stop(), 1);
    };
    const { tick, frames, status } = await runner.run();
    expect([status, frames]).toEqual(['stopped', tick + 1]);
    expect(tick).toBeGreaterThan(0);
    expect(target.disposed).toBe(1);
  });

  test('stopped from a tick ends after that frame', async () => {
    const [runner, target] = fast({ maxTicks: 100, onTick: (tick) => tick === 7 && runner.stop() });
    expect(await runner.run()).toEqual({ tick: 7, frames: 8, status: 'stopped' });
    expect(target.disposed).toBe(1);
  });
});

/** Runs with other timers, which tell how long a sleep was asked for and end it as they like. */
async function withTimers<T>(
  sleep: (ms: number, wake: () => void) => void,
  act: () => Promise<T>,
): Promise<T> {
  const { setTimeout: own } = globalThis;
  Object.assign(globalThis, { setTimeout: (wake: () => void, ms: number) => sleep(ms, wake) });
  try {
    return await act();
  } finally {
    Object.assign(globalThis, { setTimeout: own });
  }
}

describe('a run in real time', () => {
  test('sleeps whole milliseconds and turns through the rest: no tick is late', async () => {
    // A reading takes 0.1 ms, and each wait takes one or two.
    const clock = new RunningClock(100_000);
    const sleeps: number[] = [];
    const late: number[] = [];
    const runner = new HeadlessRunner(new NotingTarget(), {
      clock,
      maxTicks: 100,
      onFrame: (reading, tick) => {
        const start = runner.loop.startReference ?? createInstant();
        late.push(elapsedNs(reading, start) - Math.ceil((tick * 1e9) / 60));
      },
    });
    const result = await withTimers(
      (ms, wake) => {
        sleeps.push(ms);
        clock.ns += ms * 1e6;
        queueMicrotask(wake);
      },
      () => runner.run(),
    );
    expect(result).toEqual({ tick: 100, frames: 101, status: 'done' });
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThanOrEqual(200_000);
    expect(sleeps).toHaveLength(100);
    expect(new Set(sleeps)).toEqual(new Set([16]));
  });

  test('is woken by a stop from a sleep that would not end', async () => {
    const runner = new HeadlessRunner(new NotingTarget(), { clock: new HandClock() });
    const running = withTimers(
      () => queueMicrotask(() => runner.stop()),
      () => runner.run(),
    );
    expect(await running).toEqual({ tick: 0, frames: 1, status: 'stopped' });
  });

  test('never runs a tick before it is due, and sleeps for no frame without one', async () => {
    const clock = createSystemClock(globalThis);
    const [now, start] = [createInstant(), createInstant()];
    const early: number[] = [];
    let first = true;
    const runner = new HeadlessRunner(new NotingTarget(), {
      tickRateHz: 120,
      maxTicks: 12,
      clock,
      onFrame: ({ seconds, nanos }) => {
        if (first) Object.assign(start, { seconds, nanos });
        first = false;
      },
      onTick: (tick) => {
        const due = (tick * 1e9) / 120;
        if (elapsedNs(clock.read(now), start) < due) early.push(tick);
      },
    });
    const { tick, frames, status } = await runner.run();
    expect([status, early]).toEqual(['done', []]);
    expect(tick).toBeGreaterThanOrEqual(12);
    // A late frame may run several; none runs none but the first.
    expect(frames).toBeLessThanOrEqual(13);
    expect(elapsedNs(clock.read(now), start)).toBeGreaterThanOrEqual(100e6);
  });

  test('passes its end by less than a budget when frames are late, by none with 1', async () => {
    const late = { tickRateHz: 100, maxTicks: 7, log: silent };
    const runner = new HeadlessRunner(new OwnedTarget(), {
      clock: new RunningClock(50e6),
      ...late,
    });
    expect(await runner.run()).toEqual({ tick: 10, frames: 3, status: 'done' });
    const exact = new HeadlessRunner(new OwnedTarget(), {
      clock: new RunningClock(50e6),
      frameBudgetTicks: 1,
      ...late,
    });
    expect(await exact.run()).toEqual({ tick: 7, frames: 8, status: 'done' });
  });

  test('gives each frame the reading of the loop, not one of its own', async () => {
    const clock = new RunningClock(20e6);
    const seen: boolean[] = [];
    const runner = new HeadlessRunner(new NotingTarget(), {
      clock,
      maxTicks: 5,
      onFrame: (reading, tick) =>
        seen.push(reading === runner.loop.lastReading && tick === runner.loop.currentTick),
    });
    await runner.run();
    expect(new Set(seen)).toEqual(new Set([true]));
  });

  test('that is always late still lets the event loop stop it', async () => {
    const runner = new HeadlessRunner(new NotingTarget(), {
      clock: new RunningClock(20e6),
      log: silent,
    });
    setTimeout(() => runner.stop(), 1);
    expect((await runner.run()).status).toBe('stopped');
  });
});

describe('a signal', () => {
  test('ends a run, and is let go of afterwards', async () => {
    const controller = new AbortController();
    const runner = new HeadlessRunner(new NotingTarget(), {
      clock: new HandClock(),
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(), 5);
    expect((await runner.run()).status).toBe('stopped');
    const listeners = new Set<() => void>();
    const signal = {
      aborted: false,
      addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
      removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
    };
    const [other] = fast({ maxTicks: 3, signal });
    await other.run();
    expect(listeners.size).toBe(0);
  });

  test('that was given before the run lets no frame through', async () => {
    const controller = new AbortController();
    controller.abort();
    const [runner, target] = fast({ maxTicks: 3, signal: controller.signal });
    expect(await runner.run()).toEqual({ tick: 0, frames: 0, status: 'stopped' });
    expect(target.calls).toEqual(['dispose']);
  });
});

describe('the end of a run', () => {
  /** Runs with resources that note the order in which they and the loop are given up. */
  const orderOf = async (
    options: HeadlessOptions,
    change: (target: OwnedTarget) => void = () => {},
  ): Promise<[string[], Awaited<ReturnType<HeadlessRunner['run']>>]> => {
    const order: string[] = [];
    const note = (name: string) => ({
      dispose: () => void order.push(`${name}, loop ${runner.loop.frame()}`),
    });
    const [runner, target] = fast({
      maxTicks: 3,
      resources: [note('snapshot'), note('world'), note('log')],
      ...options,
    });
    target.dispose = note('target').dispose;
    change(target);
    const result = await runner.run();
    return [order, result];
  };

  const inOrder = ['target', 'snapshot', 'world', 'log'].map((name) => `${name}, loop stopped`);

  test('stops the loop, then gives up the target and the resources in order', async () => {
    const [order, result] = await orderOf({});
    expect(order).toEqual(inOrder);
    expect(result).toEqual({ tick: 3, frames: 4, status: 'done' });
  });

  test('is the same after a system threw', async () => {
    const [order, { status, tick, error }] = await orderOf({}, (target) => {
      target.inTick = (tick) => {
        if (tick === 2) throw broken;
      };
    });
    expect(order).toEqual(inOrder);
    expect([status, tick, error?.code, error?.cause]).toEqual([
      'failed',
      1,
      'SIMULATION_FAILED',
      broken,
    ]);
  });

  test('is the same with a schedule at fault', async () => {
    const fault = new EscapementError('SCHEDULE_STALE', 'A system came later.');
    const [order, result] = await orderOf({}, (target) => {
      target.fault = fault;
    });
    expect(order).toEqual(inOrder);
    expect(result).toEqual({ tick: 0, frames: 2, status: 'schedule-stale', error: fault });
  });

  test('is the same after onFrame threw', async () => {
    const onFrame = (_: Readonly<Instant>, tick: number): void => {
      if (tick === 2) throw broken;
    };
    const [order, { status, tick, error }] = await orderOf({ onFrame });
    expect(order).toEqual(inOrder);
    expect([status, tick, error?.code, error?.cause]).toEqual([
      'failed',
      2,
      'SIMULATION_FAILED',
      broken,
    ]);
  });

  test('gives up what comes after something that could not be, and tells', async () => {
    const [order, { status, error }] = await orderOf({}, (target) => {
      target.dispose = () => {
        throw broken;
      };
    });
    expect(order).toEqual(inOrder.slice(1));
    expect([status, error?.cause]).toEqual(['done', broken]);
  });

  test('tells the first of several failures', async () => {
    const [, { status, error }] = await orderOf(
      {
        onFrame: () => {
          throw broken;
        },
      },
      (target) => {
        target.dispose = () => {
          throw new Error('another');
        };
      },
    );
    expect([status, error?.cause]).toEqual(['failed', broken]);
  });

  test('comes once: later runs are refused, later stops do nothing', async () => {
    const [runner, target] = fast({ maxTicks: 3 });
    const running = runner.run();
    expect((await runner.run()).status).toBe('refused');
    expect((await running).status).toBe('done');
    const calls = target.calls.length;
    runner.stop();
    expect(await runner.run()).toEqual({ tick: 3, frames: 4, status: 'refused' });
    expect([target.calls.length, target.disposed]).toEqual([calls, 1]);
  });

  test('comes at once for a runner that is stopped before it ran', async () => {
    const [runner, target] = fast({ maxTicks: 3 });
    runner.stop();
    runner.stop();
    expect(target.calls).toEqual(['dispose']);
    expect(await runner.run()).toEqual({ tick: 0, frames: 0, status: 'refused' });
    expect(target.disposed).toBe(1);
  });
});

import { describe, expect, test } from 'vitest';
import { createAnchor } from '../../src/shared/anchor.ts';
import { EscapementError } from '../../src/shared/error.ts';
import { createInstant } from '../../src/shared/instant.ts';
import { createLog, type LogRecord } from '../../src/shared/log.ts';
import { GameLoop, type GameLoopOptions } from '../../src/sim-worker/game-loop.ts';
import { Profiler } from '../../src/sim-worker/profiler.ts';
import { codeOf } from '../shared/clock-frames.ts';
import { HandClock, NotingTarget, openLoop } from './loop-stage.ts';

const MS = 1e6;
const SECOND = 1e9;

const stale = (): EscapementError => new EscapementError('SCHEDULE_STALE', 'A system came later.');
const events = (records: LogRecord[]): string[] =>
  records.map(({ severity, subsystem, event }) => `${severity} ${subsystem}/${event}`);

describe('options', () => {
  test('defaults are 60 Hz and 5 ticks a frame', () => {
    const loop = new GameLoop(new NotingTarget());
    expect([loop.tickRateHz, loop.maxCatchUpTicks]).toEqual([60, 5]);
    expect([loop.currentTick, loop.startReference, loop.lastError]).toEqual([
      0,
      undefined,
      undefined,
    ]);
    expect(loop.stats).toEqual({ frames: 0, ticks: 0, droppedTicks: 0, droppedFrames: 0 });
  });

  test.each([
    [20, 1],
    [120, 1],
    [59.94, 2 ** 31 - 1],
  ])('%d Hz with a bound of %d are accepted', (tickRateHz, maxCatchUpTicks) => {
    const { loop } = openLoop({ tickRateHz, maxCatchUpTicks });
    expect([loop.tickRateHz, loop.maxCatchUpTicks]).toEqual([tickRateHz, maxCatchUpTicks]);
  });

  test.each<[GameLoopOptions, string, string, unknown]>([
    [{ tickRateHz: 19 }, 'tick_rate_invalid', 'tick_rate_hz', 19],
    [{ tickRateHz: 121 }, 'tick_rate_invalid', 'tick_rate_hz', 121],
    [{ tickRateHz: Number.NaN }, 'tick_rate_invalid', 'tick_rate_hz', Number.NaN],
    [{ tickRateHz: 100.0000003 }, 'tick_rate_invalid', 'tick_rate_hz', 100.0000003],
    [{ maxCatchUpTicks: 0 }, 'catchup_invalid', 'max_catch_up', 0],
    [{ maxCatchUpTicks: 1.5 }, 'catchup_invalid', 'max_catch_up', 1.5],
    [{ maxCatchUpTicks: 2 ** 31 }, 'catchup_invalid', 'max_catch_up', 2 ** 31],
    // The rate is looked at first.
    [{ tickRateHz: 19, maxCatchUpTicks: 0 }, 'tick_rate_invalid', 'tick_rate_hz', 19],
  ])('%o is refused with one warning a window', (options, event, field, value) => {
    const records: LogRecord[] = [];
    const log = createLog({ nowMs: () => 0, sink: (record) => records.push(record) });
    for (let i = 0; i < 3; i++) {
      expect(codeOf(() => new GameLoop(new NotingTarget(), { log, ...options }))).toBe(
        'OPTION_INVALID',
      );
    }
    expect(events(records)).toEqual([`warn loop/${event}`]);
    expect(records[0]?.fields).toEqual({ [field]: value });
  });

  test('a subsystem of the caller is used as it is', () => {
    const records: LogRecord[] = [];
    const log = createLog({ nowMs: () => 0, sink: (record) => records.push(record) });
    expect(codeOf(() => openLoop({ log: log.for('zone-7'), tickRateHz: 1 }))).toBe(
      'OPTION_INVALID',
    );
    expect(events(records)).toEqual(['warn zone-7/tick_rate_invalid']);
  });
});

describe('a frame', () => {
  test('sets the reference at first, runs nothing, and reads the clock once', () => {
    const { loop, clock, target, statusAt } = openLoop();
    expect(statusAt(123 * MS)).toBe('ok');
    expect(loop.startReference).toEqual({ seconds: 1000, nanos: 123 * MS });
    expect(loop.lastReading).toEqual(loop.startReference);
    expect(target.take()).toEqual(['begin', 'end']);
    // The same reading again owes nothing.
    expect(statusAt(123 * MS)).toBe('ok');
    expect([clock.reads, loop.stats.frames, loop.currentTick]).toEqual([2, 2, 0]);
  });

  test('takes a first reading before the zero of its clock as it is', () => {
    const { loop, frameAt } = openLoop({ tickRateHz: 100 }, -5);
    frameAt(0);
    expect(loop.startReference).toEqual({ seconds: -5, nanos: 0 });
    expect([frameAt(20 * MS), loop.lastReading.seconds]).toEqual([2, -5]);
  });

  test('400 frames of 16,666,667 ns and 200 of 16,666,666 ns are 600 ticks in 601 frames', () => {
    const { loop, clock, told, frameAt } = openLoop();
    frameAt(0);
    for (let i = 0; i < 600; i++) frameAt(clock.ns + (i < 400 ? 16_666_667 : 16_666_666));
    expect(clock.ns).toBe(10 * SECOND);
    expect(loop.stats).toEqual({ frames: 601, ticks: 600, droppedTicks: 0, droppedFrames: 0 });
    expect(told).toEqual(Array.from({ length: 600 }, (_, i) => i + 1));
  });

  test('opens once, runs its ticks in order, the first one marked, and closes once', () => {
    const { target, frameAt } = openLoop({ tickRateHz: 100 });
    frameAt(0);
    target.take();
    expect(frameAt(35 * MS)).toBe(3);
    expect(target.take()).toEqual(['begin', 'tick 1 first', 'tick 2', 'tick 3', 'end']);
    expect(frameAt(36 * MS)).toBe(0);
    expect(target.take()).toEqual(['begin', 'end']);
    expect(frameAt(40 * MS)).toBe(1);
    expect(target.take()).toEqual(['begin', 'tick 4 first', 'end']);
  });

  test('tells onTick each tick once it is complete: currentTick is its number', () => {
    const seen: number[][] = [];
    const stage = openLoop({
      tickRateHz: 100,
      onTick: (tick) => seen.push([tick, stage.loop.currentTick, stage.loop.stats.ticks]),
    });
    stage.frameAt(0);
    stage.frameAt(25 * MS);
    expect(seen).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
  });

  test('demands of 10, 18 and 26 with a bound of 2 drop 8, 16 and 24, and warn once', () => {
    const { loop, records, frameAt } = openLoop({ tickRateHz: 100, maxCatchUpTicks: 2 });
    const stats = loop.stats;
    frameAt(0);
    const dropped = [100, 280, 540].map((ms) => {
      const before = stats.droppedTicks;
      expect(frameAt(ms * MS)).toBe(2);
      return stats.droppedTicks - before;
    });
    expect(dropped).toEqual([8, 16, 24]);
    expect(stats).toEqual({ frames: 4, ticks: 6, droppedTicks: 48, droppedFrames: 3 });
    expect(events(records)).toEqual(['warn loop/tick_dropped']);
    expect(records[0]?.fields).toEqual({
      dropped: 8,
      after_tick: 2,
      total_dropped: 8,
      max_catch_up: 2,
      tick_rate_hz: 100,
    });
  });

  test('warns of drops once a window of the log, and again in the next one', () => {
    const { loop, log, records, frameAt } = openLoop({ tickRateHz: 100, maxCatchUpTicks: 1 });
    frameAt(0);
    // Overload for 2.5 s, health for 2 s, then one more stall.
    for (let ms = 20; ms <= 2500; ms += 20) frameAt(ms * MS);
    for (let ms = 2510; ms <= 4500; ms += 10) frameAt(ms * MS);
    frameAt(4600 * MS);
    const times = records
      .filter(({ event }) => event === 'tick_dropped')
      .map(({ timestampMs }) => timestampMs);
    expect(times).toEqual([20, 1020, 2020, 4600]);
    expect(loop.stats.droppedFrames).toBe(126);
    expect(loop.stats.droppedTicks).toBe(125 + 9);
    const before = records.length;
    log.close();
    expect(records.slice(before)).toEqual([]);
  });

  test('a drop is told after the ticks of its frame ran', () => {
    const order: string[] = [];
    const log = createLog({ nowMs: () => 0, sink: ({ event }) => order.push(event) });
    const stage = openLoop({ tickRateHz: 100, maxCatchUpTicks: 2, log });
    stage.target.inTick = (tick) => {
      order.push(`tick ${tick}`);
      expect(stage.loop.stats.droppedTicks).toBe(0);
    };
    stage.frameAt(0);
    stage.frameAt(50 * MS);
    expect(order).toEqual(['tick 1', 'tick 2', 'tick_dropped']);
    expect(stage.loop.stats.droppedTicks).toBe(3);
  });

  test('frames at 15, 25 and 45 ms of 100 Hz show ticks 1, 2 and 4 at alpha one half', () => {
    const { loop, target, statusAt } = openLoop({ tickRateHz: 100 });
    statusAt(0);
    const seen = [15, 25, 45].map((ms) => {
      statusAt(ms * MS);
      return [loop.currentTick, loop.alphaAt(loop.lastReading)];
    });
    expect(seen).toEqual([
      [1, 0.5],
      [2, 0.5],
      [4, 0.5],
    ]);
    target.fault = stale();
    expect(statusAt(65 * MS)).toBe('schedule-stale');
    expect(loop.currentTick).toBe(4);
  });

  test('tells when the next tick is due and when the last one was', () => {
    const { loop, frameAt } = openLoop({ tickRateHz: 100, maxCatchUpTicks: 2 });
    const [due, anchor] = [createInstant(), createAnchor()];
    expect(loop.nextDue(due)).toBe(false);
    frameAt(0);
    frameAt(105 * MS);
    expect(loop.nextDue(due)).toBe(true);
    expect(due).toEqual({ seconds: 1000, nanos: 110 * MS });
    loop.anchor(anchor);
    // Start reference + (tick + dropped) x quantum.
    expect(anchor).toMatchObject({ tick: 2, running: true, dueFraction: 0 });
    expect(anchor.due).toEqual({ seconds: 1000, nanos: 100 * MS });
  });

  test('called from inside a frame is refused, which fails that frame', () => {
    const stage = openLoop({ tickRateHz: 100, onTick: () => void stage.loop.frame() });
    stage.frameAt(0);
    expect(stage.statusAt(10 * MS)).toBe('failed');
    expect(stage.loop.lastError?.cause).toMatchObject({ code: 'STATE_INVALID' });
  });
});

describe('a schedule at fault', () => {
  test('freezes the tick count; each frame counts, fails alike, and drops nothing', () => {
    const { loop, target, told, records, statusAt } = openLoop({ tickRateHz: 100 });
    statusAt(0);
    statusAt(20 * MS);
    target.take();
    target.fault = stale();
    // No tick is due: nothing has to run.
    expect(statusAt(25 * MS)).toBe('ok');
    for (let ms = 30; ms < 1030; ms += 10) expect(statusAt(ms * MS)).toBe('schedule-stale');
    expect(loop.lastError).toBe(target.fault);
    expect(loop.stats).toEqual({ frames: 103, ticks: 2, droppedTicks: 0, droppedFrames: 0 });
    expect(told).toEqual([1, 2]);
    expect(target.take().filter((call) => call.startsWith('tick'))).toEqual([]);
    expect(records).toEqual([]);
    target.fault = new EscapementError('SCHEDULE_INVALID', 'Built by hand.');
    expect(statusAt(1030 * MS)).toBe('schedule-invalid');
  });

  test('is logged by the target, once a window, and not by the loop', () => {
    const stage = openLoop({ tickRateHz: 100 });
    const { target, log, records } = stage;
    target.scheduleFault = () => {
      log.for('system').warn('schedule_stale', 'A system came later.');
      return stale();
    };
    for (let ms = 0; ms < 500; ms += 10) stage.statusAt(ms * MS);
    expect(events(records)).toEqual(['warn system/schedule_stale']);
  });

  test('found in the middle of a frame keeps the ticks before it, and counts no drop', () => {
    const { loop, target, records, statusAt } = openLoop({ tickRateHz: 100, maxCatchUpTicks: 3 });
    statusAt(0);
    target.inTick = (tick) => {
      if (tick === 2) target.fault = stale();
    };
    expect(statusAt(90 * MS)).toBe('schedule-stale');
    expect(loop.stats).toMatchObject({ ticks: 2, droppedTicks: 0, droppedFrames: 0 });
    expect(records).toEqual([]);
    // What stays owed is owed at once when the target can run again: 8, of which 3 run.
    target.fault = undefined;
    target.inTick = () => {};
    expect(statusAt(100 * MS)).toBe('ok');
    expect(loop.stats).toMatchObject({ ticks: 5, droppedTicks: 5, droppedFrames: 1 });
  });

  test('fails alike at a reading that went back', () => {
    const { target, statusAt } = openLoop({ tickRateHz: 100 });
    statusAt(0);
    target.fault = stale();
    expect([10, 5, -100].map((ms) => statusAt(ms * MS))).toEqual(
      Array.from({ length: 3 }, () => 'schedule-stale'),
    );
  });
});

describe('something that throws', () => {
  const broken = new Error('divided by zero');
  const throwAt = (stage: ReturnType<typeof openLoop>, at: number): void => {
    stage.target.inTick = (tick) => {
      if (tick === at) throw broken;
    };
  };

  test('in a system fails the loop for good: the tick is not counted, the world left alone', () => {
    const stage = openLoop({ tickRateHz: 100, maxCatchUpTicks: 4 });
    const { loop, target, told, records, statusAt } = stage;
    throwAt(stage, 3);
    statusAt(0);
    target.take();
    expect(statusAt(90 * MS)).toBe('failed');
    expect(target.take()).toEqual(['begin', 'tick 1 first', 'tick 2']);
    expect(loop.lastError).toMatchObject({ code: 'SIMULATION_FAILED', cause: broken });
    expect(told).toEqual([1, 2]);
    expect(events(records)).toEqual(['error loop/failed']);
    const { lastError } = loop;
    expect(statusAt(200 * MS)).toBe('failed');
    expect(loop.lastError).toBe(lastError);
    expect(loop.stats).toEqual({ frames: 3, ticks: 2, droppedTicks: 0, droppedFrames: 0 });
    expect([target.take(), loop.nextDue(createInstant()), records.length]).toEqual([[], false, 1]);
  });

  test('in onTick fails it too, but the tick counts', () => {
    const { loop, target, statusAt } = openLoop({
      tickRateHz: 100,
      onTick: (tick) => {
        if (tick === 2) throw broken;
      },
    });
    statusAt(0);
    target.take();
    expect(statusAt(40 * MS)).toBe('failed');
    expect(target.take()).toEqual(['begin', 'tick 1 first', 'tick 2']);
    expect([loop.currentTick, loop.stats.ticks]).toEqual([2, 2]);
    expect(loop.lastError).toMatchObject({ code: 'SIMULATION_FAILED', cause: broken });
    expect(statusAt(50 * MS)).toBe('failed');
  });

  test.each(['beginFrame', 'scheduleFault', 'endFrame'] as const)('in %s fails it', (call) => {
    const { loop, target, statusAt } = openLoop({ tickRateHz: 100 });
    statusAt(0);
    target[call] = () => {
      throw broken;
    };
    expect(statusAt(10 * MS)).toBe('failed');
    expect(loop.lastError?.message).toContain(`${call} threw`);
  });

  test('as a failed simulation itself is passed on as it is', () => {
    const { loop, target, statusAt } = openLoop({ tickRateHz: 100 });
    const own = new EscapementError('SIMULATION_FAILED', 'System "move" threw.');
    target.inTick = () => {
      throw own;
    };
    statusAt(0);
    statusAt(10 * MS);
    expect(loop.lastError).toBe(own);
  });
});

describe('without a log', () => {
  /** Runs with another console, which one may be without. */
  const withConsole = (console: object | undefined, act: () => void): void => {
    const own = globalThis.console;
    Object.assign(globalThis, { console });
    try {
      act();
    } finally {
      Object.assign(globalThis, { console: own });
    }
  };

  const overload = (): void => {
    const stage = openLoop({ tickRateHz: 100, maxCatchUpTicks: 2, log: undefined });
    for (let ms = 0; ms < 1000; ms += 100) stage.statusAt(ms * MS);
    stage.target.inTick = () => {
      throw new Error('no');
    };
    stage.statusAt(1000 * MS);
    stage.loop.stop();
    expect(stage.clock.reads).toBe(stage.loop.stats.frames);
  };

  test('warnings and worse go to the console, by the time of the frames', () => {
    const lines: string[] = [];
    const line = (kind: string) => (text: string) => lines.push(`${kind} ${text.split(':')[0]}`);
    withConsole({ warn: line('warn'), error: line('error') }, overload);
    expect(lines).toEqual([
      'warn [warn] loop/tick_dropped',
      'error [error] loop/failed',
      'warn [warn] loop/rate_limited',
    ]);
  });

  test('and without a console they go nowhere', () => {
    withConsole(undefined, overload);
  });
});

describe('moving', () => {
  test('a moved loop is over and silent; the new one carries on as if nothing was', () => {
    const [moving, staying] = [openLoop({ tickRateHz: 100 }), openLoop({ tickRateHz: 100 })];
    let live = moving.loop;
    const { clock, target, records } = moving;
    for (let i = 0; i < 200; i++) {
      staying.statusAt(i * 7_000_001);
      clock.ns = i * 7_000_001;
      if (i % 10 === 9) {
        const old = live;
        live = old.moveOut();
        const [calls, reads] = [target.calls.length, clock.reads];
        expect([old.frame(), old.currentTick, old.startReference]).toEqual(['moved', 0, undefined]);
        expect([target.calls.length, clock.reads]).toEqual([calls, reads]);
        expect(old.moveOut().frame()).toBe('moved');
      }
      expect(live.frame()).toBe('ok');
      expect(live.alphaAt(live.lastReading)).toBe(staying.loop.alphaAt(staying.loop.lastReading));
    }
    expect(live.stats).toEqual(staying.loop.stats);
    expect(live.startReference).toEqual(staying.loop.startReference);
    expect(moving.told).toEqual(staying.told);
    expect(records).toEqual([]);
  });

  test('carries a failure on', () => {
    const { loop, target, statusAt } = openLoop({ tickRateHz: 100 });
    target.inTick = () => {
      throw new Error('no');
    };
    statusAt(0);
    statusAt(10 * MS);
    const { lastError } = loop;
    const next = loop.moveOut();
    expect([next.frame(), next.lastError]).toEqual(['failed', lastError]);
    expect([loop.frame(), loop.lastError]).toEqual(['moved', undefined]);
  });

  test('from inside a frame is refused', () => {
    const stage = openLoop({ tickRateHz: 100, onTick: () => void stage.loop.moveOut() });
    stage.statusAt(0);
    expect(stage.statusAt(10 * MS)).toBe('failed');
    expect(stage.loop.lastError?.cause).toMatchObject({ code: 'STATE_INVALID' });
  });
});

describe('stopping', () => {
  test('keeps what was counted and touches nothing any more', () => {
    const { loop, clock, target, statusAt } = openLoop({ tickRateHz: 100 });
    statusAt(0);
    statusAt(20 * MS);
    loop.stop();
    loop.stop();
    const [calls, reads] = [target.calls.length, clock.reads];
    expect(statusAt(90 * MS)).toBe('stopped');
    expect([target.calls.length, clock.reads]).toEqual([calls, reads]);
    expect([loop.currentTick, loop.stats.frames]).toEqual([2, 2]);
    expect(loop.nextDue(createInstant())).toBe(false);
  });

  test('inside a frame is in force before the next tick', () => {
    const stage = openLoop({
      tickRateHz: 100,
      onTick: (tick) => {
        if (tick === 2) stage.loop.stop();
      },
    });
    stage.statusAt(0);
    expect(stage.statusAt(50 * MS)).toBe('stopped');
    expect(stage.loop.currentTick).toBe(2);
  });
});

describe('a profiler', () => {
  test('gets whole nanoseconds of completed ticks from a clock of its own', () => {
    const profiler = new Profiler([]);
    const { ticks } = profiler;
    const timer = new HandClock();
    const { clock, target, statusAt } = openLoop({ tickRateHz: 100, profiler, timer });
    statusAt(0);
    target.inTick = (tick) => {
      timer.ns += tick * 1000;
      if (tick === 5) throw new Error('no');
    };
    statusAt(20 * MS);
    expect([ticks.count, ticks.last, ticks.max(), timer.reads]).toEqual([2, 2000, 2000, 4]);
    profiler.disable();
    statusAt(30 * MS);
    expect([ticks.count, timer.reads]).toEqual([2, 4]);
    profiler.enable();
    statusAt(40 * MS);
    expect([ticks.count, ticks.last, timer.reads]).toEqual([3, 4000, 6]);
    // A failed tick has no sample.
    expect(statusAt(50 * MS)).toBe('failed');
    expect([ticks.count, timer.reads]).toEqual([3, 7]);
    // Whatever is timed, the loop's own clock is read once a frame.
    expect(clock.reads).toBe(5);
  });

  test('switched within a tick takes no half sample', () => {
    const profiler = new Profiler([]);
    const { target, statusAt } = openLoop({ tickRateHz: 100, profiler });
    statusAt(0);
    target.inTick = (tick) => {
      if (tick % 2 === 0) profiler.enable();
      else profiler.disable();
    };
    statusAt(40 * MS);
    expect(profiler.ticks.count).toBe(0);
  });

  test('null is none', () => {
    const { statusAt } = openLoop({ profiler: null });
    expect(statusAt(0)).toBe('ok');
  });
});

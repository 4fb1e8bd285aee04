import { describe, expect, test } from 'vitest';
import { createInstant, elapsedNs, instantFromMs } from '../../src/shared/instant.ts';
import { GameLoop } from '../../src/sim-worker/game-loop.ts';
import { clockOf, frameAt as clockFrameAt } from '../shared/clock-frames.ts';
import { HandClock, type LoopStage, NotingTarget, openLoop } from './loop-stage.ts';

/**
 * The clock faults that broke others, by their number in the catalogue of cases (CLK n, SRV n),
 * where a loop could bring them back; those that only the clock can are tested with it.
 */

const MS = 1e6;
const SECOND = 1e9;

/** Alpha as a frame shows it. */
const alphaOf = ({ loop }: LoopStage): number => loop.alphaAt(loop.lastReading);

/** Where a body that moves a unit a tick is shown. */
const shownOf = (stage: LoopStage): number =>
  Math.max(0, stage.loop.currentTick - 1) + alphaOf(stage);

const backwardWarnings = ({ records }: LoopStage): number =>
  records.filter(({ event }) => event === 'clock_backward').length;

describe('readings', () => {
  test('CLK 4: a frame reads the clock once, and none of the time of the readings is lost', () => {
    const clock = new HandClock();
    const ticking = {
      read: (out: { seconds: number; nanos: number }) => {
        clock.ns += 50_000;
        return clock.read(out);
      },
    };
    const loop = new GameLoop(new NotingTarget(), { clock: ticking });
    for (let i = 0; i < 20_000; i++) {
      clock.ns += 950_000;
      loop.frame();
      expect(loop.alphaAt(loop.lastReading)).toBeLessThan(1);
    }
    expect([clock.reads, loop.stats.frames]).toEqual([20_000, 20_000]);
    // 19.999 s since the first reading.
    const start = loop.startReference ?? createInstant();
    expect(elapsedNs(loop.lastReading, start)).toBe(19_999_000_000);
    expect(loop.currentTick).toBe(1199);
  });

  test('CLK 7: starts beyond 2^31 ms and near 2^53 ns give no negative time or alpha', () => {
    const late = Math.floor((2 ** 53 - 1) / 1e9) - 1;
    for (const [base, from] of [
      [0, 2 ** 31 * MS - 5 * MS],
      [late, 254_740_991],
    ] as const) {
      const stage = openLoop({ tickRateHz: 120 }, base);
      for (let ms = 0; ms <= 2000; ms++) {
        stage.frameAt(from + ms * MS);
        expect(stage.loop.currentTick).toBe(Math.floor((ms * 120) / 1000));
        const alpha = alphaOf(stage);
        expect(alpha >= 0 && alpha < 1).toBe(true);
      }
      expect(backwardWarnings(stage)).toBe(0);
    }
  });

  test('CLK 8: a frame stamped before the start has no time, and one warning says so', () => {
    const stage = openLoop();
    const seen = [100, 98.7, 115.4, 132].map((ms) => [stage.frameAt(ms * MS), alphaOf(stage)]);
    expect(seen.map(([ticks]) => ticks)).toEqual([0, 0, 0, 1]);
    // 32 ms x 60 Hz are 1.92 ticks.
    expect(seen.map(([, alpha]) => alpha)).toEqual([0, 0, 0, 0.92]);
    expect([stage.loop.stats.frames, backwardWarnings(stage)]).toEqual([4, 1]);
    expect(stage.loop.startReference).toEqual(instantFromMs(createInstant(), 1_000_100));
  });

  test('CLK 23: a clock that is set back costs one frame, and the picture never goes back', () => {
    const stage = openLoop({}, 1000);
    let shown = 0;
    const ticks = [0, 16.7, 33.4, -5000, 50].map((ms) => {
      const ran = stage.frameAt(ms * MS);
      const next = shownOf(stage);
      expect(next).toBeGreaterThanOrEqual(shown);
      shown = next;
      return ran;
    });
    expect(ticks).toEqual([0, 1, 1, 0, 1]);
    expect([stage.loop.stats.frames, backwardWarnings(stage)]).toEqual([5, 1]);
  });

  test('CLK 23: a clock that keeps going back warns once a window of the log', () => {
    const stage = openLoop();
    for (let i = 0; i < 100; i++) stage.frameAt(i % 2 === 0 ? i * MS : 0);
    expect([backwardWarnings(stage), stage.loop.stats.frames]).toEqual([1, 100]);
  });
});

describe('slicing of frames', () => {
  test('CLK 5: a timer of 18,000 ticks fires after 300 s of 59 Hz frames, within a frame', () => {
    let firedAt = 0;
    const stage = openLoop({
      onTick: (tick) => {
        if (tick === 18_000) firedAt = stage.clock.ns;
      },
    });
    for (let i = 0; firedAt === 0; i++) stage.frameAt(Math.floor((i * 1e9) / 59));
    expect(stage.loop.currentTick / stage.loop.tickRateHz).toBe(300);
    expect(firedAt - 300 * SECOND).toBeGreaterThanOrEqual(0);
    expect(firedAt - 300 * SECOND).toBeLessThan(SECOND / 59);
  });

  test('CLK 20: the ticks of a long frame are consecutive, and each is one quantum', () => {
    const stage = openLoop();
    stage.frameAt(0);
    stage.target.take();
    expect(stage.frameAt(66_700_000)).toBe(4);
    expect(stage.target.take()).toEqual([
      'begin',
      'tick 1 first',
      'tick 2',
      'tick 3',
      'tick 4',
      'end',
    ]);
    expect(stage.told).toEqual([1, 2, 3, 4]);
    expect(alphaOf(stage)).toBe(0.002);
  });

  test('CLK 22: 10 s at any refresh rate are the same 600 ticks and the same state', () => {
    const rates: ((i: number) => number)[] = [30, 60, 90, 120, 144, 240].map(
      (hz) => (i) => (i * 1e9) / hz,
    );
    rates.push((i) => (i * 1001e6) / 60);
    rates.push((i) => (Math.floor(i / 2) * 33 + (i % 2) * 8) * MS);
    const ends = rates.map((at) => {
      const stage = openLoop();
      let state = 1;
      stage.target.inTick = (tick) => {
        state = Math.imul(state ^ tick, 0x01000193);
      };
      for (let i = 0; Math.floor(at(i)) < 10 * SECOND; i++) stage.frameAt(Math.floor(at(i)));
      stage.frameAt(10 * SECOND);
      return [stage.loop.currentTick, stage.loop.stats.droppedTicks, state];
    });
    expect(ends.map(([tick, dropped]) => [tick, dropped])).toEqual(rates.map(() => [600, 0]));
    expect(new Set(ends.map(([, , state]) => state)).size).toBe(1);
  });

  test('CLK 25: 240 Hz frames over 20 Hz ticks see twelve rising alphas a tick', () => {
    const stage = openLoop({ tickRateHz: 20 });
    const raws: number[][] = [];
    for (let i = 0; i < 12 * 20; i++) {
      stage.frameAt(Math.ceil((i * 1e9) / 240));
      (raws[stage.loop.currentTick] ??= []).push(alphaOf(stage) * 65_536);
    }
    for (const alphas of raws.slice(1)) {
      expect(alphas).toHaveLength(12);
      alphas.slice(1).forEach((raw, i) => {
        expect(Math.abs(raw - (alphas[i] as number) - 65_536 / 12)).toBeLessThanOrEqual(1);
      });
    }
  });

  test('CLK 26: timers of 15.625 ms, and of 15.6 and 31.2 ms in turn, lose no tick', () => {
    const even = openLoop();
    even.frameAt(0);
    const counts = new Map<number, number>();
    for (let i = 1; i <= 640; i++) {
      const ran = even.frameAt(i * 15_625_000);
      counts.set(ran, (counts.get(ran) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({ 0: 40, 1: 600 });
    const uneven = openLoop();
    let most = 0;
    for (let i = 0; uneven.clock.ns < 10 * SECOND; i++) {
      const ns = Math.floor(i / 2) * 46_800_000 + (i % 2) * 15_600_000;
      most = Math.max(most, uneven.frameAt(Math.min(ns, 10 * SECOND)));
    }
    expect([uneven.loop.currentTick, uneven.loop.stats.droppedTicks, most]).toEqual([600, 0, 2]);
  });
});

describe('overload', () => {
  test('CLK 10: a stall of 5 s runs 8 ticks, drops 292, warns once and leaves no debt', () => {
    const stage = openLoop({ maxCatchUpTicks: 8 });
    stage.frameAt(0);
    expect(stage.frameAt(5 * SECOND)).toBe(8);
    expect(stage.frameAt(5 * SECOND + 16_666_667)).toBe(1);
    expect(stage.loop.stats).toEqual({ frames: 3, ticks: 9, droppedTicks: 292, droppedFrames: 1 });
    expect(stage.records.map(({ event, fields }) => [event, fields.dropped])).toEqual([
      ['tick_dropped', 292],
    ]);
  });

  test('CLK 11: a page hidden for 120 s costs 8 ticks on return and drops 7192', () => {
    const stage = openLoop({ maxCatchUpTicks: 8 });
    stage.frameAt(0);
    stage.target.take();
    expect(stage.frameAt(120 * SECOND)).toBe(8);
    expect(stage.target.take().filter((call) => call.startsWith('tick'))).toHaveLength(8);
    expect(stage.loop.stats.droppedTicks).toBe(7192);
  });
});

describe('servers', () => {
  test('SRV 152: ticks of 20 ms at 20 Hz do not shift the ones after them: 1400 in 70 s', () => {
    const stage = openLoop({ tickRateHz: 20 });
    const due = createInstant();
    stage.target.inTick = () => {
      stage.clock.ns += 20 * MS;
    };
    stage.frameAt(0);
    for (;;) {
      stage.loop.nextDue(due);
      const next = (due.seconds - stage.clock.baseSeconds) * 1e9 + due.nanos;
      if (next > 70 * SECOND) break;
      expect(next).toBe((stage.loop.currentTick + 1) * 50 * MS);
      stage.frameAt(Math.max(next, stage.clock.ns));
    }
    expect([stage.loop.currentTick, stage.loop.stats.droppedTicks]).toEqual([1400, 0]);
  });

  test('SRV 152: wake-ups 5 to 15 ms late do not add up: tick 100 is as late as any', () => {
    const late = (i: number): number => (5 + ((i * 7) % 11)) * MS;
    const stage = openLoop({ tickRateHz: 20 });
    stage.frameAt(0);
    for (let i = 1; i <= 100; i++) expect(stage.frameAt(i * 50 * MS + late(i))).toBe(1);
    expect(stage.clock.ns - 5 * SECOND).toBe(late(100));
    const slow = clockOf(3, 5);
    clockFrameAt(slow, 0);
    for (let i = 1; i <= 100; i++) expect(clockFrameAt(slow, i * 600 * MS + late(i))).toBe(1);
    expect(slow.tick).toBe(100);
  });

  test('SRV 155: a block of 335 ms at 20 Hz: 6 due, 5 run in one frame, 285 ms late', () => {
    const stage = openLoop({ tickRateHz: 20 });
    const due = createInstant();
    stage.frameAt(0);
    stage.loop.nextDue(due);
    stage.target.take();
    expect(stage.frameAt(335 * MS)).toBe(5);
    expect(elapsedNs(stage.loop.lastReading, due)).toBe(285 * MS);
    expect(stage.loop.stats.droppedTicks).toBe(1);
    // Whatever is published at the end of a frame is published once, not once a tick.
    expect(stage.target.take().filter((call) => call === 'end')).toHaveLength(1);
    expect(stage.frameAt(350 * MS)).toBe(1);
  });

  test('SRV 155: of 12 ticks due after 600 ms a bound of 10 runs 10 and reports 2 dropped', () => {
    const stage = openLoop({ tickRateHz: 20, maxCatchUpTicks: 10 });
    stage.frameAt(0);
    expect(stage.frameAt(600 * MS)).toBe(10);
    expect(stage.told).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(stage.records.map(({ fields }) => fields)).toEqual([
      { dropped: 2, after_tick: 10, total_dropped: 2, max_catch_up: 10, tick_rate_hz: 20 },
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import type { ClockOptions } from '../../src/shared/clock-options.ts';
import {
  addNs,
  copyInstant,
  createInstant,
  elapsedNs,
  instantFromMs,
  type MonotonicClock,
} from '../../src/shared/instant.ts';
import type { WorldClock } from '../../src/shared/world-clock.ts';
import { advance, alphaAt, clockOf, frameAt, shownAt, step } from './clock-frames.ts';

/** The clock faults that broke others, by their number in the catalogue of cases (CLK n). */

const MS = 1e6;
const SECOND = 1e9;

const hz = (rate: number, options: Partial<ClockOptions> = {}): WorldClock =>
  clockOf(1, rate, options);

/** Runs frames at the given readings after a first one at 0; returns the ticks of each. */
const runAt = (clock: WorldClock, readings: Iterable<number>): number[] => {
  frameAt(clock, 0);
  return Array.from(readings, (ns) => frameAt(clock, ns));
};

const frames = (count: number, at: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => at(i + 1));

const countOf = (ticks: number[], value: number): number =>
  ticks.filter((each) => each === value).length;

describe('slicing of frames', () => {
  test('CLK 1: an excess of every 25th frame is one double step in 1250, shown evenly', () => {
    const clock = hz(60);
    frameAt(clock, 0);
    let now = 0;
    let shown = 0;
    const doubles: number[] = [];
    for (let frame = 1; frame <= 1250; frame++) {
      const length = 16_666_667 + (frame % 25 === 0 ? 333_333 : 0);
      now += length;
      const ran = frameAt(clock, now);
      expect(ran).toBeGreaterThan(0);
      if (ran === 2) doubles.push(frame);
      const next = shownAt(clock, now);
      expect(next - shown).toBeLessThanOrEqual((length * 60) / 1e9 + 1e-4);
      shown = next;
    }
    expect(doubles).toEqual([1250]);
    expect(clock.tick).toBe(1251);
  });

  test('CLK 2: a 59.94 Hz display shows 60 Hz ticks at even speed, six doubles in 6000', () => {
    const clock = hz(60);
    const at = (i: number): number => Math.floor((i * 1001e6) / 60);
    frameAt(clock, 0);
    let shown = 0;
    const doubles: number[] = [];
    for (let frame = 1; frame <= 6000; frame++) {
      const ran = frameAt(clock, at(frame));
      expect(ran).toBeGreaterThan(0);
      if (ran === 2) doubles.push(frame);
      const next = shownAt(clock, at(frame));
      const ideal = ((at(frame) - at(frame - 1)) * 60) / 1e9;
      if (frame > 1) expect(Math.abs((next - shown) / ideal - 1)).toBeLessThan(0.001);
      shown = next;
    }
    expect(doubles).toEqual([1001, 2001, 3000, 4001, 5001, 6000]);
    expect(clock.tick).toBe(6006);
  });

  test('CLK 2: at 59 Hz every 59th frame is a double one', () => {
    const clock = hz(60);
    const ticks = runAt(
      clock,
      frames(600, (i) => Math.ceil((i * 1e9) / 59)),
    );
    const doubles = ticks.flatMap((ran, i) => (ran === 2 ? [i + 1] : []));
    expect(doubles).toEqual([59, 118, 177, 236, 295, 354, 413, 472, 531, 590]);
    expect(countOf(ticks, 0)).toBe(0);
    expect(clock.tick).toBe(610);
  });

  test('CLK 4: one reading a frame loses none of the time that readings take', () => {
    const clock = hz(60);
    const own = createInstant();
    let reads = 0;
    const source: MonotonicClock = {
      read(out) {
        reads++;
        return copyInstant(out, addNs(own, 50_000));
      },
    };
    const now = createInstant();
    for (let i = 0; i < 20_000; i++) {
      addNs(own, 950_000);
      const planned = clock.plan(source.read(now));
      for (let tick = 0; tick < planned; tick++) clock.complete();
      clock.settle();
      expect(clock.alphaAt(now)).toBeLessThan(1);
    }
    expect(reads).toBe(20_000);
    // 19.999 s since the first reading: nothing of the 50 us a read is lost.
    expect(elapsedNs(own, clock.startReference)).toBe(19_999_000_000);
    expect(clock.tick).toBe(1199);
  });

  test('CLK 5: 300 s of 59 Hz frames are 18,000 ticks of 60 Hz and 300 s of world time', () => {
    const clock = hz(60);
    let firedAt = 0;
    frameAt(clock, 0);
    for (let i = 1; firedAt === 0; i++) {
      frameAt(clock, Math.floor((i * 1e9) / 59));
      if (clock.tick >= 18_000) firedAt = i;
    }
    expect(clock.tick).toBe(18_000);
    expect(clock.worldTime).toBe(300);
    expect(firedAt).toBe(17_700);
  });

  test.each([
    ['30 Hz', (i: number) => (i * 1e9) / 30],
    ['59.94 Hz', (i: number) => (i * 1001e6) / 60],
    ['60 Hz', (i: number) => (i * 1e9) / 60],
    ['90 Hz', (i: number) => (i * 1e9) / 90],
    ['120 Hz', (i: number) => (i * 1e9) / 120],
    ['144 Hz', (i: number) => (i * 1e9) / 144],
    ['240 Hz', (i: number) => (i * 1e9) / 240],
    ['8 and 25 ms in turn', (i: number) => (Math.floor(i / 2) * 33 + (i % 2) * 8) * MS],
  ])('CLK 22: 10 s of frames of %s are 600 ticks', (_name, at) => {
    const clock = hz(60);
    const readings: number[] = [];
    for (let i = 1; Math.floor(at(i)) < 10 * SECOND; i++) readings.push(Math.floor(at(i)));
    runAt(clock, [...readings, 10 * SECOND]);
    expect(clock.tick).toBe(600);
    expect(clock.ticksDropped).toBe(0);
  });

  test('CLK 22: of 144 frames in a second 84 run no tick and 60 run one', () => {
    const ticks = runAt(
      hz(60),
      frames(144, (i) => Math.floor((i * 1e9) / 144)),
    );
    expect([countOf(ticks, 0), countOf(ticks, 1)]).toEqual([84, 60]);
  });

  test('CLK 26: timers of 15.625 ms lose no tick', () => {
    const ticks = runAt(
      hz(60),
      frames(640, (i) => i * 15_625_000),
    );
    expect([countOf(ticks, 0), countOf(ticks, 1)]).toEqual([40, 600]);
  });

  test('CLK 26: timers of 15.6 and 31.2 ms in turn lose none either', () => {
    const clock = hz(60);
    const at = (i: number): number => Math.floor(i / 2) * 46_800_000 + (i % 2) * 15_600_000;
    const readings = frames(427, at).filter((ns) => ns < 10 * SECOND);
    const ticks = runAt(clock, [...readings, 10 * SECOND]);
    expect(clock.tick).toBe(600);
    expect(Math.max(...ticks)).toBe(2);
    expect(clock.ticksDropped).toBe(0);
  });

  test('400 frames of 16,666,667 ns and 200 of 16,666,666 ns are 600 ticks', () => {
    const clock = hz(60);
    let now = 0;
    runAt(
      clock,
      frames(600, (i) => (now += i <= 400 ? 16_666_667 : 16_666_666)),
    );
    expect(now).toBe(10 * SECOND);
    expect([clock.tick, clock.ticksDropped]).toEqual([600, 0]);
  });
});

describe('readings', () => {
  test('CLK 7: a start beyond 2^31 ms or near 2^53 ns gives no negative time or alpha', () => {
    const clock = hz(1000, { maxTicksPerAdvance: 100 });
    const start = 2 ** 31 * MS - 5 * MS;
    frameAt(clock, start);
    for (let ms = 1; ms <= 10; ms++) {
      expect(frameAt(clock, start + ms * MS)).toBe(1);
      expect(alphaAt(clock, start + ms * MS + 250_000)).toBe(0.25);
    }
    const late = hz(60, { maxTicksPerAdvance: 1000 });
    const base = { seconds: 9_007_198, nanos: 254_740_991 };
    late.plan(base);
    const now = createInstant(base.seconds + 2, base.nanos);
    expect(late.plan(now)).toBe(120);
    late.complete();
    expect(late.alphaAt(now)).toBe(1);
    expect(late.backwardReadings).toBe(0);
  });

  test('CLK 8: a first frame stamped before the start reads as no time', () => {
    const clock = hz(60);
    const now = createInstant();
    clock.plan(instantFromMs(now, 100));
    const seen = [98.7, 115.4, 132].map((ms) => {
      const planned = clock.plan(instantFromMs(now, ms));
      const alpha = clock.alphaAt(now);
      for (let i = 0; i < planned; i++) clock.complete();
      return [planned, alpha];
    });
    expect(seen).toEqual([
      [0, 0],
      [0, 0],
      [1, 0],
    ]);
    expect(clock.backwardReadings).toBe(1);
  });

  test('CLK 23: a clock that is set back costs one frame, no tick and no negative alpha', () => {
    const clock = hz(60);
    const readings = [0, 16.7, 33.4, -5000, 50].map((ms) => ms * MS);
    const ticks = readings.map((ns) => {
      const ran = frameAt(clock, ns);
      const alpha = alphaAt(clock, ns);
      expect(alpha >= 0 && alpha <= 1).toBe(true);
      return ran;
    });
    expect(ticks).toEqual([0, 1, 1, 0, 1]);
    expect(clock.tick).toBe(3);
    expect(clock.backwardReadings).toBe(1);
  });
});

describe('overload', () => {
  test('CLK 10: a stall of 5 s runs the cap, drops the rest, and leaves no debt', () => {
    const clock = hz(60, { maxTicksPerAdvance: 8 });
    expect(advance(clock, 5)).toBe(8);
    expect(clock.ticksDropped).toBe(292);
    expect(advance(clock, 1 / 60)).toBe(1);
  });

  test('CLK 11: a page hidden for 120 s drops 7192 ticks', () => {
    const clock = hz(60, { maxTicksPerAdvance: 8 });
    frameAt(clock, 0);
    expect(frameAt(clock, 120 * SECOND)).toBe(8);
    expect(clock.ticksDropped).toBe(7192);
  });

  test('CLK 11: with a pause while hidden nothing is dropped and alpha goes on', () => {
    const clock = hz(60);
    runAt(clock, [20 * MS, 40 * MS]);
    const alpha = alphaAt(clock, 45 * MS);
    clock.pause({ seconds: 0, nanos: 45 * MS });
    frameAt(clock, 60 * SECOND);
    clock.resume({ seconds: 120, nanos: 45 * MS });
    frameAt(clock, 120 * SECOND + 45 * MS);
    expect(alphaAt(clock, 120 * SECOND + 45 * MS)).toBe(alpha);
    expect([clock.tick, clock.ticksDropped, clock.worldTime]).toEqual([2, 0, 2 / 60]);
  });

  test('CLK 13: the cap bounds quanta after the speed is applied', () => {
    const fixed = hz(60, { maxTicksPerAdvance: 8, speed: 4 });
    expect([advance(fixed, 1), fixed.ticksDropped]).toEqual([8, 232]);
    const scaling = hz(60, { maxTicksPerAdvance: 8, speed: 4, capScalesWithRate: true });
    expect([advance(scaling, 1), scaling.ticksDropped]).toEqual([32, 208]);
    const slow = hz(60, { maxTicksPerAdvance: 8, speed: 0.25 });
    expect([advance(slow, 1), slow.ticksDropped]).toEqual([8, 7]);
  });

  test('demands of 10, 18 and 26 with a cap of 2 drop 8, 16 and 24', () => {
    const clock = hz(100, { maxTicksPerAdvance: 2 });
    runAt(clock, []);
    const drops = [100, 280, 540].map((ms) => {
      const before = clock.ticksDropped;
      expect(frameAt(clock, ms * MS)).toBe(2);
      return clock.ticksDropped - before;
    });
    expect(drops).toEqual([8, 16, 24]);
    expect([clock.tick, clock.ticksDropped]).toEqual([6, 48]);
    // Forgotten, not deferred: the next frame owes its own time alone.
    expect(frameAt(clock, 550 * MS)).toBe(1);
  });
});

describe('speed and pause', () => {
  test('CLK 14: at speed 3/2 frames of a quantum run 1, 2, 1, 2 ticks', () => {
    const clock = hz(35, { speed: 1.5 });
    const ticks = runAt(
      clock,
      frames(70, (i) => Math.ceil((i * 1e9) / 35)),
    );
    expect(ticks).toEqual(frames(70, (i) => (i % 2 === 1 ? 1 : 2)));
    expect(clock.tick).toBe(105);
  });

  test('CLK 14: at speed 3/5 they run 0, 1, 0, 1, 1, and half a frame is alpha 0.3', () => {
    const clock = hz(35, { speed: 0.6 });
    const pattern = frames(10, () => advance(clock, 1 / 35));
    expect(pattern).toEqual([0, 1, 0, 1, 1, 0, 1, 0, 1, 1]);
    advance(clock, 1 / 70);
    expect(alphaAt(clock, 0)).toBeCloseTo(0.3, 12);
  });

  test('CLK 16: a pause within a frame is in force before the next tick; steps still run', () => {
    const clock = hz(60);
    frameAt(clock, 0);
    step(clock, 9);
    const now = createInstant(0, 50_000_000);
    expect(clock.plan(now)).toBe(3);
    clock.complete();
    clock.pause(now);
    clock.settle();
    expect(clock.tick).toBe(10);
    for (let i = 1; i <= 5; i++) expect(frameAt(clock, 50 * MS + i * 16_666_667)).toBe(0);
    expect(clock.tick).toBe(10);
    step(clock);
    expect(clock.tick).toBe(11);
    step(clock, 2);
    expect(clock.tick).toBe(13);
  });

  test('CLK 17: a paused picture stands still bitwise and goes on without a jump', () => {
    const clock = hz(60);
    runAt(clock, [20 * MS, 35 * MS]);
    const at = Math.round((2.25 * SECOND) / 60);
    clock.pause({ seconds: 0, nanos: at });
    const shown = shownAt(clock, at);
    expect(alphaAt(clock, at)).toBeCloseTo(0.25, 7);
    for (let i = 1; i <= 100; i++) {
      frameAt(clock, at + i * 30 * MS);
      expect(shownAt(clock, at + i * 30 * MS)).toBe(shown);
    }
    const resumed = at + 3 * SECOND;
    clock.resume({ seconds: 3, nanos: at });
    frameAt(clock, resumed + 5 * MS);
    // 60 units a second: 5 ms are 0.3 units.
    expect(shownAt(clock, resumed + 5 * MS) - shown).toBeCloseTo(0.3, 9);
  });

  test('CLK 17: pause and resume at one reading change nothing', () => {
    const [toggled, plain] = [hz(60), hz(60)];
    for (let i = 0; i <= 300; i++) {
      const ns = i * 7_000_001;
      const now = { seconds: Math.floor(ns / 1e9), nanos: ns % 1e9 };
      toggled.pause(now);
      toggled.resume(now);
      expect(frameAt(toggled, ns)).toBe(frameAt(plain, ns));
      expect(alphaAt(toggled, ns)).toBe(alphaAt(plain, ns));
    }
    expect(toggled.tick).toBe(plain.tick);
  });

  test('CLK 20: the ticks of a long frame are consecutive quanta that sum up to it', () => {
    const clock = hz(60);
    frameAt(clock, 0);
    const planned = clock.plan({ seconds: 0, nanos: 66_700_000 });
    const ran: number[] = [];
    for (let i = 0; i < planned; i++) {
      clock.complete();
      ran.push(clock.tick);
    }
    expect(ran).toEqual([1, 2, 3, 4]);
    expect(clock.firstTick).toBe(0);
    expect(clock.worldTime).toBe(4 / 60);
  });

  test('CLK 25: 240 Hz frames over 20 Hz ticks see twelve even steps of alpha a tick', () => {
    const clock = hz(20);
    frameAt(clock, 0);
    const raws: number[][] = [];
    for (let i = 12; i < 12 * 20; i++) {
      const ns = Math.ceil((i * 1e9) / 240);
      frameAt(clock, ns);
      (raws[clock.tick] ??= []).push(alphaAt(clock, ns) * 65_536);
    }
    for (const alphas of raws.slice(1)) {
      expect(alphas).toHaveLength(12);
      alphas.slice(1).forEach((raw, i) => {
        expect(Math.abs(raw - (alphas[i] as number) - 65_536 / 12)).toBeLessThanOrEqual(1);
      });
    }
  });
});

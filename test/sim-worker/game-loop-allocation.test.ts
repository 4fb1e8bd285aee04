import { expect, test } from 'vitest';
import { GameLoop, type GameLoopOptions } from '../../src/sim-worker/game-loop.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { HandClock } from './loop-stage.ts';

const MS = 1e6;
const calls = scaled({ tiny: 20_000, normal: 50_000, full: 100_000 });

class QuietTarget {
  ticks = 0;
  beginFrame(): void {}
  scheduleFault(): undefined {
    return undefined;
  }
  runTick(): void {
    this.ticks = (this.ticks + 1) & 0xffff;
  }
}

const clock = new HandClock();

/** A frame that is `ticks` quanta of 100 Hz long. */
const frameOf = (loop: GameLoop, ticks: number): void => {
  clock.ns += ticks * 10 * MS;
  loop.frame();
};

const leftBy = (ticks: number, options: GameLoopOptions): [number, GameLoop] => {
  const loop = new GameLoop(new QuietTarget(), { tickRateHz: 100, clock, ...options });
  return [bytesLeft(calls, () => frameOf(loop, ticks)), loop];
};

test('healthy frames, and catch-up frames of 2 ticks, leave nothing on the heap', () => {
  const seen = { tick: 0, ns: 0 };
  const onTick = (tick: number): void => {
    seen.tick = tick & 0xffff;
  };
  const recordTick = (ns: number): void => {
    seen.ns = ns;
  };
  for (const profiler of [null, { beginTick: () => true, recordTick }]) {
    for (const ticks of [0.5, 2]) {
      const [left, loop] = leftBy(ticks, { onTick, profiler });
      expect(left).toBe(0);
      expect(loop.stats.droppedTicks).toBe(0);
      const before = loop.stats.ticks;
      for (let i = 0; i < 300; i++) frameOf(loop, ticks);
      expect(loop.stats.ticks - before).toBe(300 * ticks);
    }
  }
});

test('frames on the platform’s clock leave nothing either', () => {
  let last = 0;
  const recordTick = (ns: number): void => {
    last = ns & 0xffff;
  };
  const profiler = { beginTick: () => true, recordTick };
  const loop = new GameLoop(new QuietTarget(), { maxCatchUpTicks: 2 ** 20, profiler });
  expect(bytesLeft(calls, () => void loop.frame())).toBe(0);
  expect(last).toBeLessThan(0x10000);
});

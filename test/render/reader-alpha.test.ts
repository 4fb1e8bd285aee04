import { afterEach, describe, expect, it } from 'vitest';
import { openStage, type Script, type Stage, type StageView } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

interface Look {
  readonly tick: number;
  /** Where the frame stands between `tick` - 1 and `tick`, whichever pair it blends. */
  readonly alpha: number;
  readonly raw: number;
}

function look(view: StageView): Look {
  const frame = view.frame();
  const { tick } = frame;
  const alpha = frame.pairTick - tick + frame.alpha;
  const raw = frame.blend('exact')[0] as number;
  frame.release();
  return { tick, alpha, raw };
}

/** A body whose fixed-point place is its tick, at 100 Hz. */
const counting: Script = ({ world, columns, tick }) => {
  if (tick === 0) world.spawn({ position: 0, exact: 0 });
  else columns.exact[0] = tick * 65536;
};

describe('facts 1.9: a reader on the simulation’s own thread', () => {
  it('stands at alpha 0.5 of ticks 1, 2 and 4 at 15, 25 and 45 ms', async () => {
    stage = await openStage(counting, { tickRateHz: 100 });
    const view = stage.openView();
    const seen = [15, 25, 45].map((ms) => {
      stage.advanceTo(ms);
      const { tick, alpha } = look(view);
      return [tick, alpha];
    });
    expect(seen).toEqual([
      [1, 0.5],
      [2, 0.5],
      [4, 0.5],
    ]);
    // A frame with an older reading moves nothing back.
    stage.advanceTo(44);
    expect(look(view).tick).toBe(4);
  });

  it.each([
    [0, 0, 65536],
    [5e6, 32768, 98304],
    [7.5e6, 49152, 114688],
    [9.9e6, 64881, 130417],
    [1e4, 66, 65602],
    [1, 0, 65536],
    [1e7, 65536, 131072],
    [15e6, 65536, 131072],
    [5e9, 65536, 131072],
    [1e12, 65536, 131072],
    [-5, 0, 65536],
  ])('shows %i ns after tick 2 as the pinned alpha and place', async (afterNs, alpha, raw) => {
    stage = await openStage(counting, { tickRateHz: 100 });
    const view = stage.openView();
    stage.advanceTo(10);
    stage.advanceTo(20);
    stage.clock.ns = 20e6 + afterNs;
    const seen = look(view);
    expect(Math.floor(seen.alpha * 65536 + 0.5)).toBe(alpha);
    expect(seen.raw).toBe(raw);
    expect(seen.tick).toBe(2);
  });

  it('stands at alpha 0 until the first tick is over', async () => {
    stage = await openStage(counting, { tickRateHz: 100 });
    const view = stage.openView();
    const alphas = [0, 4, 9.999].map((ms) => {
      stage.advanceTo(ms);
      const frame = view.frame();
      const { alpha, time, status } = frame;
      frame.release();
      return [alpha, time, status];
    });
    expect(alphas).toEqual(alphas.map(() => [0, 0, 'ok']));
  });

  it('spans only the last tick in a frame that caught up', async () => {
    stage = await openStage(counting, { tickRateHz: 100 });
    const view = stage.openView();
    stage.advanceTo(45);
    expect(look(view)).toEqual({ tick: 4, alpha: 0.5, raw: 3.5 * 65536 });
  });
});

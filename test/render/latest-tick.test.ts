import { afterEach, describe, expect, it } from 'vitest';
import { openStage, type Stage, type StageView } from './stage.ts';

let stage: Stage;

afterEach(() => stage.close());

const TICK_MS = 1000 / 60;

function shownBy(view: StageView) {
  using frame = view.frame();
  const { alpha, pairTick, tick, time } = frame;
  return { alpha, pairTick, tick, time, x: frame.blend('position')[0] };
}

describe('a view of the latest tick', () => {
  it('shows it as it is, running or paused, while another one stands in between', async () => {
    stage = await openStage(({ world, columns, tick }) => {
      if (tick === 0) world.spawn({ position: [0, 0] });
      columns.position[0] = tick;
    });
    const latest = stage.openView({ latest: true });
    const between = stage.openView();
    const expectBoth = (tick: number, alpha: number): void => {
      const time = tick / 60;
      const expected = { alpha: 1, pairTick: tick, tick, time: expect.closeTo(time), x: tick };
      expect(shownBy(latest)).toEqual(expected);
      expect(shownBy(between).x).toBeCloseTo(tick - 1 + alpha, 3);
    };
    for (const tick of [1, 2, 5]) {
      stage.advanceTo(tick * TICK_MS + 0.001);
      stage.clock.toMs((tick + 0.25) * TICK_MS);
      expectBoth(tick, 0.25);
    }
    const paused = stage.sim.clock.pause();
    stage.runDue();
    await paused;
    stage.clock.toMs(1000);
    expectBoth(5, 0.25);
    expect(latest.stats().clampedFrames).toBe(0);
  });

  it('stands nowhere else', async () => {
    stage = await openStage(() => undefined);
    for (const options of [{ slackMs: 1 }, { leadMs: 1 }, { channels: {} }]) {
      expect(() => stage.openView({ latest: true, ...options })).toThrow(
        expect.objectContaining({ code: 'OPTION_INVALID' }),
      );
    }
  });
});

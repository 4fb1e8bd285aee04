import { afterEach, describe, expect, test } from 'vitest';
import { bounce, bounceAt } from '../../scenes/bounce.sim.ts';
import { runScene, type SceneRun } from '../scenes/scene-run.ts';
import type { TypesOf } from '../../src/sim-worker/index.ts';

type BounceRun = SceneRun<TypesOf<typeof bounce>>;

const runs: BounceRun[] = [];
afterEach(async () => {
  for (const run of runs.splice(0)) await run.close();
});

async function start(drivenBy: 'clock' | 'host' = 'host'): Promise<BounceRun> {
  const run = await runScene(bounce, { drivenBy, params: { population: 4 } });
  runs.push(run);
  return run;
}

/** Where body 0 is along x, as a frame at `alpha` shows it. */
function xAt({ view }: BounceRun, alpha: number): readonly [tick: number, time: number, x: number] {
  const frame = view.frameAt(alpha);
  const x = frame.blend('position')[0] as number;
  const { pairTick, time, slackNs, overrun, status } = frame;
  frame.release();
  expect([status, slackNs, overrun]).toEqual(['ok', 0, 0]);
  return [pairTick, time, x];
}

describe('a frame at a given alpha', () => {
  test('is the earlier tick at 0, the later one at 1, and between them otherwise', async () => {
    const run = await start();
    await run.sim.clock.advanceTicks(9);
    const [before, after] = [bounceAt(8 / 60, 0)[0], bounceAt(9 / 60, 0)[0]];
    expect(xAt(run, 1)).toEqual([9, 9 / 60, after]);
    expect(xAt(run, 0)).toEqual([9, 8 / 60, before]);
    const [, time, x] = xAt(run, 0.25);
    expect([time, x]).toEqual([8.25 / 60, expect.closeTo(before + (after - before) / 4, 6)]);
    // The next one asks the clock again, which stands at the beginning of its quantum.
    const frame = run.view.frame();
    expect(frame.alpha).toBe(0);
    frame.release();
  });

  test('before the first tick is over, it is tick 0 whatever the alpha', async () => {
    const run = await start();
    expect(xAt(run, 1)).toEqual([0, 0, bounceAt(0, 0)[0]]);
    expect(xAt(run, 0.5)).toEqual([0, 0, bounceAt(0, 0)[0]]);
  });

  test('goes by what it is told even while the clock runs', async () => {
    const run = await start('clock');
    run.frameAt(1e9);
    const [tick, time] = xAt(run, 0.5);
    expect(time).toBe((tick - 0.5) / 60);
  });

  test.each([-0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', async (alpha) => {
    const { view } = await start();
    expect(() => view.frameAt(alpha)).toThrow('VALUE_INVALID');
  });

  test('is one frame of the view: the last one has to be released', async () => {
    const { view } = await start();
    view.frameAt(1);
    expect(() => view.frameAt(1)).toThrow('FRAME_OPEN');
  });
});

import { afterEach, expect, it } from 'vitest';
import { openStage, type Stage, type StageView, VirtualClock } from './stage.ts';

let stage: Stage;
afterEach(() => stage.close());

/** Where the picture stands, in ticks. */
function placeOf(view: StageView): number {
  const frame = view.frame();
  const place = frame.pairTick + frame.alpha;
  frame.release();
  return place;
}

it('goes on from where a pause has shown it, however long that was', async () => {
  const clock = new VirtualClock();
  // A tick takes a quarter of its quantum: the slack that is asked for is not to come at once.
  const script = ({ tick }: { readonly tick: number }): void => {
    if (tick > 0) clock.ns += 4e6;
  };
  stage = await openStage(script, {}, clock);
  const view = stage.openRemoteView();
  let ms = 0;
  const go = (frames: number): number[] =>
    Array.from({ length: frames }, () => {
      stage.advanceTo((ms += 20));
      return placeOf(view);
    });
  go(30);
  for (const pausedMs of [1, 20, 90, 5000]) {
    await stage.sim.clock.pause();
    const frozen = placeOf(view);
    clock.ns += pausedMs * 1e6;
    expect(placeOf(view)).toBe(frozen);
    clock.ns += pausedMs * 1e6;
    await stage.sim.clock.resume();
    clock.ns += 1000;
    ms = clock.ns / 1e6;
    const shown = [frozen, placeOf(view), ...go(30)];
    expect(shown).toEqual(shown.toSorted((a, b) => a - b));
    expect(view.stats().slackMs).toBeGreaterThan(3);
  }
});

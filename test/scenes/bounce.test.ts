import { expect, test } from 'vitest';
import { bounce, bounceAt } from '../../scenes/bounce.sim.ts';
import { hashChannels, runScene } from './scene-run.ts';

const QUANTUM_NS = 1e9 / 60;
/** The state of the scene's own 200 bodies at tick 599. */
const GOLDEN = '3bcac72722423a3b';

test('what is shown between two ticks is the blend of the closed form at both', async () => {
  const population = 50;
  const run = await runScene(bounce, { params: { population } });
  const out = [0, 0];
  let straight = 0;
  for (let k = 1; k < 2000; k++) {
    const ns = k * 7.13e6;
    run.frameAt(ns);
    const frame = run.view.frame();
    const tick = Math.floor((Math.round(ns) * 60) / 1e9 + 1e-9);
    expect(frame.tick).toBe(tick);
    for (let i = 0; i < population; i++) {
      expect(frame.sample(frame.entities[i] as never, 'position', out)).toMatch(/ok|snapped/);
      const before = bounceAt(Math.max(0, tick - 1) / 60, i);
      const after = bounceAt(tick / 60, i);
      for (const axis of [0, 1] as const) {
        const blended = before[axis] + (after[axis] - before[axis]) * frame.alpha;
        expect(Math.abs((out[axis] as number) - blended)).toBeLessThan(1e-6);
      }
      // Where no wall lies between the two ticks, the blend is the closed form of the instant.
      if (tick < 1) continue;
      const exact = bounceAt((ns - QUANTUM_NS) / 1e9, i);
      if (Math.abs((out[0] as number) - exact[0]) < 1e-5) straight++;
    }
    frame.release();
  }
  expect(straight).toBeGreaterThan(1999 * population * 0.9);
  await run.close();
});

test('ten seconds of bouncing are 600 ticks and one state', async () => {
  const run = await runScene(bounce);
  for (let tick = 1; tick <= 600; tick++) run.frameAt((tick * 1e9) / 60);
  expect(run.sim.tick).toBe(600);
  expect(hashChannels(run, ['position'])).toBe(GOLDEN);
  await run.close();
});

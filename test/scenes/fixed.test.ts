import { fixedFaults, resetFixedFaults } from 'escapement/sim';
import { expect, test } from 'vitest';
import { BURNT_WITHIN, fixedOrbits, LOST_BEYOND } from '../../scenes/fixed.sim.ts';
import { hashChannels, runScene } from './scene-run.ts';

/** The state of the scene's own 150 bodies at tick 599. */
const GOLDEN = 'dcffdf28e60a05ea';
const ONE = 65_536;

test('bodies keep between the star and the edge, and no operation has a fault', async () => {
  resetFixedFaults();
  const run = await runScene(fixedOrbits, { params: { population: 60 }, drivenBy: 'host' });
  for (let k = 0; k < 40; k++) {
    run.sim.inputs.pointer({ x: (k - 20) * ONE, y: (20 - k) * ONE, down: k % 3 === 0 });
    await run.sim.clock.advanceTicks(25);
    const frame = run.view.frame();
    expect(frame.count).toBeGreaterThan(30);
    const out = [0, 0];
    for (const entity of frame.entities) {
      frame.sample(entity as never, 'position', out);
      const distance = Math.hypot(out[0] as number, out[1] as number) / ONE;
      expect(distance).toBeGreaterThan(BURNT_WITHIN - 0.5);
      expect(distance).toBeLessThan(LOST_BEYOND + 0.5);
    }
    frame.release();
  }
  expect(fixedFaults()).toEqual({
    zeroByZero: 0,
    negativeRoot: 0,
    negativeLog: 0,
    negativePower: 0,
  });
  await run.close();
});

test('a body comes when one is launched, and one that is heavy bursts', async () => {
  const run = await runScene(fixedOrbits, { params: { population: 0 }, drivenBy: 'host' });
  run.sim.inputs.launch({ distance: 10 * ONE, angle: 0 });
  await run.sim.clock.stepOnce();
  const frame = run.view.frame();
  expect(frame.count).toBe(1);
  frame.release();
  // All on one circle, in both directions, until one of them has swallowed enough.
  let bursts = 0;
  for (let k = 0; k < 100 && bursts === 0; k++) {
    for (let n = 0; n < 4; n++) run.sim.inputs.launch({ distance: 4 * ONE, angle: n * ONE });
    await run.sim.clock.advanceTicks(20);
    run.sim.events.drain((event) => {
      if (event.type === 'burst') bursts++;
    });
  }
  expect(bursts).toBeGreaterThan(0);
  await run.close();
});

test('ten seconds are 600 ticks and one state', async () => {
  const run = await runScene(fixedOrbits);
  for (let tick = 1; tick <= 600; tick++) run.frameAt((tick * 1e9) / 60);
  expect(run.sim.tick).toBe(600);
  expect(hashChannels(run, ['position', 'heading', 'mass', 'glow'])).toBe(GOLDEN);
  await run.close();
});

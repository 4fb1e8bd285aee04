import { startSimulation } from 'escapement';
import { openView } from 'escapement/render';
import { inline } from 'escapement/sim';
import { expect, test } from 'vitest';
import { VirtualClock } from '../render/stage.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';
import { builtModule } from './built-worker.ts';
import type { Probe } from './workers/probe.sim.ts';

const calls = scaled({ tiny: 3000, normal: 10_000, full: 10_000 });
/** How long something that is left is hoped to go. */
const patienceMs = scaled({ tiny: 500, normal: 5000, full: 5000 });

test('a steady-state tick and a frame leave nothing on the heap', async () => {
  const { probe } = (await import(builtModule('probe.sim'))) as { probe: Probe };
  const clock = new VirtualClock();
  const manual = inline(probe, { pacing: 'manual', clock });
  const sim = await startSimulation(manual, { logLevel: 'off' });
  const view = openView(sim.share());
  let tick = 0;
  const perTick = bytesLeft(calls, () => {
    clock.ns = Math.ceil((++tick * 1e9) / 60);
    manual.runDue();
  });
  expect(sim.tick).toBe(tick);
  const perFrame = bytesLeft(calls, () => {
    const frame = view.frame();
    frame.blend('position');
    frame.release();
  });
  expect(perTick).toBe(0);
  expect(perFrame).toBe(0);
  view.close();
  await sim.stop();
});

test('the measure sees what is left, also what a collection has taken away', () => {
  let kept: number[] = [];
  const small = (): void => void (kept = [calls, kept.length]);
  const large = (): void => void (kept = Array.from({ length: 250 }, () => 0.5));
  expect(bytesLeft(calls, small, patienceMs)).toBeGreaterThanOrEqual(16);
  expect(bytesLeft(calls, large, patienceMs)).toBeGreaterThan(1000);
});

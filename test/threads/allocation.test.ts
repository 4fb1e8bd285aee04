import { startSimulation } from 'escapement';
import { openView } from 'escapement/render';
import { inline } from 'escapement/sim';
import { expect, test } from 'vitest';
import { VirtualClock } from '../render/stage.ts';
import { scaled } from '../scaled.ts';
import { builtModule } from './built-worker.ts';
import type { Probe } from './workers/probe.sim.ts';

const collect = (globalThis as { gc?: () => void }).gc as () => void;
const calls = scaled({ tiny: 3000, normal: 10_000, full: 10_000 });

/** Heap growth a call, the least of some tries: the engine's own compiling lands in the others. */
function growth(work: () => void): number {
  for (let i = 0; i < 3 * calls; i++) work();
  const tries = Array.from({ length: 7 }, () => {
    collect();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < calls; i++) work();
    return (process.memoryUsage().heapUsed - before) / calls;
  });
  return Math.min(...tries);
}

test('a steady-state tick and a frame leave nothing on the heap', async () => {
  const { probe } = (await import(builtModule('probe.sim'))) as { probe: Probe };
  const clock = new VirtualClock();
  const manual = inline(probe, { pacing: 'manual', clock });
  const sim = await startSimulation(manual, { logLevel: 'off' });
  const view = openView(sim.share());
  let tick = 0;
  const noise = growth(() => undefined);
  const perTick = growth(() => {
    clock.ns = Math.ceil((++tick * 1e9) / 60);
    manual.runDue();
  });
  expect(sim.tick).toBe(tick);
  const perFrame = growth(() => {
    const frame = view.frame();
    frame.blend('position');
    frame.release();
  });
  process.stdout.write(
    `bytes left a tick ${perTick.toFixed(2)}, a frame ${perFrame.toFixed(2)}, ` +
      `noise floor ${noise.toFixed(2)}\n`,
  );
  expect(Math.floor(perTick - noise)).toBeLessThanOrEqual(0);
  expect(Math.floor(perFrame - noise)).toBeLessThanOrEqual(0);
  view.close();
  await sim.stop();
});

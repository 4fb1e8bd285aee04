import type { Simulation } from '#dist/sim-worker/simulation.js';
import { StateHistory } from '#dist/sim-worker/state-history.js';
import { bareSimulation } from './lib/bare-simulation.ts';
import { median, pairNs, timeNs } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';
import { herd } from './workers/herd.sim.ts';

/**
 * What it costs to keep the state of each tick, set against a memcpy of the same bytes into the
 * same places in turn; to go back to one; and to make eight ticks again. 10,000 entities with five
 * components.
 */
const BOUND = 1.5;
const TICKS = 8;

const population = sized(1000, 10_000, 10_000);
const simulation = (await bareSimulation(herd, { population })) as unknown as Simulation;
const history = new StateHistory(simulation, TICKS + 1);
const tick = (): void => {
  simulation.beginFrame();
  simulation.runTick(true);
  simulation.endFrame();
};
for (let i = 0; i < 300; i++) {
  tick();
  history.save();
}
const bytes = simulation.world.block.byteLength;
const source = new Uint8Array(new SharedArrayBuffer(bytes));
const targets = Array.from({ length: TICKS + 1 }, () => new Uint8Array(bytes));
let turn = 0;
const copy = (): void => (targets[turn++ % targets.length] as Uint8Array).set(source);
// The tick goes on, so that every place is written in turn, as in a run.
const save = (): void => {
  simulation.tick++;
  history.save();
};
const calls = sized(10, 200, 400);
const blocks = sized(3, 31, 101);
const saved = pairNs(blocks, calls, save, copy);
const restoreNs = median(
  Array.from({ length: blocks }, () => timeNs(calls, () => history.restore(history.oldestTick))),
);
const again = (): void => {
  history.restore(history.oldestTick);
  for (let k = 0; k < TICKS; k++) {
    tick();
    history.save();
  }
};
const againNs = median(Array.from({ length: blocks }, () => timeNs(sized(2, 20, 40), again)));
const tickNs = median(Array.from({ length: blocks }, () => timeNs(sized(2, 20, 40), tick)));
report('rollback', {
  entities: population,
  bytes,
  saveNs: round(saved.ns),
  memcpyNs: round(saved.otherNs),
  ratio: round(saved.ratio),
  restoreNs: round(restoreNs),
  restoreAndEightTicksNs: round(againNs),
  tickNs: round(tickNs),
  bound: BOUND,
  ok: saved.ratio <= BOUND,
});

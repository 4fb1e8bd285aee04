import { flock } from '#build/scenes/flock.sim.js';
import { bareSimulation } from './lib/bare-simulation.ts';
import { allocatedBytes, median, pairNs, timeNs } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';

/**
 * What a tick of the flock costs as it grows, whether it leaves garbage, and what the profiler
 * takes of it. A tick looks around, heeds the pointer and flies: all systems, timed each.
 */
const GROWTH_BOUND = 1.5;
const PROFILER_BOUND = 1.01;

const sizes = sized([1000], [1000, 10_000, 100_000], [1000, 10_000, 100_000]);
let nsPerEntityLeast = Number.NaN;
for (const entities of sizes) {
  const simulation = await bareSimulation(flock, { population: entities });
  const tick = (): void => {
    simulation.beginFrame();
    simulation.runTick(true);
  };
  const ticks = Math.max(4, Math.round(sized(1e5, 5e6, 2e7) / entities));
  timeNs(Math.max(ticks, 300), tick);
  const blocks: number[] = [];
  for (let block = 0; block < sized(3, 7, 9); block++) blocks.push(timeNs(ticks, tick));
  const nsPerTick = median(blocks);
  const nsPerEntity = nsPerTick / entities;
  if (entities === sizes[0]) nsPerEntityLeast = nsPerEntity;
  const calls = Math.max(100, Math.min(10_000, Math.round(sized(1e6, 2e7, 1e9) / entities)));
  const bytes = allocatedBytes(tick, 0, calls);
  const growth = nsPerEntity / nsPerEntityLeast;
  report('tick', {
    entities,
    nsPerTick: round(nsPerTick),
    nsPerEntity: round(nsPerEntity),
    perEntityAgainstLeast: round(growth),
    allocatedBytes: bytes,
    calls,
    bound: GROWTH_BOUND,
    ok: bytes === 0 && growth <= GROWTH_BOUND,
  });
}

/** The same tick with the profiler on and off, in turn. */
const profiled = await bareSimulation(flock, { population: sized(1000, 10_000, 10_000) });
const tickWith = (enabled: boolean) => (): void => {
  if (enabled) profiled.profiler.enable();
  else profiled.profiler.disable();
  profiled.beginFrame();
  profiled.runTick(true);
};
const { ns, otherNs, ratio } = pairNs(sized(3, 201, 601), 4, tickWith(true), tickWith(false));
report('tick', {
  entities: sized(1000, 10_000, 10_000),
  profiledNs: round(ns),
  unprofiledNs: round(otherNs),
  profilerRatio: round(ratio),
  bound: PROFILER_BOUND,
  ok: ratio <= PROFILER_BOUND,
});

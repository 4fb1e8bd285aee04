import { RingReader } from '#dist/shared/ring-reader.js';
import { RingWriter } from '#dist/shared/ring-writer.js';
import type { Simulation } from '#dist/sim-worker/simulation.js';
import { Recorder } from '#dist/sim-worker/recorder.js';
import { TraceRing } from '#dist/sim-worker/trace-ring.js';
import { bareSimulation } from './lib/bare-simulation.ts';
import { pairNs } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';
import { herd } from './workers/herd.sim.ts';

/**
 * What recording adds to a tick: 10,000 entities with five components and four simple systems, 60
 * inputs a second, with the default settings, and with a hash after each tick. Whole periods of 600
 * ticks are compared, so that each has its keyframe and its ten hashes.
 */
const BOUND = 1.05;
const PERIOD = 600;

const population = sized(1000, 10_000, 10_000);

/** A run that consumes one input a tick; `hashEveryTicks` of 0 does not record it. */
async function open(hashEveryTicks: number): Promise<() => void> {
  const simulation = (await bareSimulation(herd, { population })) as unknown as Simulation;
  const { region } = simulation;
  const inputs = new RingWriter(region.i32, region.layout.inputs);
  const trace = new RingReader(region.i32, region.layout.trace);
  if (hashEveryTicks > 0) {
    const ring = new RingWriter(region.i32, region.layout.trace);
    const output = new TraceRing(ring, simulation.schema, () => undefined);
    void new Recorder(simulation, output, { hashEveryTicks, keyframeEveryTicks: PERIOD });
  }
  const wind = new Float32Array(2);
  const words = new Uint32Array(wind.buffer);
  return () => {
    for (let k = 0; k < PERIOD; k++) {
      wind[0] = (simulation.tick % 7) / 1000;
      inputs.tryWrite(0, words, 2);
      simulation.inputs.drain();
      simulation.beginFrame();
      simulation.runTick(true);
      simulation.endFrame();
      // The host empties the ring ten times a second, on its own thread.
      if (k % 6 === 0) while (trace.next());
    }
  };
}

const plain = await open(0);
for (const hashEveryTicks of [60, 1]) {
  const recorded = await open(hashEveryTicks);
  const { ns, otherNs, ratio } = pairNs(sized(3, 15, 41), 1, recorded, plain);
  const isDefault = hashEveryTicks === 60;
  report('record', {
    entities: population,
    hashEveryTicks,
    keyframeEveryTicks: PERIOD,
    nsPerTick: round(ns / PERIOD),
    plainNsPerTick: round(otherNs / PERIOD),
    ratio: round(ratio),
    ...(isDefault ? { bound: BOUND, ok: ratio <= BOUND } : {}),
  });
}

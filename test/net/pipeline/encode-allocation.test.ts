import { expect, test } from 'vitest';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import type { AreaOfInterest, LevelOfDetail } from '../../../src/net/pipeline/definition.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { bytesLeft } from '../../heap-growth.ts';
import { CountingWriter, leanRecord } from './lean-record.ts';

const everywhere: AreaOfInterest = { mode: 'none', radius: 0, fovDegrees: 0 };
const cone: AreaOfInterest = { mode: 'fov', radius: 60, fovDegrees: 120 };
const flat: LevelOfDetail = {
  mode: 'none',
  near: 0,
  medium: 0,
  mediumIntervalTicks: 0,
  farIntervalTicks: 0,
};
const bands: LevelOfDetail = {
  mode: 'distance-bands',
  near: 20,
  medium: 40,
  mediumIntervalTicks: 4,
  farIntervalTicks: 16,
};

test.each([
  ['a whole population', Technique.Delta, everywhere, flat],
  ['a cone', Technique.Delta | Technique.DeltaFieldMask, cone, flat],
  ['bands in turn', Technique.Delta | Technique.Incremental, cone, bands],
])('encoding %s allocates nothing', (_, techniques, areaOfInterest, levelOfDetail) => {
  const shape = leanRecord();
  const encoder = new UpdateEncoder({
    settings: {
      techniques,
      intervalTicks: 1,
      maxEntitiesPerUpdate: 20,
      areaOfInterest,
      levelOfDetail,
    },
    shape,
    writer: new CountingWriter(),
  });
  const tick = new TickSource(shape);
  const state = new ClientReplicationState();
  const population = makePopulation(shape);
  const baseline = { sequence: 0, snapshot: new Snapshot(shape), trusted: true };
  const request = {
    source: { position: [0, 0, 0] as const },
    baseline: null as typeof baseline | null,
    quality: true,
    result: new Snapshot(shape),
  };
  const work = (): void => {
    stepPopulation(population);
    tick.load(population);
    const update = encoder.encode(tick, state, request);
    update.commit();
    request.result = baseline.snapshot;
    baseline.snapshot = update.resulting;
    baseline.sequence = update.plan.sequence;
    request.baseline = baseline;
  };
  expect(bytesLeft(2000, work)).toBe(0);
});

function makePopulation(shape: Snapshot['shape']): Snapshot {
  const population = new Snapshot(shape);
  population.reserve(300);
  population.count = 300;
  const places = population.columns[1]?.values as Float32Array;
  for (let row = 0; row < 300; row++) {
    population.ids[row] = row + 1;
    places[row * 3] = ((row * 37) % 101) - 50;
    places[row * 3 + 2] = ((row * 53) % 103) - 51;
  }
  return population;
}

/** Moves some, and lets the last one come and go. */
function stepPopulation(population: Snapshot): void {
  population.tickLow++;
  population.count = population.tickLow % 8 === 0 ? 299 : 300;
  const places = population.columns[1]?.values as Float32Array;
  for (let row = population.tickLow % 3; row < 300; row += 3)
    places[row * 3] = (((row * 37 + population.tickLow) % 101) - 50) as number;
}

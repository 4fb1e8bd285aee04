import { expect, test } from 'vitest';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import { definePipeline } from '../../../src/net/pipeline/pipeline.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import type { FieldColumn } from '../../../src/net/record/field-codec.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { bytesLeft } from '../../heap-growth.ts';

const { Quantization, OctHeading, BitPacking, Delta } = Technique;
const ENTITIES = 331;

test('a load with a kernel, and an encode of what it changed, leave nothing on the heap', () => {
  const pipeline = definePipeline({ techniques: Quantization | OctHeading | BitPacking | Delta });
  const { shape } = pipeline;
  const encoder = new UpdateEncoder(pipeline);
  const tick = new TickSource(shape);
  const state = new ClientReplicationState();
  const first = { sequence: 0, snapshot: new Snapshot(shape), trusted: true };
  const second = { sequence: 0, snapshot: new Snapshot(shape), trusted: true };
  const request = { baseline: null as typeof first | null, result: first.snapshot };
  let turns = 0;
  const work = (): void => {
    fill(tick.prepare(ENTITIES), turns);
    tick.load(tick.prepare(ENTITIES));
    const update = encoder.encode(tick, state, request);
    update.commit();
    const held = turns % 2 === 0 ? first : second;
    held.sequence = update.plan.sequence;
    request.baseline = held;
    turns++;
    request.result = turns % 2 === 0 ? first.snapshot : second.snapshot;
  };
  expect(bytesLeft(2000, work)).toBe(0);
});

/** Every seventh place depends on the turn. */
function fill(population: Snapshot, turn: number): void {
  const [kinds, places, headings] = population.columns as readonly FieldColumn[];
  population.tickLow = turn;
  for (let row = 0; row < population.count; row++) {
    population.ids[row] = row + 1;
    (kinds as FieldColumn).values[row] = 1;
  }
  for (let at = 0; at < population.count * 3; at++) {
    (places as FieldColumn).values[at] = (at * 37 + (at % 7 === 0 ? turn : 0)) % 300;
    (headings as FieldColumn).values[at] = at % 3 === 0 ? 1 : 0;
  }
}

import { describe, expect, test } from 'vitest';
import { ClientReplicationState } from '../../../src/net/pipeline/client-state.ts';
import { Technique } from '../../../src/net/pipeline/definition.ts';
import type { EncodeRequest } from '../../../src/net/pipeline/encode-request.ts';
import type { SelectionSettings } from '../../../src/net/pipeline/selection-settings.ts';
import { TickSource } from '../../../src/net/pipeline/tick-source.ts';
import { UpdateEncoder } from '../../../src/net/pipeline/update-encoder.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { CountingWriter, leanRecord } from './lean-record.ts';

const plain: SelectionSettings = {
  techniques: 0,
  intervalTicks: 1,
  maxEntitiesPerUpdate: 512,
  areaOfInterest: { mode: 'none', radius: 0, fovDegrees: 0 },
  levelOfDetail: {
    mode: 'none',
    near: 0,
    medium: 0,
    mediumIntervalTicks: 0,
    farIntervalTicks: 0,
  },
};
const shape = leanRecord();

test('case 128: an entity on the boundary is kept; one that swings over it comes and goes', () => {
  const encoder = encoderOf({
    ...plain,
    techniques: Technique.Delta,
    areaOfInterest: { mode: 'radius', radius: 80, fovDegrees: 0 },
  });
  const tick = new TickSource(shape);
  const state = new ClientReplicationState();
  const source = { position: [0, 0, 0] as const };
  tick.load(populationOf([80, 81], 0));
  const first = encoder.encode(tick, state, { source, result: new Snapshot(shape) });
  expect(Array.from(first.resulting.ids.subarray(0, first.resulting.count))).toEqual([1]);
  first.commit();

  let baseline = { sequence: first.plan.sequence, snapshot: first.resulting };
  let deletes = 0;
  let upserts = 0;
  for (let turn = 1; turn <= 60; turn++) {
    const isInside = turn % 2 === 0;
    tick.load(populationOf([isInside ? 79.9 : 80.1, 81], turn));
    const update = encoder.encode(tick, state, { source, baseline, result: new Snapshot(shape) });
    expect(update.resulting.count).toBe(isInside ? 1 : 0);
    expect(update.delta.spawned).toBe(update.plan.rowCount);
    deletes += update.plan.deleteCount;
    upserts += update.plan.rowCount;
    update.commit();
    baseline = { sequence: update.plan.sequence, snapshot: update.resulting };
  }
  expect([deletes, upserts, state.schedule.count]).toEqual([30, 30, 0]);
});

test('the own result of an encoder is no baseline: the next encode would overwrite it', () => {
  const encoder = encoderOf({ ...plain, techniques: Technique.Delta });
  const tick = new TickSource(shape);
  const state = new ClientReplicationState();
  tick.load(populationOf([1, 2], 0));
  const first = encoder.encode(tick, state);
  first.commit();
  const baseline = { sequence: first.plan.sequence, snapshot: first.resulting };
  expect(() => encoder.encode(tick, state, { baseline })).toThrow(
    expect.objectContaining({ fault: 'result-in-use' }) as Error,
  );
  const kept = encoder.encode(tick, state, { baseline, result: new Snapshot(shape) });
  expect(kept.plan.rowCount).toBe(0);
});

test('the grid finds the candidates when none are given', () => {
  const encoder = encoderOf({
    ...plain,
    areaOfInterest: { mode: 'radius', radius: 10, fovDegrees: 0 },
  });
  const tick = new TickSource(shape, { cellSize: 5 });
  tick.load(populationOf([0, 8, 14, 100, 200], 0));
  const update = encoder.encode(tick, new ClientReplicationState(), {
    source: { position: [0, 0, 0], self: 5 },
  });
  expect(Array.from(update.plan.rows.subarray(0, update.plan.rowCount))).toEqual([0, 1, 4]);
  const { source, candidates, retained, culled } = update.interest;
  expect([source, candidates, retained, culled]).toEqual([5, 3, 3, 2]);
});

test('in two dimensions the third number of a place means nothing', () => {
  const flat = leanRecord(2);
  const encoder = new UpdateEncoder({
    settings: { ...plain, areaOfInterest: { mode: 'fov', radius: 10, fovDegrees: 90 } },
    shape: flat,
    writer: new CountingWriter(),
  });
  const tick = new TickSource(flat);
  const snapshot = new Snapshot(flat, 3);
  snapshot.count = 3;
  snapshot.ids.set([1, 2, 3]);
  snapshot.columns[1]?.values.set([5, 1, -5, 0, 5, 6]);
  tick.load(snapshot);
  const update = encoder.encode(tick, new ClientReplicationState(), {
    source: { position: [0, 0, 1000] },
  });
  expect(Array.from(update.plan.rows.subarray(0, update.plan.rowCount))).toEqual([0]);
});

test('without an area of interest the source and the candidates are not looked at', () => {
  const tick = new TickSource(shape);
  tick.load(populationOf([1], 0));
  const update = encoderOf(plain).encode(tick, new ClientReplicationState(), {
    source: { position: [Number.NaN, 0, 0], self: 77 },
    candidates: Uint32Array.of(9, 9),
  });
  expect(update.plan.rowCount).toBe(1);
});

test('says how much an update is above what was aimed at', () => {
  const tick = new TickSource(shape);
  tick.load(populationOf([1], 0));
  const { size } = encoderOf(plain).encode(tick, new ClientReplicationState(), { sizeTarget: 5 });
  expect([size.target, size.bytes, size.over]).toEqual([5, 8, 3]);
});

test('asks for an update at multiples of the interval only', () => {
  const encoder = encoderOf({ ...plain, techniques: Technique.SendInterval, intervalTicks: 3 });
  const asked = [0, 1, 2, 3, 2 ** 53 - 2, 2 ** 53 - 1].map((tick) => encoder.shouldEmit(tick));
  expect(asked).toEqual([true, false, false, true, true, false]);
  expect(encoderOf(plain).shouldEmit(1)).toBe(true);
});

describe('refuses', () => {
  const held = { sequence: 1, snapshot: new Snapshot(shape) };
  const foreign = { sequence: 1, snapshot: new Snapshot(leanRecord(2)) };
  test.each<[string, EncodeRequest]>([
    ['baseline-sequence-invalid', { baseline: { ...held, sequence: 1.5 } }],
    ['baseline-foreign', { baseline: foreign }],
    ['replica-foreign', { replica: foreign }],
    ['result-foreign', { result: foreign.snapshot }],
    ['result-in-use', { baseline: held, result: held.snapshot }],
    ['recovery-id-order', { recovery: Uint32Array.of(1), recoveryCount: 2 }],
  ])('%s', (fault, request) => {
    const tick = new TickSource(shape);
    tick.load(populationOf([1], 0));
    const state = new ClientReplicationState();
    state.nextSequence = 9;
    const before = structuredClone(state);
    const encoder = encoderOf({ ...plain, techniques: Technique.Delta });
    expect(() => encoder.encode(tick, state, request)).toThrow(
      expect.objectContaining({ fault }) as Error,
    );
    expect(structuredClone(state)).toEqual(before);
    expect(() => state.commit()).toThrow(
      expect.objectContaining({ fault: 'nothing-to-commit' }) as Error,
    );
  });

  test('an area of interest of a record without a position', () => {
    const placeless = { ...shape, position: -1 };
    const settings: SelectionSettings = {
      ...plain,
      areaOfInterest: { mode: 'radius', radius: 1, fovDegrees: 0 },
    };
    expect(
      () => new UpdateEncoder({ settings, shape: placeless, writer: new CountingWriter() }),
    ).toThrow(expect.objectContaining({ fault: 'aoi-needs-position' }) as Error);
  });

  test('a source that was not loaded, or is of another record', () => {
    const state = new ClientReplicationState();
    expect(() => encoderOf(plain).encode(new TickSource(shape), state)).toThrow(
      expect.objectContaining({ fault: 'snapshot-missing' }) as Error,
    );
    const other = new TickSource(leanRecord(2));
    other.load(new Snapshot(other.shape));
    expect(() => encoderOf(plain).encode(other, state)).toThrow(
      expect.objectContaining({ fault: 'snapshot-foreign' }) as Error,
    );
  });
});

function encoderOf(settings: SelectionSettings): UpdateEncoder {
  return new UpdateEncoder({ settings, shape, writer: new CountingWriter() });
}

/** Entities 1, 2 and so on at places along x. */
function populationOf(places: readonly number[], tick: number): Snapshot {
  const snapshot = new Snapshot(shape, places.length);
  snapshot.tick = tick;
  snapshot.count = places.length;
  for (const [row, place] of places.entries()) {
    snapshot.ids[row] = row + 1;
    snapshot.columns[1]?.values.set([place, 0, 0], row * 3);
  }
  return snapshot;
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  definePipeline,
  defineRecord,
  fingerprint,
  type Pipeline,
  PresenceHold,
  Snapshot,
  SnapshotPair,
  Technique,
  uint,
  UpdateReceiver,
} from '../../../src/net/index.ts';
import { quantised } from '../../../src/net/record/float-field.ts';
import { scaled } from '../../scaled.ts';
import { chanceOf, rowsOf } from '../wire/populations.ts';
import { Pair } from './pair.ts';

const { Delta, DeltaFieldMask, Quantization } = Technique;
const delta = definePipeline({ techniques: Delta });
const masked = definePipeline({ techniques: Delta | DeltaFieldMask });
const radius80 = { mode: 'radius', radius: 80, fovDegrees: 0 } as const;

/** Makes a population of the reference record from ids and places on the x axis. */
function at(of: Pipeline, tick: number, places: readonly (readonly [number, number])[]): Snapshot {
  const population = new Snapshot(of.shape, places.length);
  population.count = places.length;
  population.tick = tick;
  places.forEach(([id, x], row) => {
    population.ids[row] = id;
    population.columns[0]?.values.set([1], row);
    population.columns[1]?.values.set([x, 0, 0], row * 3);
    population.columns[2]?.values.set([0, 0, 1], row * 3);
    population.columns[3]?.values.set([0], row);
  });
  return population;
}

function placeOf(snapshot: Snapshot | null | undefined, id: number): number | undefined {
  const row = snapshot?.indexOf(id) ?? -1;
  return row < 0 ? undefined : snapshot?.columns[1]?.values[row * 3];
}

describe('case 118: a difference to a state that the receiver never stored', () => {
  test('of what comes together the newest is acknowledged, and is what patches build on', () => {
    const pair = new Pair(delta);
    for (let tick = 1; tick < 7; tick++) pair.step(at(delta, tick, [[1, tick]]));
    const seventh = pair.send(at(delta, 7, [[1, 7]]));
    for (const tick of [8, 9]) pair.send(at(delta, tick, [[1, tick]]));
    const tenth = pair.send(at(delta, 10, [[1, 10]]));
    expect([pair.take(seventh), pair.take(tenth)]).toEqual(['applied', 'applied']);
    const out = new Uint8Array(16);
    expect(pair.receiver.takeMessage(out)).toBe(6);
    expect([...out.subarray(2, 6)]).toEqual([0, 0, 0, 10]);
    expect(pair.receiver.takeMessage(out)).toBe(0);
    expect(pair.sender.acceptMessage(out.subarray(0, 6), 0)).toBe('promoted');
    expect(pair.step(at(delta, 11, [[1, 11]]))).toBe('applied');
    expect(pair.receiver.header.baselineSequence).toBe(10);
  });

  test('a patch of what is not here is never applied to anything else', () => {
    const pair = new Pair(delta);
    for (let tick = 1; tick < 8; tick++) pair.step(at(delta, tick, [[1, tick]]));
    const patch = pair.send(at(delta, 8, [[1, 8]]));
    const late = new UpdateReceiver(delta);
    for (const packet of patch) expect(late.acceptPacket(packet, 0)).toBe('missing-baseline');
    expect([late.newest, late.newestSequence]).toEqual([undefined, 0]);
    const out = new Uint8Array(16);
    expect(late.takeMessage(out)).toBe(10);
    expect(pair.sender.acceptMessage(out.subarray(0, 10), 0)).toBe('recovery-begun');
    const whole = pair.send(at(delta, 9, [[1, 9]]));
    for (const packet of whole) expect(late.acceptPacket(packet, 0)).toBe('applied');
    expect(late.header.kind).toBe(0);
    const kept = pair.sender.delivery.submittedAt(pair.sender.delivery.submittedCount - 1);
    expect(fingerprint(late.newest as Snapshot)).toBe(fingerprint(kept?.snapshot as Snapshot));
  });
});

describe('case 119: what one entity leaves out says nothing of another', () => {
  test('a new entity has all its fields, equal to those of others or not', () => {
    const pair = new Pair(masked);
    pair.step(at(masked, 1, [[1, 100]]));
    pair.step(at(masked, 2, [[1, 100]]));
    pair.step(
      at(masked, 3, [
        [1, 100],
        [2, 100],
      ]),
    );
    expect(pair.receiver.update.upserts.count).toBe(1);
    expect(placeOf(pair.receiver.newest, 2)).toBe(100);
  });

  test('any fields may rest in any round, and the client sees the canonical values', () => {
    const fields = { a: uint(4), b: uint(9), c: quantised({ min: -9, max: 9, bits: 6 }) };
    const pipeline = definePipeline({
      record: defineRecord({ fields }),
      techniques: Delta | DeltaFieldMask,
    });
    const pair = new Pair(pipeline);
    const population = new Snapshot(pipeline.shape, 8);
    let tick = 0;
    const round = fc.record({
      change: fc.array(fc.tuple(fc.nat(7), fc.nat(2), fc.nat(15)), { maxLength: 6 }),
      alive: fc.integer({ min: 1, max: 255 }),
    });
    const alive = new Map<number, number[]>();
    fc.assert(
      fc.property(round, ({ change, alive: bits }) => {
        for (let id = 1; id <= 8; id++) {
          if ((bits & (1 << (id - 1))) === 0) alive.delete(id);
          else if (!alive.has(id)) alive.set(id, [1, 2, 3]);
        }
        for (const [id, field, value] of change) {
          const row = alive.get(id + 1);
          if (row !== undefined) row[field] = value % 9;
        }
        const rows = [...alive].sort(([a], [b]) => a - b);
        population.count = rows.length;
        population.tick = tick++;
        rows.forEach(([id, values], row) => {
          population.ids[row] = id;
          values.forEach((value, field) => population.columns[field]?.values.set([value], row));
        });
        expect(pair.step(population)).toBe('applied');
        expect(rowsOf(pair.receiver.newest as Snapshot)).toEqual(rowsOf(pair.tickSource.canonical));
      }),
      { numRuns: scaled({ tiny: 500, normal: 10_000, full: 100_000 }) },
    );
  });
});

describe('case 121: what was only in a lost update comes', () => {
  test.each([1, 70])('after %d were lost in a row', (count) => {
    const bands = {
      mode: 'distance-bands',
      near: 10,
      medium: 20,
      mediumIntervalTicks: 2,
      farIntervalTicks: 60,
    } as const;
    const pipeline = definePipeline({
      techniques: Delta,
      areaOfInterest: radius80,
      levelOfDetail: bands,
    });
    const pair = new Pair(pipeline);
    const look = { source: { position: [0, 0, 0] } } as const;
    const world = new Map([1, 2, 3].map((id) => [id, 30 + id]));
    let tick = 0;
    const population = (): Snapshot => at(pipeline, tick++, [...world]);
    for (let n = 0; n < 5; n++) pair.step(population(), look);
    // One is due at once, since it comes near; then it goes far again, and would wait for long.
    for (let n = 0; n < count; n++) {
      world.set(2, n === 0 ? 5 : 50);
      pair.send(population(), look);
    }
    pair.step(population(), look);
    pair.step(population(), look);
    expect(placeOf(pair.receiver.newest, 2)).toBe(world.get(2));
    expect(pair.sender.delivery.isRecovering).toBe(false);
  });
});

test.each([2, 3, 6])('turns leave no old state where %d updates are under way', (underWay) => {
  const pipeline = definePipeline({
    techniques: Delta | Technique.Incremental,
    maxEntitiesPerUpdate: 1,
  });
  const out = new Uint8Array(16);
  const wrong: number[] = [];
  for (let seed = 0; seed < scaled({ tiny: 20, normal: 60, full: 1000 }); seed++) {
    const chance = chanceOf(seed);
    const pair = new Pair(pipeline, {}, { stallThreshold: 8 });
    const world = new Map([1, 2, 3, 4, 5, 6].map((id) => [id, id]));
    const messages: Uint8Array[] = [];
    let lastWrong = 0;
    for (let tick = 0; tick < 160; tick++) {
      const isLossy = tick < 60;
      if (isLossy) world.set(1 + (chance() % 6), tick);
      const message = messages.length >= underWay ? messages.shift() : undefined;
      if (message !== undefined) pair.sender.acceptMessage(message, 0);
      const packets = pair.send(at(pipeline, tick, [...world]));
      if (!isLossy || chance() % 10 > 2) pair.take(packets);
      const length = pair.receiver.takeMessage(out);
      messages.push(out.slice(0, isLossy && chance() % 10 < 3 ? 0 : length));
      const { newest } = pair.receiver;
      if ([...world].some(([id, x]) => placeOf(newest, id) !== x)) lastWrong = tick;
    }
    if (lastWrong > 100) wrong.push(seed);
  }
  expect(wrong).toEqual([]);
});

test('case 127: who comes back into the area comes as a new one, and moves evenly', () => {
  const pipeline = definePipeline({ techniques: Delta, areaOfInterest: radius80 });
  const pair = new Pair(pipeline);
  const shown = new SnapshotPair(pipeline.shape, 1);
  const look = { source: { position: [0, 0, 0] } } as const;
  const halves: (number | undefined)[] = [];
  for (let tick = 1; tick < 25; tick++) {
    // Out at 10, and back in at 20 at the other side.
    const x = tick < 10 ? 60 + 2 * tick : tick < 20 ? 200 : -70 + 2 * (tick - 20);
    expect(pair.step(at(pipeline, tick, [[1, x]]), look)).toBe('applied');
    shown.apply(pair.receiver.newest as Snapshot);
    shown.advance(0.5);
    halves.push(placeOf(shown.sample(), 1));
  }
  expect(halves.slice(9, 19)).toEqual(Array.from({ length: 10 }, () => undefined));
  expect(halves.slice(19)).toEqual([-70, -69, -67, -65, -63]);
});

test('case 128: the client has the area at each tick, and a hold hides the flicker', () => {
  const pipeline = definePipeline({ techniques: Delta, areaOfInterest: radius80 });
  const pair = new Pair(pipeline);
  const look = { source: { position: [0, 0, 0] } } as const;
  const hold = new PresenceHold(pipeline.shape, 0.25);
  const ids = { deletes: 0, upserts: 0, flips: 0 };
  let wasShown = true;
  pair.step(at(pipeline, 0, [[1, 79.9]]), look);
  hold.apply(pair.receiver.newest as Snapshot, 0);
  for (let tick = 1; tick <= 60; tick++) {
    const x = tick % 2 === 1 ? 80.1 : 79.9;
    pair.step(at(pipeline, tick, [[1, x]]), look);
    const { update, newest } = pair.receiver;
    ids.deletes += update.deleteCount;
    ids.upserts += update.upserts.count;
    expect(newest?.count).toBe(x < 80 ? 1 : 0);
    const isShown = hold.apply(newest as Snapshot, tick / 60).indexOf(1) >= 0;
    ids.flips += isShown === wasShown ? 0 : 1;
    wasShown = isShown;
  }
  expect(ids).toEqual({ deletes: 30, upserts: 30, flips: 0 });
  expect(pair.sender.delivery.recoveryRows.count).toBe(0);
  expect(pair.step(at(pipeline, 61, [[1, 80]]), look)).toBe('applied');
  expect(pair.receiver.newest?.count).toBe(1);
});

test('case 130: the last place before an entity goes is seen before it goes', () => {
  const pair = new Pair(delta);
  const shown = new SnapshotPair(delta.shape, 1);
  const seen: (number | undefined)[] = [];
  for (let tick = 28; tick <= 31; tick++) {
    const rows = tick < 31 ? ([[1, 10 + 3 * tick]] as const) : [];
    pair.step(at(delta, tick, rows));
    shown.apply(pair.receiver.newest as Snapshot);
    for (const share of [0.5, 0.5]) {
      shown.advance(share);
      seen.push(placeOf(shown.sample(), 1));
    }
  }
  expect(seen.slice(-4)).toEqual([98.5, 100, undefined, undefined]);
});

test('case 133: a hundred thousand patches add no error', () => {
  const pipeline = definePipeline({ techniques: Delta | Quantization });
  const pair = new Pair(pipeline);
  const count = scaled({ tiny: 5000, normal: 100_000, full: 100_000 });
  const population = at(pipeline, 0, [[1, 0]]);
  const places = population.columns[1]?.values as Float32Array;
  let different = 0;
  for (let tick = 1; tick <= count; tick++) {
    population.tickLow = tick;
    places[0] = (tick % 40_000) * 0.01 - 200;
    pair.step(population);
    const held = pair.receiver.newest?.columns[1]?.bits[0];
    if (held !== pair.tickSource.canonical.columns[1]?.bits[0]) different++;
  }
  expect(different).toBe(0);
  expect(pair.receiver.delivery.applied).toBe(count);
  const error = Math.abs((placeOf(pair.receiver.newest, 1) ?? 0) - (places[0] as number));
  expect(error).toBeLessThan(800 / 65_535);
});

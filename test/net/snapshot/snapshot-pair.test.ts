import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpolate } from '../../../src/net/snapshot/interpolate.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { SnapshotPair } from '../../../src/net/snapshot/snapshot-pair.ts';
import { rawShape } from '../reference-shape.ts';
import { anyEntities, contentsOf, shipShape, shipsOf } from './any-snapshot.ts';

const pointShape = rawShape([
  { name: 'position', scalar: 'f32', width: 1, check: 'finite', blend: 'lerp' },
]);

/** A snapshot of points on a line. */
function points(tick: number, places: Readonly<Record<number, number>>): Snapshot {
  const snapshot = new Snapshot(pointShape);
  const ids = Object.keys(places).map(Number);
  snapshot.reserve(ids.length);
  snapshot.tick = tick;
  snapshot.count = ids.length;
  ids.forEach((id, row) => {
    snapshot.ids[row] = id;
    snapshot.columns[0]?.values.set([places[id] ?? 0], row);
  });
  return snapshot;
}

/** Where a pair shows the points. */
function shown(pair: SnapshotPair): Record<number, number> {
  const sample = pair.sample();
  const ids = [...(sample?.ids ?? [])].slice(0, sample?.count);
  return Object.fromEntries(ids.map((id, row) => [id, sample?.columns[0]?.values[row] ?? 0]));
}

describe('a pair of snapshots', () => {
  test('goes from one to the next in the time of the ticks between them, then stands', () => {
    const pair = new SnapshotPair(pointShape, 64);
    expect([pair.sample(), pair.current, pair.previous, pair.alpha]).toEqual([null, null, null, 1]);
    pair.apply(points(8, { 1: 0 }));
    pair.advance(1);
    expect(shown(pair)).toEqual({ 1: 0 });
    expect(pair.apply(points(12, { 1: 100 }))).toBe('applied');
    const seen = [0, 1, 2, 1, 3].map((quarterTicks) => {
      pair.advance(quarterTicks / 64);
      return [pair.alpha, shown(pair)[1]];
    });
    expect(seen).toEqual([
      [0, 0],
      [0.25, 25],
      [0.75, 75],
      [1, 100],
      [1, 100],
    ]);
    expect(pair.sample()).toBe(pair.current);
    expect(pair.previous?.tick).toBe(8);
  });

  test('puts one of the same tick in the place of the current one; the time runs on', () => {
    const pair = new SnapshotPair(pointShape, 64);
    pair.apply(points(8, { 1: 0 }));
    pair.apply(points(12, { 1: 100 }));
    pair.advance(2 / 64);
    expect(pair.apply(points(12, { 1: 200 }))).toBe('applied');
    expect([pair.alpha, shown(pair)]).toEqual([0.5, { 1: 100 }]);
  });

  test('refuses a snapshot of another record, and shows what it showed', () => {
    const pair = new SnapshotPair(pointShape, 64);
    const other = new Snapshot(rawShape([{ name: 'hue', scalar: 'u32', width: 1 }]));
    const fault = expect.objectContaining({ fault: 'shape-mismatch' });
    expect(() => pair.apply(other)).toThrow(fault);
    expect(pair.sample()).toBe(null);
    pair.apply(points(8, { 1: 0 }));
    pair.apply(points(12, { 1: 100 }));
    other.tick = 13;
    expect(() => pair.apply(other)).toThrow(fault);
    expect([pair.previous?.tick, pair.current?.tick, shown(pair)]).toEqual([8, 12, { 1: 0 }]);
  });

  test('refuses an older tick, also above 32 bits, and what is not valid', () => {
    const pair = new SnapshotPair(pointShape, 64);
    pair.apply(points(2 ** 32 + 5, { 1: 0 }));
    expect(pair.apply(points(2 ** 32 + 4, { 1: 1 }))).toBe('older-tick');
    expect(pair.apply(points(7, { 1: 1 }))).toBe('older-tick');
    expect(pair.apply(points(2 ** 33, { 1: Number.NaN }))).toBe('world-position-not-finite');
    expect([pair.current?.tick, pair.previous]).toEqual([2 ** 32 + 5, null]);
    pair.clear();
    expect([pair.sample(), pair.apply(points(7, { 1: 1 }))]).toEqual([null, 'applied']);
  });

  test('shows the current one while paused; the time runs on', () => {
    const pair = new SnapshotPair(pointShape, 64);
    pair.apply(points(8, { 1: 0 }));
    pair.apply(points(12, { 1: 100 }));
    pair.paused = true;
    pair.advance(1 / 64);
    expect([pair.alpha, pair.sample()]).toEqual([1, pair.current]);
    pair.paused = false;
    expect(shown(pair)).toEqual({ 1: 25 });
  });

  test('shows what interpolate gives, as often as it is asked', () => {
    const anyShare = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(anyEntities, anyEntities, anyShare, (before, after, share) => {
        const pair = new SnapshotPair(shipShape, 1);
        pair.apply(shipsOf(5, before));
        pair.apply(shipsOf(6, after));
        pair.advance(share);
        const out = new Snapshot(shipShape);
        interpolate(shipsOf(5, before), shipsOf(6, after), share, out);
        const expected = Math.fround(share) === 1 ? shipsOf(6, after) : out;
        for (let again = 0; again < 2; again++)
          expect(contentsOf(pair.sample() ?? out)).toEqual(contentsOf(expected));
      }),
      { numRuns: 200 },
    );
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a rate of %s', (rate) => {
    expect(() => new SnapshotPair(pointShape, rate)).toThrow(/tickRateHz is no rate/);
  });

  test.each([-0.1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a time of %s', (seconds) => {
    const pair = new SnapshotPair(pointShape, 60);
    expect(() => {
      pair.advance(seconds);
    }).toThrow(/Time cannot pass/);
  });
});

test('case 127: who comes back is where it is, and blends again from the tick after', () => {
  const pair = new SnapshotPair(pointShape, 64);
  const present = (tick: number): boolean => tick < 10 || tick >= 20;
  const place = (tick: number): number => tick * tick;
  const mids: (number | undefined)[] = [];
  for (let tick = 1; tick <= 22; tick++) {
    pair.apply(points(tick, present(tick) ? { 1: place(tick), 2: tick } : { 2: tick }));
    pair.advance(0.5 / 64);
    mids.push(shown(pair)[1]);
  }
  expect(mids.slice(7)).toEqual([
    (place(7) + place(8)) / 2,
    (place(8) + place(9)) / 2,
    ...Array.from({ length: 10 }, () => undefined),
    place(20),
    (place(20) + place(21)) / 2,
    (place(21) + place(22)) / 2,
  ]);
});

test('case 130: the last sample before a removal is the last place', () => {
  const pair = new SnapshotPair(pointShape, 60);
  pair.apply(points(28, { 1: 94 }));
  pair.apply(points(29, { 1: 97 }));
  pair.advance(1 / 60);
  pair.apply(points(30, { 1: 100 }));
  expect(shown(pair)).toEqual({ 1: 97 });
  pair.advance(1 / 60);
  expect(shown(pair)).toEqual({ 1: 100 });
  pair.apply(points(31, {}));
  expect(shown(pair)).toEqual({});
});

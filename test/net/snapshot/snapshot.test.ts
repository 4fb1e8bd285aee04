import { expect, test } from 'vitest';
import { Snapshot } from '../../../src/net/index.ts';
import { errorOf } from '../error-of.ts';
import { rawShape } from '../reference-shape.ts';

const shape = rawShape([{ name: 'position', scalar: 'f32', width: 1 }]);

test.each([-1, 1.5, Number.NaN, 2 ** 53])('a tick of %d is an error of the caller', (tick) => {
  const snapshot = new Snapshot(shape);
  const refusal = errorOf(() => {
    snapshot.tick = tick;
  });
  expect(refusal).toBe('VALUE_INVALID/tick-range');
  expect(snapshot.tick).toBe(0);
});

test('a tick keeps all its bits', () => {
  const snapshot = new Snapshot(shape);
  snapshot.tick = Number.MAX_SAFE_INTEGER;
  expect([snapshot.tickHigh, snapshot.tickLow]).toEqual([2 ** 21 - 1, 2 ** 32 - 1]);
  expect(snapshot.tick).toBe(Number.MAX_SAFE_INTEGER);
});

test('what another record holds cannot be copied, and nothing is changed', () => {
  const snapshot = new Snapshot(shape, 1);
  snapshot.count = 1;
  const other = new Snapshot(rawShape([{ name: 'hue', scalar: 'u32', width: 1 }]));
  expect(errorOf(() => snapshot.copyFrom(other))).toBe('SNAPSHOT_INVALID/shape-mismatch');
  expect(snapshot.count).toBe(1);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpolate } from '../../../src/net/snapshot/interpolate.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { scaled } from '../../scaled.ts';
import { rawShape, referenceShape } from '../reference-shape.ts';
import { anyEntities, contentsOf, type PlainEntity, shipShape, shipsOf } from './any-snapshot.ts';

const runs = { numRuns: scaled({ tiny: 200, normal: 400, full: 50_000 }) };

const anyAlpha = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.constantFrom(0, 0.5, 1, 1 - 2 ** -24, 2 ** -30),
);

function blended(previous: Snapshot, current: Snapshot, alpha: number): Snapshot {
  const out = new Snapshot(previous.shape);
  interpolate(previous, current, alpha, out);
  return out;
}

/** The numbers of a field of an entity. */
function numbers(snapshot: Snapshot, row: number, name: string): number[] {
  const field = snapshot.shape.fields.find((one) => one.name === name);
  const { index, codec } = field ?? { index: -1, codec: { width: 0 } };
  const values = [...(snapshot.columns[index]?.values ?? [])];
  return values.slice(row * codec.width, (row + 1) * codec.width);
}

/** Asks that each number lies between two others, but for a rounding. */
function expectBetween(found: number[], from: number[], to: number[], slack: number): void {
  const outside = found.filter((value, part) => {
    const [a, b] = [from[part] as number, to[part] as number];
    return value < Math.min(a, b) - slack || value > Math.max(a, b) + slack;
  });
  expect(outside).toEqual([]);
}

/** The shorter way round a circle, half of it as -turn / 2. */
function shortWay(from: number, to: number, turn: number): number {
  return ((((to - from + turn / 2) % turn) + turn) % turn) - turn / 2;
}

function roundAway(value: number): number {
  return Math.sign(value) * Math.floor(Math.abs(value) + 0.5);
}

describe('between two snapshots', () => {
  test('the population is the current one; who is new, and what steps, is as it is', () => {
    fc.assert(
      fc.property(anyEntities, anyEntities, anyAlpha, (before, after, alpha) => {
        const current = shipsOf(9, after);
        const out = blended(shipsOf(5, before), current, alpha);
        const { tick, rows } = contentsOf(out);
        const expected = contentsOf(current);
        expect(tick).toBe(9);
        expect(rows.map(([id]) => id)).toEqual(after.map(({ id }) => id));
        for (const [row, [id]] of rows.entries()) {
          expect(numbers(out, row, 'kind')).toEqual(numbers(current, row, 'kind'));
          expect(numbers(out, row, 'label')).toEqual(numbers(current, row, 'label'));
          if (before.every((entity) => entity.id !== id))
            expect(rows[row]).toEqual(expected.rows[row]);
        }
      }),
      runs,
    );
  });

  test('every field lies between its ends, and is what a plain model says', () => {
    fc.assert(
      fc.property(anyEntities, anyEntities, anyAlpha, (before, after, alpha) => {
        const [previous, current] = [shipsOf(5, before), shipsOf(9, after)];
        const out = blended(previous, current, alpha);
        const share = Math.fround(alpha);
        for (const [row, { id }] of after.entries()) {
          const old = previous.indexOf(id);
          if (old < 0) continue;
          const at = (name: string): [number[], number[], number[]] => [
            numbers(out, row, name),
            numbers(previous, old, name),
            numbers(current, row, name),
          ];
          expectBetween(...at('position'), 1000 * 2 ** -22);
          expectBetween(...at('score'), 0);
          for (const unit of ['heading', 'spinAxis'])
            expect(Math.abs(Math.hypot(...numbers(out, row, unit)) - 1)).toBeLessThan(1e-6);
          const [[hue], [fromHue = 0], [toHue = 0]] = at('hue');
          const turned = Math.fround(fromHue + Math.fround(shortWay(fromHue, toHue, 256) * share));
          expect(hue).toBe((roundAway(turned) + 256) % 256);
          const [[yaw = 0], [fromYaw = 0], [toYaw = 0]] = at('yaw');
          const yawAt = fromYaw + shortWay(fromYaw, toYaw, 360) * share;
          expect(Math.abs(shortWay(yawAt, yaw, 360))).toBeLessThan(1e-3);
        }
      }),
      runs,
    );
  });

  test('at the end all is current to the bit, but for -0 and a new normalising', () => {
    fc.assert(
      fc.property(anyEntities, anyEntities, (before, after) => {
        const current = shipsOf(9, after);
        const out = blended(shipsOf(5, before), current, 1);
        for (const { name } of shipShape.fields) {
          const all = (snapshot: Snapshot): number[] =>
            after.flatMap((_, row) => numbers(snapshot, row, name)).map((value) => value + 0);
          if (!['heading', 'spinAxis'].includes(name)) expect(all(out)).toEqual(all(current));
          else expectBetween(all(out), all(current), all(current), 2 ** -22);
        }
      }),
      runs,
    );
  });

  test('an entity that rests keeps its whole numbers, however far alpha is', () => {
    fc.assert(
      fc.property(anyEntities, anyAlpha, (entities, alpha) => {
        const out = blended(shipsOf(5, entities), shipsOf(6, entities), alpha);
        const rested = shipsOf(6, entities);
        for (const [row] of entities.entries()) {
          expect(numbers(out, row, 'score')).toEqual(numbers(rested, row, 'score'));
          expect(numbers(out, row, 'hue')).toEqual(numbers(rested, row, 'hue'));
        }
      }),
      runs,
    );
  });
});

describe('a rotation', () => {
  const shape = rawShape([
    { name: 'spin', scalar: 'f32', width: 4, check: 'unit', blend: 'rotation' },
  ]);

  /** A turn about z, on either of its two signs. */
  function spin(degrees: number, sign: number): Snapshot {
    const snapshot = new Snapshot(shape, 1);
    const half = (degrees * Math.PI) / 360;
    snapshot.ids[0] = snapshot.count = 1;
    snapshot.columns[0]?.values.set([0, 0, Math.sin(half) * sign, Math.cos(half) * sign]);
    return snapshot;
  }

  function degreesOf(snapshot: Snapshot): number {
    const [, , z = 0, w = 0] = snapshot.columns[0]?.values ?? [];
    return (Math.atan2(z * Math.sign(w), Math.abs(w)) * 360) / Math.PI;
  }

  test.each([
    [30, 0.05],
    [90, 1.2],
  ])('over %i degrees is within %f of the arc, on any signs', (degrees, slack) => {
    for (const [a, b] of [
      [1, 1],
      [1, -1],
      [-1, 1],
      [-1, -1],
    ] as const) {
      for (let step = 0; step <= 20; step++) {
        const found = degreesOf(blended(spin(0, a), spin(degrees, b), step / 20));
        expect(Math.abs(found - (degrees * step) / 20)).toBeLessThan(slack);
      }
    }
  });

  test('keeps the sign of the current one', () => {
    expect([...(blended(spin(0, 1), spin(20, -1), 1).columns[0]?.values ?? [])][3]).toBeLessThan(0);
  });

  test('to its own opposite, or to a right angle in four dimensions, has length 1', () => {
    for (const [a, b, sign] of [
      [40, 40, -1],
      [0, 180, 1],
      [0, 180, -1],
    ] as const) {
      const { values } = blended(spin(a, 1), spin(b, sign), 0.5).columns[0] ?? { values: [] };
      expect(Math.hypot(...values)).toBeCloseTo(1, 6);
    }
  });
});

describe('what cannot be blended is refused and leaves the output alone', () => {
  const ship = (id: number): PlainEntity => ({
    id,
    values: [[1], [1, 2, 3], [1, 0], [0, 0, 0, 1], [7], [90], [1, -1], [5]],
  });
  const good = shipsOf(5, [ship(1)]);
  const bad = shipsOf(6, [ship(2), ship(1)]);

  test.each([
    ['alpha-not-finite', bad, good, Number.NaN],
    ['alpha-not-finite', good, good, Number.NEGATIVE_INFINITY],
    ['previous-invalid/world-id-order', bad, bad, 0.5],
    ['current-invalid/world-id-order', good, bad, 0.5],
    ['shape-mismatch', good, new Snapshot(referenceShape()), 0.5],
  ])('%s', (fault, previous, current, alpha) => {
    const out = shipsOf(9, [ship(4)]);
    expect(() => {
      interpolate(previous, current, alpha, out);
    }).toThrow(expect.objectContaining({ fault }));
    expect(contentsOf(out)).toEqual(contentsOf(shipsOf(9, [ship(4)])));
  });

  test('an output that is an input', () => {
    expect(() => {
      interpolate(good, bad, 0.5, good);
    }).toThrow(expect.objectContaining({ fault: 'output-is-input' }));
  });
});

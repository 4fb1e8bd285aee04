import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PresenceHold } from '../../../src/net/snapshot/presence-hold.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { SnapshotPair } from '../../../src/net/snapshot/snapshot-pair.ts';
import { validateSnapshot } from '../../../src/net/snapshot/snapshot-check.ts';
import { referenceShape } from '../reference-shape.ts';
import { anyEntities, contentsOf, type PlainEntity, shipShape, shipsOf } from './any-snapshot.ts';

const ship = (id: number): PlainEntity => ({
  id,
  values: [[1], [id, 2, 3], [1, 0], [0, 0, 0, 1], [7], [90], [1, -1], [5]],
});

test('a population holds those that were last in one less than the hold ago', () => {
  const anyStep = fc.tuple(anyEntities, fc.integer({ min: 0, max: 3 }));
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 8 }), fc.integer({ min: 0, max: 4 }), (steps, s) => {
      const hold = new PresenceHold(shipShape, s);
      const last = new Map<number, { entity: PlainEntity; at: number }>();
      let now = 0;
      for (const [tick, [entities, seconds]] of steps.entries()) {
        now += seconds;
        for (const entity of entities) last.set(entity.id, { entity, at: now });
        const shown = [...last.values()]
          .filter(({ entity, at }) => entities.includes(entity) || now - at < s)
          .map(({ entity }) => entity)
          .sort((a, b) => a.id - b.id);
        const found = hold.apply(shipsOf(tick, entities), now);
        expect(contentsOf(found)).toEqual(contentsOf(shipsOf(tick, shown)));
        expect(validateSnapshot(found)).toBe('ok');
        expect(hold.heldCount).toBe(shown.length - entities.length);
        // Who has gone is not asked for again.
        for (const [id, { entity }] of last) if (!shown.includes(entity)) last.delete(id);
      }
    }),
    { numRuns: 300 },
  );
});

test('case 128: at the edge of an area an entity comes and goes, and a hold hides it', () => {
  const changesWith = (holdS: number): number => {
    const hold = new PresenceHold(shipShape, holdS);
    const pair = new SnapshotPair(shipShape, 60);
    let changes = 0;
    let visible = true;
    for (let tick = 0; tick < 60; tick++) {
      const inside = tick % 2 === 0;
      pair.apply(hold.apply(shipsOf(tick, inside ? [ship(1), ship(2)] : [ship(1)]), tick / 60));
      const now = (pair.sample()?.indexOf(2) ?? -1) >= 0;
      if (now !== visible) changes++;
      visible = now;
    }
    return changes;
  };
  expect([changesWith(0), changesWith(0.25)]).toEqual([59, 0]);
});

test('after a clear nothing is held', () => {
  const hold = new PresenceHold(shipShape, 5);
  hold.apply(shipsOf(1, [ship(1), ship(2)]), 0);
  expect(hold.apply(shipsOf(2, [ship(2)]), 1).count).toBe(2);
  hold.clear();
  expect([hold.heldCount, hold.apply(shipsOf(3, []), 1).count]).toEqual([0, 0]);
});

test('what makes no sense is refused', () => {
  const hold = new PresenceHold(shipShape, 5);
  const shown = hold.apply(shipsOf(1, [ship(1)]), 0);
  expect(() => new PresenceHold(shipShape, -1)).toThrow(/holdSeconds is no length/);
  expect(() => hold.apply(shipsOf(2, []), Number.NaN)).toThrow(/nowSeconds is no time/);
  expect(() => hold.apply(shown, 1)).toThrow(expect.objectContaining({ fault: 'output-is-input' }));
  expect(() => hold.apply(new Snapshot(referenceShape()), 1)).toThrow(
    expect.objectContaining({ fault: 'shape-mismatch' }),
  );
  expect(contentsOf(shown)).toEqual(contentsOf(shipsOf(1, [ship(1)])));
});

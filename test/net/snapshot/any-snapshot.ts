import fc from 'fast-check';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { SnapshotUpdate } from '../../../src/net/snapshot/snapshot-update.ts';
import { rawShape } from '../reference-shape.ts';

/** A record with a field of every kind of check, blend and number. */
export const shipShape = rawShape([
  { name: 'kind', scalar: 'u32', width: 1, check: 'nonzero' },
  { name: 'position', scalar: 'f32', width: 3, check: 'finite', blend: 'lerp' },
  { name: 'heading', scalar: 'f32', width: 2, check: 'unit', blend: 'direction' },
  { name: 'spinAxis', scalar: 'f32', width: 4, check: 'unit', blend: 'rotation' },
  { name: 'hue', scalar: 'u32', width: 1, blend: 'circular', turn: 256 },
  { name: 'yaw', scalar: 'f32', width: 1, check: 'finite', blend: 'circular', turn: 360 },
  { name: 'score', scalar: 'i32', width: 2, blend: 'lerp' },
  { name: 'label', scalar: 'u32', width: 1 },
]);

/** An entity as plain numbers: one list for each field. */
export interface PlainEntity {
  readonly id: number;
  readonly values: readonly (readonly number[])[];
}

const angle = fc.integer({ min: 0, max: 719 });
const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const coordinate = fc.float({ min: -1000, max: 1000, noNaN: true });

/** A vector of length 1 that lies in the first two coordinates. */
const unit = (halfDegrees: number, width: number): number[] => {
  const radians = (halfDegrees * Math.PI) / 360;
  return [Math.cos(radians), Math.sin(radians), 0, 0].slice(0, width);
};

/** The values of a valid ship. */
const anyValues: fc.Arbitrary<number[][]> = fc
  .tuple(
    fc.integer({ min: 1, max: 255 }),
    fc.tuple(coordinate, coordinate, coordinate),
    angle,
    angle,
    fc.integer({ min: 0, max: 255 }),
    fc.float({ min: -180, max: Math.fround(179.9), noNaN: true }),
    fc.tuple(int, int),
    word,
  )
  .map(([kind, position, heading, axis, hue, yaw, score, label]) => [
    [kind],
    [...position],
    unit(heading, 2),
    unit(axis, 4),
    [hue],
    [yaw],
    [...score],
    [label],
  ]);

/** Some ids, ascending: few that often meet, and the ends of the range. */
export const anyIds: fc.Arbitrary<number[]> = fc
  .uniqueArray(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(2 ** 32 - 1)), {
    maxLength: 10,
  })
  .map((ids) => ids.sort((a, b) => a - b));

/** A valid population, ids ascending. */
export const anyEntities: fc.Arbitrary<PlainEntity[]> = anyIds.chain((ids) =>
  fc
    .array(anyValues, { minLength: ids.length, maxLength: ids.length })
    .map((list) => list.map((values, row) => ({ id: ids[row] as number, values }))),
);

/** Puts entities into a snapshot as they are. */
function fill(snapshot: Snapshot, tick: number, entities: readonly PlainEntity[]): Snapshot {
  snapshot.reserve(entities.length);
  snapshot.tick = tick;
  snapshot.count = entities.length;
  entities.forEach(({ id, values }, row) => {
    snapshot.ids[row] = id;
    values.forEach((numbers, field) => {
      snapshot.columns[field]?.values.set(numbers, row * numbers.length);
    });
  });
  return snapshot;
}

/** Makes a snapshot of ships. */
export function shipsOf(tick: number, entities: readonly PlainEntity[]): Snapshot {
  return fill(new Snapshot(shipShape), tick, entities);
}

/** Makes an update of ships. */
export function updateOf(
  kind: number,
  tick: number,
  upserts: readonly PlainEntity[],
  deletes: readonly number[],
): SnapshotUpdate {
  const update = new SnapshotUpdate(shipShape);
  update.kind = kind;
  fill(update.upserts, tick, upserts);
  update.reserveDeletes(deletes.length);
  update.deletes.set(deletes);
  update.deleteCount = deletes.length;
  return update;
}

/** Returns the bits of each entity by id, in order, and the tick. */
export function contentsOf(snapshot: Snapshot): { tick: number; rows: [number, number[]][] } {
  const rows = Array.from({ length: snapshot.count }, (_, row): [number, number[]] => [
    snapshot.ids[row] as number,
    snapshot.shape.fields.flatMap(({ index, codec: { width } }) => [
      ...(snapshot.columns[index]?.bits.subarray(row * width, (row + 1) * width) ?? []),
    ]),
  ]);
  return { tick: snapshot.tick, rows };
}

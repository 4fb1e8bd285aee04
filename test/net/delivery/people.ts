import type { RecordShape } from '../../../src/net/record/record-shape.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { referenceShape } from '../reference-shape.ts';

/** An entity: id, classification, the bits of position and of heading, hue. */
export type Person = readonly [number, number, readonly number[], readonly number[], number];

/** The fields of the reference record, as bits. */
export const people: RecordShape = referenceShape();

/** Puts people into a snapshot, in place of whoever was there. */
export function fillPeople(snapshot: Snapshot, rows: readonly Person[], tick = 0): Snapshot {
  snapshot.clear();
  snapshot.reserve(rows.length);
  snapshot.count = rows.length;
  snapshot.tick = tick;
  rows.forEach(([id, classification, position, heading, hue], row) => {
    snapshot.ids[row] = id;
    snapshot.columns[0]?.bits.set([classification], row);
    snapshot.columns[1]?.bits.set(position, row * 3);
    snapshot.columns[2]?.bits.set(heading, row * 3);
    snapshot.columns[3]?.bits.set([hue], row);
  });
  return snapshot;
}

/** Makes a snapshot of people. */
export function snapshotOf(rows: readonly Person[], tick = 0): Snapshot {
  return fillPeople(new Snapshot(people), rows, tick);
}

/** Lists who is in a snapshot. */
export function listPeople(snapshot: Snapshot): Person[] {
  const part = (field: number, row: number, width: number): number[] => [
    ...(snapshot.columns[field]?.bits.slice(row * width, (row + 1) * width) ?? []),
  ];
  return Array.from({ length: snapshot.count }, (_, row) => [
    snapshot.ids[row] as number,
    part(0, row, 1)[0] as number,
    part(1, row, 3),
    part(2, row, 3),
    part(3, row, 1)[0] as number,
  ]);
}

/** A person of which only the hue matters. */
export function person(id: number, hue: number): Person {
  return [id, 1, [0, 0, 0], [0, 0, 0x3f80_0000], hue];
}

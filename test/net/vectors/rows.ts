import type { RecordShape } from '../../../src/net/record/record-shape.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { hexOfWordList, wordsOfHex } from './hex.ts';

/** An entity of the vectors: id, classification, position, heading, hue. */
export type Row = readonly [number, number, string, string, number];

/** A snapshot of the vectors. */
export interface PlainSnapshot {
  readonly tick: string;
  readonly e: readonly Row[];
}

/** Makes the snapshot that a line of the vectors describes; it need not be valid. */
export function snapshotOf(shape: RecordShape, plain: PlainSnapshot): Snapshot {
  const snapshot = new Snapshot(shape);
  setRows(snapshot, plain.e);
  setTick(snapshot, plain.tick);
  return snapshot;
}

/** Puts rows of the vectors into a snapshot of the reference record. */
export function setRows(snapshot: Snapshot, rows: readonly Row[]): void {
  snapshot.reserve(rows.length);
  snapshot.count = rows.length;
  rows.forEach(([id, classification, position, heading, hue], row) => {
    snapshot.ids[row] = id;
    const words = [[classification], wordsOfHex(position), wordsOfHex(heading), [hue]];
    words.forEach((values, field) => {
      snapshot.columns[field]?.bits.set(values, row * values.length);
    });
  });
}

/** Sets the tick from its decimal digits, up to 64 bits. */
export function setTick(snapshot: Snapshot, digits: string): void {
  const tick = BigInt(digits);
  snapshot.tickHigh = Number(tick >> 32n);
  snapshot.tickLow = Number(tick & 0xffff_ffffn);
}

/** Returns a snapshot of the reference record as the vectors write it. */
export function plainOf(snapshot: Snapshot): PlainSnapshot {
  const tick = (BigInt(snapshot.tickHigh) << 32n) | BigInt(snapshot.tickLow);
  const part = (field: number, row: number, width: number): Uint32Array =>
    (snapshot.columns[field]?.bits ?? new Uint32Array()).slice(row * width, (row + 1) * width);
  const e = Array.from({ length: snapshot.count }, (_, row): Row => {
    const [classification = 0] = part(0, row, 1);
    const [hue = 0] = part(3, row, 1);
    const [position, heading] = [part(1, row, 3), part(2, row, 3)].map(hexOfWordList);
    return [snapshot.ids[row] ?? 0, classification, position ?? '', heading ?? '', hue];
  });
  return { tick: String(tick), e };
}

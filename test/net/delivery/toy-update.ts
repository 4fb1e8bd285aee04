import type { ReceivedHeader, ResultExtra } from '../../../src/net/index.ts';
import { SnapshotKind } from '../../../src/net/snapshot/snapshot-update.ts';

/** Entities of a toy: their hues by id. */
export type Hues = ReadonlyMap<number, number>;

/** An update of a toy, as plain as it can be. */
export interface ToyUpdate extends ReceivedHeader {
  readonly upserts: readonly (readonly [number, number])[];
  readonly deletes: readonly number[];
}

/** State of a toy's model: each update changes it, from that of its baseline on. */
export const toyExtra: ResultExtra<Uint32Array> = {
  create: () => new Uint32Array(1),
  copy: (from, to) => to.set(from),
  reset: (extra) => extra.fill(0),
  byteLength: (extra) => extra.byteLength,
};

/** Returns the state after an update; it differs for any other baseline. */
export function nextModel(before: number, update: ToyUpdate): number {
  const start = update.kind === SnapshotKind.Patch ? before : 1;
  return update.upserts.reduce(
    (sum, [id, hue]) => (Math.imul(sum, 31) + id * 7 + hue) >>> 0,
    (Math.imul(start, 31) + update.sequence) >>> 0,
  );
}

/** Returns the population after an update. */
export function applied(before: Hues, update: ToyUpdate): Hues {
  const after = new Map(update.kind === SnapshotKind.Patch ? before : []);
  for (const id of update.deletes) after.delete(id);
  for (const [id, hue] of update.upserts) after.set(id, hue);
  return new Map([...after].sort(([a], [b]) => a - b));
}

/** Writes an update as text in bytes. */
export function encodeToy(update: ToyUpdate): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(update));
}

/** Reads an update from its bytes. */
export function decodeToy(bytes: Uint8Array): ToyUpdate {
  return JSON.parse(new TextDecoder().decode(bytes)) as ToyUpdate;
}

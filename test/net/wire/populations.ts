import type { Pipeline } from '../../../src/net/pipeline/pipeline.ts';
import { TokenTable } from '../../../src/net/record/token-table.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';
import { decodeTokens, encodeTokens } from '../../../src/net/snapshot/snapshot-tokens.ts';
import { ByteBuffer } from '../../../src/net/wire/byte-buffer.ts';
import { SPAWN_MASK, type UpdatePlan } from '../../../src/net/wire/update-plan.ts';
import { writeUpdate } from '../../../src/net/wire/write-update.ts';

/** Whole numbers from 0 to 2^32 - 1 by a seed: mulberry32. */
export function chanceOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Puts values into one field of one row, such that every rule of the reference record is kept. */
function fill(snapshot: Snapshot, row: number, field: number, chance: () => number): void {
  const shape = snapshot.shape.fields[field];
  const column = snapshot.columns[field];
  if (shape === undefined || column === undefined) return;
  const { codec, check } = shape;
  for (let part = 0; part < codec.width; part++) {
    const share = chance() / 2 ** 32;
    const value = codec.scalar === 'f32' ? (share - 0.5) * 500 : chance() % 300;
    column.values[row * codec.width + part] = check === 'nonzero' ? 1 + (chance() % 255) : value;
  }
  if (check !== 'unit') return;
  const values = column.values.subarray(row * 3, row * 3 + 3);
  const length = Math.hypot(...values);
  values.forEach((value, part) => {
    values[part] = value / length;
  });
}

/** Makes a population, and the tokens and canonical values of it. */
export function populate(
  { shape }: Pipeline,
  ids: readonly number[],
  chance: () => number,
): { table: TokenTable; canonical: Snapshot } {
  const snapshot = new Snapshot(shape, ids.length);
  snapshot.count = ids.length;
  snapshot.ids.set(ids);
  ids.forEach((_, row) => {
    for (const { index } of shape.fields) fill(snapshot, row, index, chance);
  });
  return settle(snapshot);
}

/** Changes some fields of a canonical population, and leaves others alone. */
export function change(
  before: Snapshot,
  ids: readonly number[],
  chance: () => number,
): { table: TokenTable; canonical: Snapshot } {
  const snapshot = new Snapshot(before.shape, ids.length);
  snapshot.count = ids.length;
  snapshot.ids.set(ids);
  ids.forEach((id, row) => {
    const old = before.indexOf(id);
    for (const { index, codec } of before.shape.fields) {
      const from = before.columns[index]?.bits.subarray(old * codec.width, (old + 1) * codec.width);
      if (old < 0 || chance() % 3 === 0) fill(snapshot, row, index, chance);
      else snapshot.columns[index]?.bits.set(from ?? [], row * codec.width);
    }
  });
  return settle(snapshot);
}

function settle(snapshot: Snapshot): { table: TokenTable; canonical: Snapshot } {
  const table = new TokenTable(snapshot.shape.lanes.length);
  const canonical = new Snapshot(snapshot.shape);
  encodeTokens(snapshot, table);
  decodeTokens(table, canonical);
  return { table, canonical };
}

/** Makes the plan of a whole population. */
export function planAll(table: TokenTable, sequence: number): UpdatePlan {
  return {
    kind: 0,
    tickHigh: 3,
    tickLow: 4_000_000_000,
    sequence,
    baselineSequence: 0,
    deletes: new Uint32Array(0),
    deleteCount: 0,
    table,
    rows: Uint32Array.from({ length: table.count }, (_, row) => row),
    rowCount: table.count,
    masks: new Uint32Array(table.count),
  };
}

/** Makes the plan of what differs from a baseline, with masks. */
export function planChanges(
  before: Snapshot,
  { table, canonical }: { table: TokenTable; canonical: Snapshot },
  sequence: number,
  baselineSequence: number,
): UpdatePlan {
  const rows: number[] = [];
  const masks: number[] = [];
  for (let row = 0; row < canonical.count; row++) {
    const mask = maskOf(before, canonical, row);
    if (mask === 0) continue;
    rows.push(row);
    masks.push(mask);
  }
  const gone = [...before.ids.subarray(0, before.count)].filter((id) => canonical.indexOf(id) < 0);
  return {
    ...planAll(table, sequence),
    kind: 1,
    baselineSequence,
    deletes: Uint32Array.from(gone),
    deleteCount: gone.length,
    rows: Uint32Array.from(rows),
    rowCount: rows.length,
    masks: Uint32Array.from(masks),
  };
}

function maskOf(before: Snapshot, now: Snapshot, row: number): number {
  const old = before.indexOf(now.ids[row] as number);
  if (old < 0) return SPAWN_MASK;
  let mask = 0;
  for (const { index, codec } of now.shape.fields) {
    for (let part = 0; part < codec.width; part++) {
      const [to, from] = [row * codec.width + part, old * codec.width + part];
      if (now.columns[index]?.bits[to] !== before.columns[index]?.bits[from]) mask |= 1 << index;
    }
  }
  return mask;
}

/** Turns a plan into bytes of their own. */
export function bytesOf(pipeline: Pipeline, plan: UpdatePlan): Uint8Array {
  const out = new ByteBuffer();
  writeUpdate(pipeline, plan, out);
  return out.toBytes();
}

/** Lists a row: its id and the bits of its fields. */
export function rowOf(snapshot: Snapshot, row: number): number[] {
  return [
    snapshot.ids[row] as number,
    ...snapshot.shape.fields.flatMap(({ index, codec }) => {
      const { bits = new Uint32Array(0) } = snapshot.columns[index] ?? {};
      return [...bits.subarray(row * codec.width, (row + 1) * codec.width)];
    }),
  ];
}

/** Lists all rows. */
export function rowsOf(snapshot: Snapshot): number[][] {
  return Array.from({ length: snapshot.count }, (_, row) => rowOf(snapshot, row));
}

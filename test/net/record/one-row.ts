import type { FieldCodec, FieldColumn } from '../../../src/net/record/field-codec.ts';
import { Snapshot } from '../../../src/net/snapshot/snapshot.ts';

/** Makes a column of a codec with room for some rows. */
export function columnOf(codec: FieldCodec, rows: number): FieldColumn {
  const field = { name: 'it', index: 0, codec, lane: 0, check: 'none', blend: 'step', turn: 0 };
  const shape = { fields: [field as never], lanes: [], position: -1 };
  const [column] = new Snapshot(shape, rows).columns;
  if (column === undefined) throw new Error('a snapshot has a column for its field');
  return column;
}

/** Encodes the bits of one row; says how many values were clamped. */
export function encodeOne(
  codec: FieldCodec,
  bits: readonly number[],
): { tokens: number[]; clamped: number } {
  const column = columnOf(codec, 1);
  column.bits.set(bits);
  const tokens = new Uint32Array(codec.lanes.length);
  const clamped = codec.encode(column, 0, 1, tokens, tokens.length, 0);
  return { tokens: [...tokens], clamped };
}

/** Encodes the values of one row. */
export function encodeValues(
  codec: FieldCodec,
  values: readonly number[],
): { tokens: number[]; clamped: number } {
  const column = columnOf(codec, 1);
  column.values.set(values);
  return encodeOne(codec, [...column.bits]);
}

/** Decodes the tokens of one row. */
export function decodeOne(codec: FieldCodec, tokens: readonly number[]): FieldColumn {
  const column = columnOf(codec, 1);
  codec.decode(Uint32Array.from(tokens), tokens.length, 0, 0, 1, column);
  return column;
}

import type { FieldColumn } from '../record/field-codec.ts';
import type { FieldShape } from '../record/record-shape.ts';
import type { RowSources } from './row-sources.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Makes a population of rows of two others of the same record: row r of `old` where `sources` has
 * r, row r of `changed` where it has the complement, ~r. The tick of `out` stays.
 */
export function gatherRows(
  old: Snapshot,
  changed: Snapshot,
  sources: RowSources,
  out: Snapshot,
): void {
  const { count, rows } = sources;
  out.count = 0;
  out.lineage = null;
  out.reserve(count);
  gatherWords(old.ids, changed.ids, 1, rows, count, out.ids);
  const { fields } = out.shape;
  for (let f = 0; f < fields.length; f++) {
    const from = (old.columns[f] as FieldColumn).bits;
    const other = (changed.columns[f] as FieldColumn).bits;
    const { width } = (fields[f] as FieldShape).codec;
    gatherWords(from, other, width, rows, count, (out.columns[f] as FieldColumn).bits);
  }
  out.count = count;
}

function gatherWords(
  old: Uint32Array,
  changed: Uint32Array,
  width: number,
  rows: Int32Array,
  count: number,
  out: Uint32Array,
): void {
  let to = 0;
  for (let row = 0; row < count; row++) {
    const source = rows[row] as number;
    const words = source < 0 ? changed : old;
    let at = (source < 0 ? ~source : source) * width;
    for (let part = 0; part < width; part++) out[to++] = words[at++] as number;
  }
}

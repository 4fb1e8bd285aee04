/**
 * Writes `width` words for each row, from where it comes: row r of `old` where `rows` has r, row r
 * of `changed` where it has the complement, ~r.
 */
export function gatherWords(
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

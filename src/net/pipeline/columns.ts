/** Copies rows of a column to the front of another, in the order given. */
export function gatherRows(
  to: Uint32Array,
  from: Uint32Array,
  width: number,
  rows: Uint32Array,
  count: number,
): void {
  if (width === 1) {
    for (let i = 0; i < count; i++) to[i] = from[rows[i] as number] as number;
    return;
  }
  if (width === 3) {
    for (let i = 0, at = 0; i < count; i++, at += 3) {
      const source = (rows[i] as number) * 3;
      to[at] = from[source] as number;
      to[at + 1] = from[source + 1] as number;
      to[at + 2] = from[source + 2] as number;
    }
    return;
  }
  if (width === 2) {
    for (let i = 0, at = 0; i < count; i++, at += 2) {
      const source = (rows[i] as number) * 2;
      to[at] = from[source] as number;
      to[at + 1] = from[source + 1] as number;
    }
    return;
  }
  for (let i = 0, at = 0; i < count; i++) {
    const source = (rows[i] as number) * width;
    for (let k = 0; k < width; k++) to[at++] = from[source + k] as number;
  }
}

/** Copies the rows at the front of a column to the places given in another. */
export function scatterRows(
  to: Uint32Array,
  from: Uint32Array,
  width: number,
  rows: Uint32Array,
  count: number,
  stride: number,
  offset: number,
): void {
  if (width === 1) {
    for (let i = 0; i < count; i++) to[(rows[i] as number) * stride + offset] = from[i] as number;
    return;
  }
  if (width === 3) {
    for (let i = 0, at = 0; i < count; i++, at += 3) {
      const target = (rows[i] as number) * stride + offset;
      to[target] = from[at] as number;
      to[target + 1] = from[at + 1] as number;
      to[target + 2] = from[at + 2] as number;
    }
    return;
  }
  if (width === 2) {
    for (let i = 0, at = 0; i < count; i++, at += 2) {
      const target = (rows[i] as number) * stride + offset;
      to[target] = from[at] as number;
      to[target + 1] = from[at + 1] as number;
    }
    return;
  }
  for (let i = 0, at = 0; i < count; i++) {
    const target = (rows[i] as number) * stride + offset;
    for (let k = 0; k < width; k++) to[target + k] = from[at++] as number;
  }
}

/**
 * Copies rows of two columns: row `choice` of the first where that is 0 or more, else row `~choice`
 * of the second.
 */
export function mergeRows(
  to: Uint32Array,
  first: Uint32Array,
  second: Uint32Array,
  width: number,
  choices: Int32Array,
  count: number,
): void {
  for (let i = 0, at = 0; i < count; i++) {
    const choice = choices[i] as number;
    if (choice >= 0) {
      const source = choice * width;
      for (let k = 0; k < width; k++) to[at++] = first[source + k] as number;
    } else {
      const source = ~choice * width;
      for (let k = 0; k < width; k++) to[at++] = second[source + k] as number;
    }
  }
}

/**
 * Sets a bit in the masks of rows that differ between two columns of as many rows. Free of
 * branches: which rows have moved cannot be foretold.
 */
export function markChanges(
  masks: Uint32Array,
  left: Uint32Array,
  right: Uint32Array,
  width: number,
  count: number,
  bit: number,
): void {
  if (width === 1) {
    for (let i = 0; i < count; i++) {
      const change = (left[i] as number) ^ (right[i] as number);
      masks[i] = (masks[i] as number) | (((change | (0 - change)) >>> 31) << bit);
    }
    return;
  }
  if (width === 3) {
    for (let i = 0, at = 0; i < count; i++, at += 3) {
      const change =
        ((left[at] as number) ^ (right[at] as number)) |
        ((left[at + 1] as number) ^ (right[at + 1] as number)) |
        ((left[at + 2] as number) ^ (right[at + 2] as number));
      masks[i] = (masks[i] as number) | (((change | (0 - change)) >>> 31) << bit);
    }
    return;
  }
  for (let i = 0, at = 0; i < count; i++) {
    let change = 0;
    for (let k = 0; k < width; k++, at++) change |= (left[at] as number) ^ (right[at] as number);
    masks[i] = (masks[i] as number) | (((change | (0 - change)) >>> 31) << bit);
  }
}

/**
 * Sets a bit in the mask of each pair of rows, `rows[i]` of one column and `matches[i]` of another,
 * that differ. A match of -1 is passed over.
 */
export function markPairs(
  masks: Uint32Array,
  left: Uint32Array,
  right: Uint32Array,
  width: number,
  rows: Uint32Array,
  matches: Int32Array,
  count: number,
  bit: number,
): void {
  for (let i = 0; i < count; i++) {
    const match = matches[i] as number;
    if (match < 0) continue;
    const at = (rows[i] as number) * width;
    const other = match * width;
    let change = 0;
    for (let k = 0; k < width; k++)
      change |= (left[at + k] as number) ^ (right[other + k] as number);
    masks[i] = (masks[i] as number) | (((change | (0 - change)) >>> 31) << bit);
  }
}

/** Sets a bit in the mask of each listed row that differs between two columns. */
export function markRows(
  masks: Uint32Array,
  left: Uint32Array,
  right: Uint32Array,
  width: number,
  rows: Uint32Array,
  count: number,
  bit: number,
): void {
  for (let i = 0; i < count; i++) {
    const at = (rows[i] as number) * width;
    let change = 0;
    for (let k = 0; k < width; k++) change |= (left[at + k] as number) ^ (right[at + k] as number);
    masks[i] = (masks[i] as number) | (((change | (0 - change)) >>> 31) << bit);
  }
}

/** Sets a bit in the masks of listed rows that differ from the rows at the front of a column. */
export function markListed(
  masks: Uint32Array,
  column: Uint32Array,
  front: Uint32Array,
  width: number,
  rows: Uint32Array,
  count: number,
  bit: number,
): void {
  for (let i = 0, from = 0; i < count; i++) {
    const row = rows[i] as number;
    let change = 0;
    for (let at = row * width, end = at + width; at < end; at++, from++)
      change |= (column[at] as number) ^ (front[from] as number);
    masks[row] = (masks[row] as number) | (((change | (0 - change)) >>> 31) << bit);
  }
}

/** Lists the rows whose mask has a bit; returns how many. The list has room for all rows. */
export function listMarked(
  rows: Uint32Array,
  masks: Uint32Array,
  count: number,
  bit: number,
): number {
  let listed = 0;
  for (let i = 0; i < count; i++) {
    rows[listed] = i;
    listed += ((masks[i] as number) >>> bit) & 1;
  }
  return listed;
}

/** Says whether the first `count` numbers of two arrays are the same. */
export function sameWords(left: Uint32Array, right: Uint32Array, count: number): boolean {
  let change = 0;
  for (let i = 0; i < count; i++) change |= (left[i] as number) ^ (right[i] as number);
  return change === 0;
}

/** Returns an array of at least as many numbers, which keeps nothing if it is a new one. */
export function roomFor(array: Uint32Array, count: number): Uint32Array {
  return count <= array.length ? array : new Uint32Array(Math.max(count, array.length * 2, 16));
}

/*
 * Each scan looks at the rows before `limit` and returns the first that breaks its rule, or
 * `limit`. So the first fault of a population, row by row, is found column by column: every scan
 * goes only as far as the best find so far, and of two faults in one row that of the earlier scan
 * stands.
 */

/** The exponent of an f32 that is NaN or infinite. */
const EXPONENT = 0x7f80_0000;

/**
 * The least and the greatest f32 whose root differs from 1 by at most 0.01, each step in f32. A
 * root never falls where its square rises, so a comparison with these tells the same as the root
 * would, in a third of the time.
 */
const UNIT_SQUARES_MIN = 0.980_099_976_062_774_7;
const UNIT_SQUARES_MAX = 1.020_099_997_520_446_8;

const { fround } = Math;

/** Finds the first row with a word that is 0. */
export function firstZero(words: Uint32Array, width: number, limit: number): number {
  const end = limit * width;
  for (let at = 0; at < end; at++) if (words[at] === 0) return Math.floor(at / width);
  return limit;
}

/** Finds the first row whose id is not above the one before. */
export function firstUnordered(ids: Uint32Array, limit: number): number {
  for (let row = 1; row < limit; row++) {
    if ((ids[row] as number) <= (ids[row - 1] as number)) return row;
  }
  return limit;
}

/** Finds the first row with a float, given by its bits, that is NaN or infinite. */
export function firstNotFinite(bits: Uint32Array, width: number, limit: number): number {
  const end = limit * width;
  for (let at = 0; at < end; at++) {
    if (((bits[at] as number) & EXPONENT) === EXPONENT) return Math.floor(at / width);
  }
  return limit;
}

/** Finds the first row that is not a vector of length 1, within 0.01. */
export function firstNotUnit(values: Float32Array, width: number, limit: number): number {
  let at = 0;
  for (let row = 0; row < limit; row++) {
    let squares = 0;
    for (let part = 0; part < width; part++) {
      const value = values[at++] as number;
      squares = fround(squares + fround(value * value));
    }
    if (!(squares >= UNIT_SQUARES_MIN && squares <= UNIT_SQUARES_MAX)) return row;
  }
  return limit;
}

/** Says whether a number of one row is 0. */
export function isZeroRow(words: Uint32Array, width: number, row: number): boolean {
  const end = (row + 1) * width;
  for (let at = row * width; at < end; at++) if (words[at] === 0) return true;
  return false;
}

/** Says whether all floats of one row, given by their bits, are finite. */
export function isFiniteRow(bits: Uint32Array, width: number, row: number): boolean {
  const end = (row + 1) * width;
  for (let at = row * width; at < end; at++) {
    if (((bits[at] as number) & EXPONENT) === EXPONENT) return false;
  }
  return true;
}

/** Says whether one row is a vector of length 1, within 0.01. */
export function isUnitRow(values: Float32Array, width: number, row: number): boolean {
  const end = (row + 1) * width;
  let squares = 0;
  for (let at = row * width; at < end; at++) {
    const value = values[at] as number;
    squares = fround(squares + fround(value * value));
  }
  return squares >= UNIT_SQUARES_MIN && squares <= UNIT_SQUARES_MAX;
}

/** Finds the first row whose id is also in the other list; both ascend. */
export function firstShared(
  ids: Uint32Array,
  limit: number,
  others: Uint32Array,
  otherCount: number,
): number {
  let other = 0;
  for (let row = 0; row < limit; row++) {
    const id = ids[row] as number;
    while (other < otherCount && (others[other] as number) < id) other++;
    if (other < otherCount && others[other] === id) return row;
  }
  return limit;
}

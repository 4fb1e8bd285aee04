/** Symbols of a table. */
export const SYMBOLS = 32;
/** Frequencies of a table sum to 2 to the power of this. */
export const TABLE_SCALE = 12;
/**
 * Words of a table: for each symbol its frequency in the high half and the sum of those before it
 * in the low half; then how often each was seen.
 */
export const TABLE_WORDS: number = 2 * SYMBOLS;

/** What a symbol counts more for being seen. */
export const SEEN = 16;
const FIRST_SEEN = 2;
/** Counts are halved when they sum to more. */
const SEEN_MOST = 8192;

/** Lays out a table of `symbols` symbols, of which nothing is known. */
export function layTable(words: Uint32Array, at: number, symbols: number): void {
  words.fill(0, at, at + TABLE_WORDS);
  words.fill(FIRST_SEEN, at + SYMBOLS, at + SYMBOLS + symbols);
}

/**
 * Makes the frequencies of the tables before `end` anew, of those of which something was seen. From
 * `end` on there is a word for each table: the sum of its counts so far.
 */
export function renewTables(words: Uint32Array, end: number): void {
  let total = end;
  for (let table = 0; table < end; table += TABLE_WORDS, total++) {
    let sum = 0;
    let symbols = 0;
    let most = 0;
    let highest = 0;
    for (let s = table + SYMBOLS; s < table + TABLE_WORDS; s++) {
      const count = (words[s] as number) | 0;
      if (count === 0) break;
      sum += count;
      symbols++;
      if (count <= highest) continue;
      highest = count;
      most = s - SYMBOLS;
    }
    if (sum === words[total]) continue;
    words[total] = sum;
    spread(words, table, symbols, sum, most);
    if (sum > SEEN_MOST) words[total] = halve(words, table + SYMBOLS, symbols);
  }
}

/** Every symbol keeps a frequency of 1 at least; what rounding leaves goes to the most frequent. */
function spread(
  words: Uint32Array,
  table: number,
  symbols: number,
  sum: number,
  most: number,
): void {
  const shared = (1 << TABLE_SCALE) - symbols;
  const scale = shared / sum;
  let rest = shared;
  for (let s = table; s < table + symbols; s++) {
    const share = ((words[s + SYMBOLS] as number) * scale) | 0;
    rest -= share;
    words[s] = share + 1;
  }
  words[most] = (words[most] as number) + rest;
  let before = 0;
  for (let s = table; s < table + symbols; s++) {
    const frequency = (words[s] as number) | 0;
    words[s] = (frequency << 16) | before;
    before += frequency;
  }
  words.fill(before, table + symbols, table + SYMBOLS);
}

/** Returns the new sum. */
function halve(words: Uint32Array, first: number, symbols: number): number {
  let sum = 0;
  for (let s = first; s < first + symbols; s++) {
    const count = (words[s] as number) | 0;
    words[s] = count - (count >>> 1);
    sum += count - (count >>> 1);
  }
  return sum;
}

import { getU32, getU64 } from '../little-endian.ts';
import { type ByteCursor } from './byte-cursor.ts';
import { CHUNK_HEAD_BYTES, HASH_BYTES_MIN } from './format.ts';

/** Hashes in ascending order of ticks; room for them is taken once. */
export interface HashTable {
  readonly ticks: Float64Array;
  readonly highs: Uint32Array;
  readonly lows: Uint32Array;
  count: number;
}

/** Makes a table with room for `length` hashes. */
export function createHashTable(length: number): HashTable {
  return {
    ticks: new Float64Array(length),
    highs: new Uint32Array(length),
    lows: new Uint32Array(length),
    count: 0,
  };
}

/** Returns the most hashes that a chunk's payload can hold, whatever it says. */
export function hashesAtMost(bytes: Uint8Array, begin: number, end: number): number {
  const room = Math.max(0, end - begin - CHUNK_HEAD_BYTES);
  return room === 0 ? 0 : Math.min(getU32(bytes, begin + 20), Math.floor(room / HASH_BYTES_MIN));
}

/**
 * Checks a chunk's payload, which continues at `after`, and appends its hashes to `table`. Returns
 * what is wrong, if anything; `table` is then as it was.
 */
export function checkChunk(
  bytes: Uint8Array,
  begin: number,
  end: number,
  after: number,
  lengths: Uint32Array,
  table: HashTable,
  cursor: ByteCursor,
): string | undefined {
  if (end - begin < CHUNK_HEAD_BYTES) return 'a chunk is shorter than its fixed part';
  if (getU64(bytes, begin) !== after) return 'a chunk does not continue where the last one ended';
  const through = getU64(bytes, begin + 8);
  if (through <= after) return 'a chunk does not go forward';
  cursor.open(begin + CHUNK_HEAD_BYTES, end);
  const fault = checkInputs(getU32(bytes, begin + 16), after, through, lengths, cursor);
  if (fault !== undefined) return fault;
  const count = table.count;
  if (!takeHashes(bytes, getU32(bytes, begin + 20), after, through, table, cursor)) {
    table.count = count;
    return 'a hash of a chunk is cut off, out of order or out of range';
  }
  if (cursor.at === end) return undefined;
  table.count = count;
  return 'a chunk holds more than its inputs and hashes';
}

function checkInputs(
  count: number,
  after: number,
  through: number,
  lengths: Uint32Array,
  cursor: ByteCursor,
): string | undefined {
  let tick = after;
  for (let left = count; left > 0; left--) {
    const step = cursor.varint();
    tick += step;
    if (step < 0 || tick > through || tick === after) {
      return 'an input of a chunk is cut off, out of order or out of range';
    }
    const input = cursor.varint();
    if (!(input >= 0 && input < lengths.length)) {
      return 'an input of a chunk is none of the schema';
    }
    cursor.at += 4 * (lengths[input] as number);
    if (cursor.at > cursor.end) return 'the words of an input of a chunk are cut off';
  }
  return undefined;
}

function takeHashes(
  bytes: Uint8Array,
  count: number,
  after: number,
  through: number,
  table: HashTable,
  cursor: ByteCursor,
): boolean {
  let tick = after;
  for (let left = count; left > 0; left--) {
    const step = cursor.varint();
    tick += step;
    // Only the very first hash can be that of the state before the chunk.
    const isLater = step > 0 || (step === 0 && table.count === 0);
    if (!isLater || tick > through || cursor.at + 8 > cursor.end) return false;
    table.ticks[table.count] = tick;
    table.lows[table.count] = getU32(bytes, cursor.at);
    table.highs[table.count] = getU32(bytes, cursor.at + 4);
    table.count++;
    cursor.at += 8;
  }
  return true;
}

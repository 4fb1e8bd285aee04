import type { TokenTable } from '../record/token-table.ts';
import { getI32 } from '../big-endian.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import type { RecordLayout } from './record-layout.ts';
import type { UpdatePlan } from './update-plan.ts';

// Records are read and written as one run of bits, in words of 32: whole bytes are only a case of
// it. Record by record, since the tokens of one are neighbours in memory; lane by lane takes three
// times as long once the population is larger than the first cache.

/** Writes the rows of a plan as complete records. There must be room. Returns their end. */
export function writeCompleteRecords(
  layout: RecordLayout,
  plan: UpdatePlan,
  out: ByteBuffer,
  begin: number,
): number {
  const { table, rows, rowCount } = plan;
  const { laneCount, slotBits } = layout;
  const { ids, tokens } = table;
  const { data } = out;
  let at = begin;
  // Of `held`, the lowest `heldBits` bits wait to be written; what is above them is shifted out.
  let held = 0;
  let heldBits = 0;
  for (let index = 0; index < rowCount; index++) {
    const row = rows[index] as number;
    const id = ids[row] as number;
    data.setUint32(at, ((held << (31 - heldBits)) << 1) | (id >>> heldBits));
    at += 4;
    held = id;
    const end = (row + 1) * laneCount;
    for (let from = row * laneCount, lane = 0; from < end; from++, lane++) {
      const token = tokens[from] as number;
      const bits = slotBits[lane] as number;
      const rest = heldBits + bits - 32;
      if (rest < 0) {
        held = (held << bits) | token;
        heldBits += bits;
      } else {
        data.setUint32(at, ((held << (31 - heldBits)) << 1) | (token >>> rest));
        at += 4;
        held = token;
        heldBits = rest;
      }
    }
  }
  for (; heldBits > 0; heldBits -= 8) {
    out.bytes[at++] = heldBits >= 8 ? held >>> (heldBits - 8) : held << (8 - heldBits);
  }
  return at;
}

/**
 * Reads `count` complete records into a table. There must be as many bytes. Returns false if a bit
 * that has no meaning is not zero.
 */
export function readCompleteRecords(
  layout: RecordLayout,
  bytes: Uint8Array,
  begin: number,
  count: number,
  table: TokenTable,
): boolean {
  table.count = 0;
  table.reserve(count);
  table.count = count;
  const { laneCount, slotBits, laneMasks } = layout;
  const { ids, tokens } = table;
  let at = begin;
  let held = 0;
  let heldBits = 0;
  let excess = 0;
  for (let row = 0, out = 0; row < count; row++) {
    let word = wordAt(bytes, at);
    at += 4;
    ids[row] = ((held << (31 - heldBits)) << 1) | (word >>> heldBits);
    held = word;
    for (let lane = 0; lane < laneCount; lane++, out++) {
      const bits = slotBits[lane] as number;
      const need = bits - heldBits;
      let token = 0;
      if (need <= 0) {
        token = (held >>> -need) & (0xffff_ffff >>> (32 - bits));
        heldBits = -need;
      } else {
        word = wordAt(bytes, at);
        at += 4;
        const upper = heldBits === 0 ? 0 : (held & (0xffff_ffff >>> (32 - heldBits))) << need;
        token = upper | (word >>> (32 - need));
        held = word;
        heldBits = 32 - need;
      }
      excess |= token & ~(laneMasks[lane] as number);
      tokens[out] = token;
    }
  }
  const padding = heldBits === 0 ? 0 : held & (0xffff_ffff >>> (32 - heldBits));
  return excess === 0 && padding === 0;
}

/** Reads a word, most significant byte first. Behind the end are zeros. */
function wordAt(bytes: Uint8Array, at: number): number {
  if (at + 4 <= bytes.length) return getI32(bytes, at);
  let word = 0;
  for (let index = at; index < at + 4; index++) {
    word = (word << 8) | (index < bytes.length ? (bytes[index] as number) : 0);
  }
  return word;
}

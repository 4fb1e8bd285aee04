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
  if (layout.name === 'bit-packed-quantized-oct-heading') return writePacked(plan, out, begin);
  if (layout.name === 'raw') return writeRaw(plan, out, begin);
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

/** Records from which a packer is worth its call. */
const PACKER_FROM = 32;

/** Writes packed records of the reference: 8, three times 16, twice 16 and 8 bits. */
function writePacked(plan: UpdatePlan, out: ByteBuffer, begin: number): number {
  const { table, rows, rowCount } = plan;
  const { ids, tokens, packer } = table;
  if (packer !== null && rowCount >= PACKER_FROM) return packer.pack(rows, rowCount, out, begin);
  const { data } = out;
  let at = begin;
  for (let index = 0; index < rowCount; index++, at += 16) {
    const row = rows[index] as number;
    const from = row * 7;
    const x = tokens[from + 1] as number;
    const y = tokens[from + 2] as number;
    const z = tokens[from + 3] as number;
    const u = tokens[from + 4] as number;
    const v = tokens[from + 5] as number;
    data.setUint32(at, ids[row] as number);
    data.setUint32(at + 4, ((tokens[from] as number) << 24) | (x << 8) | (y >>> 8));
    data.setUint32(at + 8, (y << 24) | (z << 8) | (u >>> 8));
    data.setUint32(at + 12, (u << 24) | (v << 8) | (tokens[from + 6] as number));
  }
  return at;
}

/** Writes raw records of the reference: a byte, six floats, a byte. */
function writeRaw(plan: UpdatePlan, { bytes, data }: ByteBuffer, begin: number): number {
  const { table, rows, rowCount } = plan;
  const { ids, tokens } = table;
  let at = begin;
  for (let index = 0; index < rowCount; index++, at += 30) {
    const row = rows[index] as number;
    const from = row * 8;
    data.setUint32(at, ids[row] as number);
    bytes[at + 4] = tokens[from] as number;
    data.setUint32(at + 5, tokens[from + 1] as number);
    data.setUint32(at + 9, tokens[from + 2] as number);
    data.setUint32(at + 13, tokens[from + 3] as number);
    data.setUint32(at + 17, tokens[from + 4] as number);
    data.setUint32(at + 21, tokens[from + 5] as number);
    data.setUint32(at + 25, tokens[from + 6] as number);
    bytes[at + 29] = tokens[from + 7] as number;
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

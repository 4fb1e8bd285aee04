import { Fnv64 } from '../shared/hash.ts';
import { getU32, putU32 } from '../shared/little-endian.ts';

/*
 * One datagram of an input channel, little-endian:
 *
 *   0   u8   0x49
 *   1   u8   version, 1
 *   2   u8   words of one tick's input, 1 at least
 *   3   u8   ticks whose inputs follow
 *   4   u32  match
 *   8   u32  acknowledgement: the first tick of the receiver's inputs that is not here yet
 *   12  u32  the first tick whose input follows
 *   16       the inputs, tick by tick, u32 each word
 *   end u32  lower half of the 64-bit FNV-1a of all bytes before
 */

/** Bytes before the inputs. */
const HEADER_BYTES = 16;

/** Bytes of a packet beside its inputs. */
export const PACKET_OVERHEAD_BYTES: number = HEADER_BYTES + 4;

const MAGIC = 0x49;
const VERSION = 1;

const hash = new Fnv64();

function checksum(bytes: Uint8Array, end: number): number {
  hash.reset();
  hash.bytes(bytes, 0, end);
  return hash.low;
}

/** The fixed part of a packet that came. One is kept and filled again and again. */
export class InputPacket {
  /** The u32 members: match, acknowledgement, first tick. */
  readonly #words: Uint32Array = new Uint32Array(3);
  count = 0;

  /** The match that the packet belongs to. */
  get match(): number {
    return this.#words[0] as number;
  }

  /** The first tick of the receiver's inputs that the sender does not have. */
  get ackTick(): number {
    return this.#words[1] as number;
  }

  /** The first tick whose input is in the packet. */
  get firstTick(): number {
    return this.#words[2] as number;
  }

  /** Reads a packet of inputs of `wordsPerTick`; says what is wrong with it, if anything is. */
  read(bytes: Uint8Array, wordsPerTick: number): 'ok' | 'malformed' | 'corrupt' {
    const { length } = bytes;
    if (length < PACKET_OVERHEAD_BYTES) return 'malformed';
    if (bytes[0] !== MAGIC || bytes[1] !== VERSION || bytes[2] !== wordsPerTick) return 'malformed';
    const count = bytes[3] as number;
    if (length !== PACKET_OVERHEAD_BYTES + count * wordsPerTick * 4) return 'malformed';
    if (getU32(bytes, length - 4) !== checksum(bytes, length - 4)) return 'corrupt';
    this.count = count;
    for (let word = 0; word < 3; word++) this.#words[word] = getU32(bytes, 4 + 4 * word);
    return 'ok';
  }
}

/** Writes the fixed part of a packet, whose inputs are written already. Returns its length. */
export function sealPacket(
  bytes: Uint8Array,
  wordsPerTick: number,
  count: number,
  match: number,
  ackTick: number,
  firstTick: number,
): number {
  bytes[0] = MAGIC;
  bytes[1] = VERSION;
  bytes[2] = wordsPerTick;
  bytes[3] = count;
  putU32(bytes, 4, match);
  putU32(bytes, 8, ackTick);
  putU32(bytes, 12, firstTick);
  const end = HEADER_BYTES + count * wordsPerTick * 4;
  putU32(bytes, end, checksum(bytes, end));
  return end + 4;
}

/** Writes one tick's input as the `index`-th of a packet, from `words[begin]` on. */
export function writeInput(
  bytes: Uint8Array,
  index: number,
  words: Uint32Array,
  begin: number,
  wordsPerTick: number,
): void {
  const at = HEADER_BYTES + index * wordsPerTick * 4;
  for (let word = 0; word < wordsPerTick; word++) {
    putU32(bytes, at + 4 * word, words[begin + word] as number);
  }
}

/** Reads the `index`-th input of a packet into `words[begin]` and on. */
export function readInput(
  bytes: Uint8Array,
  index: number,
  words: Uint32Array,
  begin: number,
  wordsPerTick: number,
): void {
  const at = HEADER_BYTES + index * wordsPerTick * 4;
  for (let word = 0; word < wordsPerTick; word++) {
    words[begin + word] = getU32(bytes, at + 4 * word);
  }
}

/** Says whether the `index`-th input of a packet is what lies at `words[begin]` and on. */
export function isSameInput(
  bytes: Uint8Array,
  index: number,
  words: Uint32Array,
  begin: number,
  wordsPerTick: number,
): boolean {
  const at = HEADER_BYTES + index * wordsPerTick * 4;
  for (let word = 0; word < wordsPerTick; word++) {
    if (getU32(bytes, at + 4 * word) !== words[begin + word]) return false;
  }
  return true;
}

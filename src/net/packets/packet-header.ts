import { getU16, getU32, putU16, putU32 } from '../big-endian.ts';

/*
 * One packet, big-endian:
 *
 *   0   u32  0x534E504B
 *   4   u16  protocol, 1
 *   6   u16  schema, 1
 *   8   u8   kind, 1: a chunk of a group
 *   9   u32  group, 1 at least
 *   13  u16  chunk
 *   15  u16  chunks of the group
 *   17  u32  bytes of the group
 *   21  u32  bytes of the chunk, which follow
 */

/** The first nine bytes of every packet: magic, protocol, schema, kind. */
const IDENTITY: readonly number[] = [0x53, 0x4e, 0x50, 0x4b, 0, 1, 0, 1, 1];

/** The header of a packet that came. One is kept and filled again and again. */
export class PacketHeader {
  /** Members of up to 32 bits, which would be boxed as fields: group, its bytes, chunk's bytes. */
  readonly #words: Uint32Array = new Uint32Array(3);
  chunk = 0;
  chunkCount = 0;

  get groupId(): number {
    return this.#words[0] as number;
  }

  get groupBytes(): number {
    return this.#words[1] as number;
  }

  get chunkBytes(): number {
    return this.#words[2] as number;
  }

  /** Reads what follows the identity; the packet has a header's bytes at least. */
  read(packet: Uint8Array): void {
    this.#words[0] = getU32(packet, 9);
    this.chunk = getU16(packet, 13);
    this.chunkCount = getU16(packet, 15);
    this.#words[1] = getU32(packet, 17);
    this.#words[2] = getU32(packet, 21);
  }
}

/** Says whether a packet with a header's bytes at least is one of ours and of this version. */
export function hasPacketIdentity(packet: Uint8Array): boolean {
  for (let at = 0; at < IDENTITY.length; at++) {
    if (packet[at] !== IDENTITY[at]) return false;
  }
  return true;
}

/** Writes the header of a chunk at `at`. */
export function writePacketHeader(
  into: Uint8Array,
  at: number,
  groupId: number,
  chunk: number,
  chunkCount: number,
  groupBytes: number,
  chunkBytes: number,
): void {
  for (let i = 0; i < IDENTITY.length; i++) into[at + i] = IDENTITY[i] as number;
  putU32(into, at + 9, groupId);
  putU16(into, at + 13, chunk);
  putU16(into, at + 15, chunkCount);
  putU32(into, at + 17, groupBytes);
  putU32(into, at + 21, chunkBytes);
}

import { HEADER_BYTES } from '../../../src/net/wire/update-header.ts';

/** Where a header has counts and sequences, and what breaks arithmetic. */
const WORDS = [17, 21, 25, 29, 33, 37, 41];
const VALUES = [0, 1, 4, 5, 6, 7, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/** Writes 32 bits, most significant byte first. */
export function putWord(packet: Uint8Array, at: number, value: number): void {
  for (let index = 0; index < 4; index++) packet[at + index] = value >>> (24 - 8 * index);
}

/** Breaks a packet in a few of many ways, so that many of them get past the header. */
export function mutate(source: Uint8Array, chance: () => number): Uint8Array {
  let packet = source.slice();
  for (let left = 1 + (chance() % 3); left > 0; left--) {
    const at = packet.length === 0 ? 0 : chance() % packet.length;
    switch (chance() % 7) {
      case 0:
        packet[at] = chance();
        break;
      case 1:
        packet[at] = (packet[at] as number) ^ (1 << (chance() % 8));
        break;
      case 2:
        packet = packet.slice(0, at);
        break;
      case 3: {
        const longer = new Uint8Array(packet.length + (chance() % 9));
        longer.set(packet);
        packet = longer;
        break;
      }
      case 4:
        if (packet.length >= HEADER_BYTES)
          putWord(packet, WORDS[chance() % 7] as number, VALUES[chance() % 9] as number);
        break;
      case 5:
        packet.copyWithin(at, chance() % packet.length || 0, at + 8);
        break;
      default:
        for (let index = HEADER_BYTES; index < packet.length; index++) packet[index] = chance();
    }
  }
  if (packet.length >= HEADER_BYTES && chance() % 2 === 0)
    putWord(packet, 41, packet.length - HEADER_BYTES);
  return packet;
}

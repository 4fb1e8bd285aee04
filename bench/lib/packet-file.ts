import { readFileSync, writeFileSync } from 'node:fs';

/** Bytes before each packet: its length. */
const HEAD = 4;

/** Writes packets, one behind the other, each behind its length as a u32. */
export function writePackets(file: string, packets: readonly Uint8Array[]): void {
  const bytes = packets.reduce((sum, packet) => sum + HEAD + packet.byteLength, 0);
  const all = new Uint8Array(bytes);
  const view = new DataView(all.buffer);
  let at = 0;
  for (const packet of packets) {
    view.setUint32(at, packet.byteLength, true);
    all.set(packet, at + HEAD);
    at += HEAD + packet.byteLength;
  }
  writeFileSync(file, all);
}

/** Reads what `writePackets` wrote; each packet is the whole of a buffer of its own. */
export function readPackets(file: string): Uint8Array<ArrayBuffer>[] {
  const all = readFileSync(file);
  const packets: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < all.byteLength; ) {
    const end = at + HEAD + all.readUInt32LE(at);
    packets.push(Uint8Array.from(all.subarray(at + HEAD, end)));
    at = end;
  }
  return packets;
}

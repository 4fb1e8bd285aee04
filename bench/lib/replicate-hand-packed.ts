import type { HerdMotion, HerdState } from './herd-motion.ts';
import type { ReplicationDecoder, ReplicationEncoder } from './replicate-contender.ts';

/** Bytes of one entity: a u16 that says which, six f32, the hue. */
const STRIDE = 27;

/** Writes those that moved by a DataView, and nothing else: no type, no count, no tick. */
class HandPacker implements ReplicationEncoder {
  readonly output: Uint8Array;
  readonly #view: DataView;

  constructor(entities: number) {
    this.output = new Uint8Array(STRIDE * entities);
    this.#view = new DataView(this.output.buffer);
  }

  encode({ position, heading, hue, moved, movedCount }: HerdMotion): number {
    const view = this.#view;
    let at = 0;
    for (let k = 0; k < movedCount; k++) {
      const entity = moved[k] as number;
      const i = 3 * entity;
      view.setUint16(at, entity, true);
      view.setFloat32(at + 2, position[i] as number, true);
      view.setFloat32(at + 6, position[i + 1] as number, true);
      view.setFloat32(at + 10, position[i + 2] as number, true);
      view.setFloat32(at + 14, heading[i] as number, true);
      view.setFloat32(at + 18, heading[i + 1] as number, true);
      view.setFloat32(at + 22, heading[i + 2] as number, true);
      view.setUint8(at + 26, hue[entity] as number);
      at += STRIDE;
    }
    return at;
  }
}

function decode(packet: Uint8Array, { position, heading, hue }: HerdState): void {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  for (let at = 0; at < packet.byteLength; at += STRIDE) {
    const entity = view.getUint16(at, true);
    const i = 3 * entity;
    position[i] = view.getFloat32(at + 2, true);
    position[i + 1] = view.getFloat32(at + 6, true);
    position[i + 2] = view.getFloat32(at + 10, true);
    heading[i] = view.getFloat32(at + 14, true);
    heading[i + 1] = view.getFloat32(at + 18, true);
    heading[i + 2] = view.getFloat32(at + 22, true);
    hue[entity] = view.getUint8(at + 26);
  }
}

export function createEncoder(entities: number): ReplicationEncoder {
  return new HandPacker(entities);
}

export function createDecoder(): ReplicationDecoder {
  return { decode };
}

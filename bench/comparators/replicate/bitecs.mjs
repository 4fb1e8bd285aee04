import { createSoADeserializer, createSoASerializer } from 'bitecs/serialization';

/*
 * bitECS's serialiser of a structure of arrays, told which entities moved: without that its own
 * diff of everything takes some forty times as long and sends more.
 */

/** Bytes that are enough for one entity. */
const ROOM = 64;

function createStores(entities) {
  const vector = () => ({
    x: new Float32Array(entities),
    y: new Float32Array(entities),
    z: new Float32Array(entities),
  });
  return [vector(), vector(), { hue: new Uint8Array(entities) }];
}

export function createEncoder(entities) {
  const stores = createStores(entities);
  const [Position, Heading, Look] = stores;
  const serialize = createSoASerializer(stores, { buffer: new ArrayBuffer(ROOM * entities) });
  let movers = new Uint32Array(0);
  return {
    output: new Uint8Array(0),
    take({ position, heading, hue, moved, movedCount }) {
      movers = moved.subarray(0, movedCount);
      for (const entity of movers) {
        const at = 3 * entity;
        Position.x[entity] = position[at];
        Position.y[entity] = position[at + 1];
        Position.z[entity] = position[at + 2];
        Heading.x[entity] = heading[at];
        Heading.y[entity] = heading[at + 1];
        Heading.z[entity] = heading[at + 2];
        Look.hue[entity] = hue[entity];
      }
    },
    encode() {
      this.output = new Uint8Array(serialize(movers));
      return this.output.byteLength;
    },
  };
}

export function createDecoder(entities) {
  const stores = createStores(entities);
  const [Position, Heading, Look] = stores;
  const deserialize = createSoADeserializer(stores);
  return {
    decode(packet) {
      deserialize(packet.buffer);
    },
    show({ position, heading, hue }) {
      for (let entity = 0; entity < entities; entity++) {
        const at = 3 * entity;
        position[at] = Position.x[entity];
        position[at + 1] = Position.y[entity];
        position[at + 2] = Position.z[entity];
        heading[at] = Heading.x[entity];
        heading[at + 1] = Heading.y[entity];
        heading[at + 2] = Heading.z[entity];
      }
      hue.set(Look.hue);
    },
  };
}

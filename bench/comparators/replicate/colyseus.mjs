import { Decoder, Encoder, schema, t } from '@colyseus/schema';

/*
 * The state of a Colyseus room: setters note what changes, `encode` sends that. The whole state
 * goes out once, to a client that joins.
 */

/** Bytes that are enough for one entity. */
const ROOM = 64;

const Mover = schema(
  {
    x: t.float32(),
    y: t.float32(),
    z: t.float32(),
    hx: t.float32(),
    hy: t.float32(),
    hz: t.float32(),
    hue: t.uint8(),
  },
  'Mover',
);
const Herd = schema({ movers: t.array(Mover) }, 'Herd');

export function createEncoder(entities) {
  Encoder.BUFFER_SIZE = ROOM * entities + 1024;
  const state = new Herd();
  for (let i = 0; i < entities; i++) state.movers.push(new Mover());
  const movers = [...state.movers];
  const encoder = new Encoder(state);
  return {
    output: new Uint8Array(0),
    take({ position, heading, hue, moved, movedCount }) {
      for (let k = 0; k < movedCount; k++) {
        const entity = moved[k];
        const mover = movers[entity];
        const at = 3 * entity;
        mover.x = position[at];
        mover.y = position[at + 1];
        mover.z = position[at + 2];
        mover.hx = heading[at];
        mover.hy = heading[at + 1];
        mover.hz = heading[at + 2];
        mover.hue = hue[entity];
      }
    },
    encode({ tick }) {
      this.output = tick === 0 ? encoder.encodeAll() : encoder.encode();
      encoder.discardChanges();
      return this.output.byteLength;
    },
  };
}

export function createDecoder(entities) {
  const state = new Herd();
  const decoder = new Decoder(state);
  return {
    decode(packet) {
      decoder.decode(packet);
    },
    show({ position, heading, hue }) {
      const movers = [...state.movers];
      for (let entity = 0; entity < entities; entity++) {
        const mover = movers[entity];
        const at = 3 * entity;
        position[at] = mover.x;
        position[at + 1] = mover.y;
        position[at + 2] = mover.z;
        heading[at] = mover.hx;
        heading[at + 1] = mover.hy;
        heading[at + 2] = mover.hz;
        hue[entity] = mover.hue;
      }
    },
  };
}

import schema from '@geckos.io/typed-array-buffer-schema';

/*
 * The schema of geckos.io: centimetres in 16 bits, hundredths of a heading in 8. Its `toBuffer`
 * has changed the fields it was given, so they are written anew before each; its `fromBuffer`
 * breaks every later `toBuffer` of the process, so that the two must not meet in one.
 */

const { BufferSchema, Model, int8, int16, uint8, uint16 } = schema;

/** KiB that are enough for one entity. */
const ROOM_KIB = 16 / 1024;

function createModel(entities) {
  const metres = { type: int16, digits: 2 };
  const unit = { type: int8, digits: 2 };
  const mover = BufferSchema.schema('mover', {
    id: uint16,
    x: { ...metres },
    y: { ...metres },
    z: { ...metres },
    hx: { ...unit },
    hy: { ...unit },
    hz: { ...unit },
    hue: uint8,
  });
  const herd = BufferSchema.schema('herd', { movers: [mover] });
  return new Model(herd, Math.ceil(ROOM_KIB * entities) + 1);
}

export function createEncoder(entities) {
  const model = createModel(entities);
  const zeros = { x: 0, y: 0, z: 0, hx: 0, hy: 0, hz: 0, hue: 0 };
  const rows = Array.from({ length: entities }, (_, id) => ({ id, ...zeros }));
  const state = { movers: [] };
  return {
    output: new Uint8Array(0),
    take({ position, heading, hue, moved, movedCount }) {
      state.movers.length = 0;
      for (let k = 0; k < movedCount; k++) {
        const entity = moved[k];
        const row = rows[entity];
        const at = 3 * entity;
        row.id = entity;
        row.x = position[at];
        row.y = position[at + 1];
        row.z = position[at + 2];
        row.hx = heading[at];
        row.hy = heading[at + 1];
        row.hz = heading[at + 2];
        row.hue = hue[entity];
        state.movers.push(row);
      }
    },
    encode() {
      this.output = new Uint8Array(model.toBuffer(state));
      return this.output.byteLength;
    },
  };
}

export function createDecoder(entities) {
  const model = createModel(entities);
  return {
    decode(packet, { position, heading, hue }) {
      for (const row of model.fromBuffer(packet.buffer).movers) {
        const at = 3 * row.id;
        position[at] = row.x;
        position[at + 1] = row.y;
        position[at + 2] = row.z;
        heading[at] = row.hx;
        heading[at + 1] = row.hy;
        heading[at + 2] = row.hz;
        hue[row.id] = row.hue;
      }
    },
  };
}

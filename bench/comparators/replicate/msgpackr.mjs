import { FLOAT32_OPTIONS, Packr } from 'msgpackr';

/*
 * msgpackr with 32-bit floats. An entity is an array of its numbers: shorter on the wire than an
 * object, and than the library's own records.
 */

const options = { useFloat32: FLOAT32_OPTIONS.ALWAYS, useRecords: false };

export function createEncoder(entities) {
  const packr = new Packr(options);
  const rows = Array.from({ length: entities }, (_, id) => [id, 0, 0, 0, 0, 0, 0, 0]);
  const movers = [];
  return {
    output: new Uint8Array(0),
    take({ position, heading, hue, moved, movedCount }) {
      movers.length = 0;
      for (let k = 0; k < movedCount; k++) {
        const entity = moved[k];
        const row = rows[entity];
        for (let axis = 0; axis < 3; axis++) {
          row[1 + axis] = position[3 * entity + axis];
          row[4 + axis] = heading[3 * entity + axis];
        }
        row[7] = hue[entity];
        movers.push(row);
      }
    },
    encode() {
      this.output = packr.pack(movers);
      return this.output.byteLength;
    },
  };
}

export function createDecoder() {
  const packr = new Packr(options);
  return {
    decode(packet, { position, heading, hue }) {
      for (const row of packr.unpack(packet)) {
        const at = 3 * row[0];
        position[at] = row[1];
        position[at + 1] = row[2];
        position[at + 2] = row[3];
        heading[at] = row[4];
        heading[at + 1] = row[5];
        heading[at + 2] = row[6];
        hue[row[0]] = row[7];
      }
    },
  };
}

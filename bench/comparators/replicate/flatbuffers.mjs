import { Builder, ByteBuffer } from 'flatbuffers';

/*
 * What flatc makes of
 *   struct Mover { x: float; y: float; z: float; hx: float; hy: float; hz: float;
 *                  id: ushort; hue: ubyte; }
 *   table Herd { movers: [Mover]; }
 * less what nothing here calls. A builder fills its buffer from the back.
 */

const MOVER_BYTES = 28;
const FIRST_FIELD = 4;

function createMover(builder, x, y, z, hx, hy, hz, id, hue) {
  builder.prep(4, MOVER_BYTES);
  builder.pad(1);
  builder.writeInt8(hue);
  builder.writeInt16(id);
  builder.writeFloat32(hz);
  builder.writeFloat32(hy);
  builder.writeFloat32(hx);
  builder.writeFloat32(z);
  builder.writeFloat32(y);
  builder.writeFloat32(x);
  return builder.offset();
}

class Mover {
  bb = null;
  bb_pos = 0;

  __init(i, bb) {
    this.bb_pos = i;
    this.bb = bb;
    return this;
  }

  x() {
    return this.bb.readFloat32(this.bb_pos);
  }

  y() {
    return this.bb.readFloat32(this.bb_pos + 4);
  }

  z() {
    return this.bb.readFloat32(this.bb_pos + 8);
  }

  hx() {
    return this.bb.readFloat32(this.bb_pos + 12);
  }

  hy() {
    return this.bb.readFloat32(this.bb_pos + 16);
  }

  hz() {
    return this.bb.readFloat32(this.bb_pos + 20);
  }

  id() {
    return this.bb.readUint16(this.bb_pos + 24);
  }

  hue() {
    return this.bb.readUint8(this.bb_pos + 26);
  }
}

class Herd {
  bb = null;
  bb_pos = 0;

  static getRootAsHerd(bb) {
    const herd = new Herd();
    herd.bb_pos = bb.readInt32(bb.position()) + bb.position();
    herd.bb = bb;
    return herd;
  }

  movers(index, mover) {
    const offset = this.bb.__offset(this.bb_pos, FIRST_FIELD);
    const begin = this.bb.__vector(this.bb_pos + offset);
    return mover.__init(begin + index * MOVER_BYTES, this.bb);
  }

  moversLength() {
    const offset = this.bb.__offset(this.bb_pos, FIRST_FIELD);
    return offset === 0 ? 0 : this.bb.__vector_len(this.bb_pos + offset);
  }
}

export function createEncoder(entities) {
  const builder = new Builder(MOVER_BYTES * entities + 64);
  return {
    output: new Uint8Array(0),
    encode({ position, heading, hue, moved, movedCount }) {
      builder.clear();
      builder.startVector(MOVER_BYTES, movedCount, 4);
      for (let k = movedCount - 1; k >= 0; k--) {
        const entity = moved[k];
        const at = 3 * entity;
        createMover(
          builder,
          position[at],
          position[at + 1],
          position[at + 2],
          heading[at],
          heading[at + 1],
          heading[at + 2],
          entity,
          hue[entity],
        );
      }
      const movers = builder.endVector();
      builder.startObject(1);
      builder.addFieldOffset(0, movers, 0);
      builder.finish(builder.endObject());
      this.output = builder.asUint8Array();
      return this.output.byteLength;
    },
  };
}

export function createDecoder() {
  const mover = new Mover();
  return {
    decode(packet, { position, heading, hue }) {
      const herd = Herd.getRootAsHerd(new ByteBuffer(packet));
      const count = herd.moversLength();
      for (let k = 0; k < count; k++) {
        herd.movers(k, mover);
        const id = mover.id();
        const at = 3 * id;
        position[at] = mover.x();
        position[at + 1] = mover.y();
        position[at + 2] = mover.z();
        heading[at] = mover.hx();
        heading[at + 1] = mover.hy();
        heading[at + 2] = mover.hz();
        hue[id] = mover.hue();
      }
    },
  };
}

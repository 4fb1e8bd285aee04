import type { RecordShape } from '../record/record-shape.ts';

/** How a complete record lies on the wire. */
export type LayoutName =
  | 'raw'
  | 'quantized'
  | 'quantized-oct-heading'
  | 'bit-packed-quantized-oct-heading'
  | 'own'
  | 'bit-packed-own'
  | 'delta-packed-own'
  | 'entropy-fast-own'
  | 'entropy-strong-own';

const ID_BYTES = 4;

/**
 * Where the lanes of a record lie on the wire. A complete record is the id, u32, then its tokens:
 * each in whole bytes, or bit by bit, record behind record. In a record with a mask, the id and the
 * selector come first, and tokens are always in whole bytes.
 */
export class RecordLayout {
  readonly name: LayoutName;
  /** Bits of a complete record, with its id. */
  readonly recordBits: number;
  readonly laneCount: number;
  /** The bits that a token of each lane may have. */
  readonly laneMasks: Uint32Array;
  /** Bits that each lane takes in a complete record. */
  readonly slotBits: Uint8Array;
  /** Bytes of each lane where tokens lie in whole bytes. */
  readonly laneBytes: Uint8Array;
  /** The first lane of each field, and the count of lanes at the end. */
  readonly firstLanes: Uint32Array;
  /** Bytes of each field where tokens lie in whole bytes. */
  readonly fieldBytes: Uint32Array;
  /** Bytes of a selector: a bit for each field, and the top one. */
  readonly selectorBytes: 1 | 2 | 4;
  /** The selector of all fields of an entity that is not new: a bit for each. */
  readonly everyField: number;
  /** The selector of an entity that is new. */
  readonly spawnSelector: number;
  /** The least and the most bytes of a record with a mask. */
  readonly maskedBytesMin: number;
  readonly maskedBytesMax: number;

  constructor(shape: RecordShape, name: LayoutName, packsBits: boolean) {
    const bits = shape.lanes.map((lane) => lane.bits);
    const bytes = bits.map((count) => Math.ceil(count / 8));
    const fields = shape.fields.map(({ lane, codec }) =>
      sum(bytes.slice(lane, lane + codec.lanes.length)),
    );
    this.name = name;
    this.recordBits = 8 * ID_BYTES + (packsBits ? sum(bits) : 8 * sum(bytes));
    this.laneCount = bits.length;
    this.laneMasks = Uint32Array.from(bits, (count) => 2 ** count - 1);
    this.slotBits = Uint8Array.from(packsBits ? bits : bytes.map((count) => 8 * count));
    this.laneBytes = Uint8Array.from(bytes);
    this.firstLanes = Uint32Array.from([...shape.fields.map(({ lane }) => lane), bits.length]);
    this.fieldBytes = Uint32Array.from(fields);
    this.selectorBytes = fields.length < 8 ? 1 : fields.length < 16 ? 2 : 4;
    this.everyField = (2 ** fields.length - 1) | 0;
    this.spawnSelector = 2 ** (8 * this.selectorBytes - 1);
    this.maskedBytesMin = ID_BYTES + this.selectorBytes + Math.min(...fields);
    this.maskedBytesMax = ID_BYTES + this.selectorBytes + sum(fields);
  }

  /** Returns the bytes of `count` complete records; exact up to 2^53. */
  completeBytes(count: number): number {
    return Math.ceil((count * this.recordBits) / 8);
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

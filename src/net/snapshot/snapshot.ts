import { NetError } from '../net-error.ts';
import type { FieldColumn, FieldScalar } from '../record/field-codec.ts';
import type { FieldShape, RecordShape } from '../record/record-shape.ts';
import { checkSameRecord } from '../record/same-record.ts';
import { copyWords } from './copy-words.ts';
import type { Lineage } from './lineage.ts';

/** Two to the 32nd: what one of a tick's high word stands for. */
const WORD = 2 ** 32;

/**
 * A population at one tick, as a structure of arrays: ids in strictly ascending order and one
 * column for each field of the record. It grows when it must and never shrinks, so that one that is
 * reused allocates nothing.
 */
export class Snapshot {
  readonly shape: RecordShape;
  /** The upper and the lower 32 bits of the tick. */
  tickHigh = 0;
  tickLow = 0;
  /** Entities that are in it. */
  count = 0;
  /** Ids; only the first `count` count. Made anew by `reserve`. */
  ids: Uint32Array;
  /** The columns by field index; `width` numbers a row. Made anew by `reserve`. */
  columns: readonly FieldColumn[];
  /**
   * What it was copied whole from, or null. Whoever writes something else to it sets it to null;
   * so does a new tick.
   *
   * @internal
   */
  lineage: Lineage | null = null;
  /**
   * The load of the lineage that it is a copy of.
   *
   * @internal
   */
  lineageLoad = 0;

  constructor(shape: RecordShape, rows = 0) {
    this.shape = shape;
    this.ids = new Uint32Array(rows);
    this.columns = shape.fields.map(({ codec }) => makeColumn(codec.scalar, rows * codec.width));
  }

  /** The tick as a number; exact up to 2^53. Setting another throws VALUE_INVALID, `tick-range`. */
  get tick(): number {
    return this.tickHigh * WORD + this.tickLow;
  }

  set tick(tick: number) {
    if (!Number.isSafeInteger(tick) || tick < 0) refuseTick(tick);
    this.lineage = null;
    this.tickHigh = Math.floor(tick / WORD);
    this.tickLow = tick >>> 0;
  }

  /** Bytes of the memory that it holds, for the entities that it has room for. */
  get capacityBytes(): number {
    let bytes = this.ids.byteLength;
    for (let f = 0; f < this.columns.length; f++)
      bytes += (this.columns[f] as FieldColumn).bits.byteLength;
    return bytes;
  }

  /** Makes room for `rows` entities; keeps those that are there. */
  reserve(rows: number): void {
    // The closure below takes a context with every call of the function that it stands in.
    if (rows > this.ids.length) this.#grow(rows);
  }

  #grow(rows: number): void {
    const room = Math.max(rows, this.ids.length * 2, 16);
    const ids = new Uint32Array(room);
    ids.set(this.ids.subarray(0, this.count));
    this.ids = ids;
    this.columns = this.shape.fields.map(({ index, codec }) => {
      const column = makeColumn(codec.scalar, room * codec.width);
      const old = this.columns[index];
      if (old !== undefined) column.bits.set(old.bits.subarray(0, this.count * codec.width));
      return column;
    });
  }

  /** Empties it and sets its tick to 0. */
  clear(): void {
    this.tickHigh = 0;
    this.tickLow = 0;
    this.count = 0;
    this.lineage = null;
  }

  /**
   * Takes everything of another snapshot. Throws SNAPSHOT_INVALID, `shape-mismatch`, if it is of
   * another record.
   */
  copyFrom(other: Snapshot): void {
    checkSameRecord(this, other);
    const { count } = other;
    const { fields } = this.shape;
    this.count = 0;
    this.reserve(count);
    this.tickHigh = other.tickHigh;
    this.tickLow = other.tickLow;
    this.lineage = null;
    copyWords(other.ids, this.ids, count);
    for (let f = 0; f < fields.length; f++) {
      const from = (other.columns[f] as FieldColumn).bits;
      const words = count * (fields[f] as FieldShape).codec.width;
      copyWords(from, (this.columns[f] as FieldColumn).bits, words);
    }
    this.count = count;
  }

  /** Returns the row of an id, or -1. */
  indexOf(id: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.ids[middle] as number;
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}

function refuseTick(tick: number): never {
  throw new NetError('VALUE_INVALID', 'tick-range', 'That is no tick.', {
    given: String(tick),
    allowed: 'a whole number from 0 to 2^53 - 1',
    fix: 'Give the tick of the simulation; set tickHigh and tickLow for one beyond.',
  });
}

function makeColumn(scalar: FieldScalar, length: number): FieldColumn {
  const bits = new Uint32Array(length);
  switch (scalar) {
    case 'f32':
      return { values: new Float32Array(bits.buffer), bits };
    case 'i32':
      return { values: new Int32Array(bits.buffer), bits };
    case 'u32':
      return { values: bits, bits };
  }
}

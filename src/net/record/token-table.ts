import { assert } from '../../shared/assert.ts';
import type { ByteBuffer } from '../wire/byte-buffer.ts';

/** Writes records faster than a loop can, from a table that lies in its memory. */
export interface RecordPacker {
  /**
   * Writes packed records of the reference from byte `at` of the buffer on, which grows when it
   * must. Returns their end.
   */
  pack(rows: Uint32Array, count: number, out: ByteBuffer, at: number): number;
}

/**
 * The tokens of a population: one row an entity, in strictly ascending order of ids; one u32 for
 * each lane of the record in a row. It grows when it must and never shrinks, so that one that is
 * reused allocates nothing.
 */
export class TokenTable {
  readonly laneCount: number;
  count = 0;
  /** Ids of the rows. Longer than `count`; made anew by `reserve`. */
  ids: Uint32Array;
  /** Token of lane `l` of row `r` at `r * laneCount + l`. Made anew by `reserve`. */
  tokens: Uint32Array;
  /** What can write its rows, or null. */
  packer: RecordPacker | null = null;

  constructor(laneCount: number, rows = 0) {
    this.laneCount = laneCount;
    this.ids = new Uint32Array(rows);
    this.tokens = new Uint32Array(rows * laneCount);
  }

  /** Makes room for `rows` rows; keeps what is there. */
  reserve(rows: number): void {
    if (rows <= this.ids.length) return;
    const room = Math.max(rows, this.ids.length * 2, 16);
    const ids = new Uint32Array(room);
    ids.set(this.ids.subarray(0, this.count));
    const tokens = new Uint32Array(room * this.laneCount);
    tokens.set(this.tokens.subarray(0, this.count * this.laneCount));
    this.ids = ids;
    this.tokens = tokens;
  }

  /** Takes the rows of another table of as many lanes. */
  copyFrom(other: TokenTable): void {
    assert(other.laneCount === this.laneCount, 'both tables have the same lanes');
    this.count = 0;
    this.reserve(other.count);
    this.ids.set(other.ids.subarray(0, other.count));
    this.tokens.set(other.tokens.subarray(0, other.count * other.laneCount));
    this.count = other.count;
  }
}

import type { FieldColumn, FieldScalar } from '../record/field-codec.ts';
import type { FieldShape } from '../record/record-shape.ts';
import type { TokenTable } from '../record/token-table.ts';
import { gatherRows, listMarked, markListed, roomFor, scatterRows } from './columns.ts';

/**
 * Quantises the changed rows of one field: they are brought together, turned into tokens and back
 * in one go, and put in their places. A call for each of them would cost more than the work.
 */
export class FieldStage {
  readonly field: FieldShape;
  /** The rows that changed, ascending. */
  rows: Uint32Array = new Uint32Array(0);
  count = 0;
  readonly #lanes: number;
  #column: FieldColumn;
  #tokens: Uint32Array = new Uint32Array(0);

  constructor(field: FieldShape) {
    this.field = field;
    this.#lanes = field.codec.lanes.length;
    this.#column = makeColumn(field.codec.scalar, 0);
  }

  /** Lists the rows whose mask has the field's bit. */
  list(masks: Uint32Array, count: number): void {
    this.rows = roomFor(this.rows, count);
    this.count = listMarked(this.rows, masks, count, this.field.index);
  }

  /**
   * Takes the listed rows over from `now` to the canonical values and tokens, and sets the field's
   * bit in the masks of those whose canonical values change. Returns how many were clamped.
   */
  requantise(
    now: FieldColumn,
    canonical: FieldColumn,
    table: TokenTable,
    masks: Uint32Array,
  ): number {
    const { codec, lane } = this.field;
    const { width } = codec;
    const { rows, count } = this;
    if (count === 0) return 0;
    this.#reserve(count);
    const column = this.#column;
    const tokens = this.#tokens;
    const lanes = this.#lanes;
    gatherRows(column.bits, now.bits, width, rows, count);
    const clamped = codec.encode(column, 0, count, tokens, lanes, 0);
    codec.decode(tokens, lanes, 0, 0, count, column);
    markListed(masks, canonical.bits, column.bits, width, rows, count, this.field.index);
    scatterRows(canonical.bits, column.bits, width, rows, count, width, 0);
    scatterRows(table.tokens, tokens, lanes, rows, count, table.laneCount, lane);
    return clamped;
  }

  #reserve(count: number): void {
    const { codec } = this.field;
    if (count * codec.width > this.#column.bits.length)
      this.#column = makeColumn(codec.scalar, Math.max(16, count * 2) * codec.width);
    this.#tokens = roomFor(this.#tokens, count * this.#lanes);
  }
}

function makeColumn(scalar: FieldScalar, length: number): FieldColumn {
  const bits = new Uint32Array(length);
  if (scalar === 'f32') return { values: new Float32Array(bits.buffer), bits };
  if (scalar === 'i32') return { values: new Int32Array(bits.buffer), bits };
  return { values: bits, bits };
}

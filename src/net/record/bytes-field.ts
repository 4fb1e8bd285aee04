import type { FieldCodec, FieldColumn, LaneSpec } from './field-codec.ts';
import { checkWhole, type FieldSpec, fieldSpec } from './field-spec.ts';
import { bitsFor } from './integer-field.ts';

/** The longest that {@link bytes} can be. */
const LENGTH_MAX = 1024;

/**
 * Bytes up to a length: in a snapshot the length, then words of four bytes, the first byte in the
 * highest place; what is behind the length is zero. All of it is sent, whatever the length.
 */
class BytesCodec implements FieldCodec {
  readonly scalar = 'u32';
  readonly width: number;
  readonly lanes: readonly LaneSpec[];
  readonly #max: number;

  constructor(max: number) {
    const words = Math.ceil(max / 4);
    const data = Array.from({ length: words }, (_, word): LaneSpec => {
      return { kind: 'opaque', bits: 8 * Math.min(4, max - 4 * word) };
    });
    this.width = 1 + words;
    this.lanes = [{ kind: 'linear', bits: bitsFor(max + 1) }, ...data];
    this.#max = max;
  }

  encode(
    { bits }: FieldColumn,
    first: number,
    last: number,
    tokens: Uint32Array,
    stride: number,
    lane: number,
  ): number {
    const { width } = this;
    let clamped = 0;
    for (let row = first; row < last; row++) {
      const at = row * width;
      const out = row * stride + lane;
      const length = Math.min(bits[at] as number, this.#max);
      if (length !== bits[at]) clamped++;
      tokens[out] = length;
      for (let word = 0; word < width - 1; word++) {
        const value = keepBytes(bits[at + 1 + word] as number, length - 4 * word);
        tokens[out + 1 + word] = value >>> (32 - (this.lanes[word + 1] as LaneSpec).bits);
      }
    }
    return clamped;
  }

  decode(
    tokens: Uint32Array,
    stride: number,
    lane: number,
    first: number,
    last: number,
    { bits }: FieldColumn,
  ): void {
    const { width } = this;
    for (let row = first; row < last; row++) {
      const at = row * width;
      const from = row * stride + lane;
      bits[at] = tokens[from] as number;
      for (let lane = 1; lane < width; lane++) {
        bits[at + lane] =
          (tokens[from + lane] as number) << (32 - (this.lanes[lane] as LaneSpec).bits);
      }
    }
  }

  firstInvalid(
    tokens: Uint32Array,
    stride: number,
    lane: number,
    first: number,
    last: number,
  ): number {
    const { width } = this;
    for (let row = first; row < last; row++) {
      const from = row * stride + lane;
      const length = tokens[from] as number;
      if (length > this.#max) return row;
      for (let word = 0; word < width - 1; word++) {
        const shift = 32 - (this.lanes[word + 1] as LaneSpec).bits;
        const value = ((tokens[from + 1 + word] as number) << shift) >>> 0;
        if (keepBytes(value, length - 4 * word) !== value) return row;
      }
    }
    return -1;
  }
}

/** Returns the first `count` of the four bytes of a word; all from 4 on, none up to 0. */
function keepBytes(word: number, count: number): number {
  if (count >= 4) return word;
  return count <= 0 ? 0 : (word & (-1 << (8 * (4 - count)))) >>> 0;
}

/**
 * Declares up to `max` bytes, 1 to 1024. In a snapshot: its length, then the bytes four to a word;
 * `putBytes` and `getBytes` do that. Throws SCHEMA_INVALID.
 */
export function bytes(max: number): FieldSpec {
  checkWhole('field-length-invalid', 'The length of bytes()', max, 1, LENGTH_MAX);
  return fieldSpec('bytes', max, new BytesCodec(max));
}

/**
 * Writes the bytes of a row into a column of a {@link bytes} field of at most `max` bytes. Returns
 * how many were kept.
 */
export function putBytes(
  column: FieldColumn,
  max: number,
  row: number,
  source: Uint8Array,
): number {
  const width = 1 + Math.ceil(max / 4);
  const at = row * width;
  const length = Math.min(source.length, max);
  column.bits.fill(0, at, at + width);
  column.bits[at] = length;
  for (let index = 0; index < length; index++) {
    const word = at + 1 + (index >>> 2);
    column.bits[word] =
      (column.bits[word] as number) | ((source[index] as number) << shiftOf(index));
  }
  return length;
}

/**
 * Copies the bytes of a row out of a column of a {@link bytes} field of at most `max` bytes.
 * Returns their count; `out` must hold as many.
 */
export function getBytes(column: FieldColumn, max: number, row: number, out: Uint8Array): number {
  const at = row * (1 + Math.ceil(max / 4));
  const length = Math.min(column.bits[at] as number, max);
  for (let index = 0; index < length; index++) {
    out[index] = (column.bits[at + 1 + (index >>> 2)] as number) >>> shiftOf(index);
  }
  return length;
}

function shiftOf(index: number): number {
  return 24 - 8 * (index & 3);
}

import type { CodecForm, FieldCodec, FieldColumn, LaneSpec } from './field-codec.ts';
import { refuseNaN } from './field-spec.ts';

const EXPONENT = 0x7f80_0000;

/** Floats as they are: their 32 bits are their token. */
export class FloatCodec implements FieldCodec {
  readonly scalar = 'f32';
  readonly width: number;
  readonly lanes: readonly LaneSpec[];
  readonly form: CodecForm | undefined = { kind: 'words', max: 0xffff_ffff };

  constructor(width: number) {
    this.width = width;
    this.lanes = Array.from({ length: width }, () => ({ kind: 'opaque', bits: 32 }));
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
    for (let axis = 0; axis < width; axis++) {
      let out = first * stride + lane + axis;
      for (let at = first * width + axis; at < last * width; at += width, out += stride) {
        tokens[out] = bits[at] as number;
      }
    }
    return 0;
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
    for (let axis = 0; axis < width; axis++) {
      let from = first * stride + lane + axis;
      for (let at = first * width + axis; at < last * width; at += width, from += stride) {
        bits[at] = tokens[from] as number;
      }
    }
  }
}

/** As {@link FloatCodec}, for the fields of own records: only finite numbers go in or out. */
export class FiniteFloatCodec extends FloatCodec {
  override readonly form: undefined = undefined;

  override encode(
    column: FieldColumn,
    first: number,
    last: number,
    tokens: Uint32Array,
    stride: number,
    lane: number,
  ): number {
    const { width } = this;
    const { values } = column;
    super.encode(column, first, last, tokens, stride, lane);
    let clamped = 0;
    for (let at = first * width; at < last * width; at++) {
      const value = values[at] as number;
      if (value - value === 0) continue;
      const row = Math.floor(at / width);
      if (value !== value) refuseNaN(row);
      // The largest finite float of its sign.
      tokens[row * stride + lane + (at % width)] = value > 0 ? 0x7f7f_ffff : 0xff7f_ffff;
      clamped++;
    }
    return clamped;
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
      const at = row * stride + lane;
      for (let axis = 0; axis < width; axis++) {
        if (((tokens[at + axis] as number) & EXPONENT) === EXPONENT) return row;
      }
    }
    return -1;
  }
}

import type { CodecForm, FieldCodec, FieldColumn, FieldScalar, LaneSpec } from './field-codec.ts';
import type { LaneKind } from './lane.ts';

/**
 * Whole numbers from `min` to `max`, one a row; their token is how far they are from `min`, which
 * is 0 for unsigned ones.
 */
export class IntegerCodec implements FieldCodec {
  readonly scalar: FieldScalar;
  readonly width: number = 1;
  readonly lanes: readonly LaneSpec[];
  readonly form: CodecForm | undefined;
  readonly #min: number;
  readonly #max: number;
  readonly #span: number;

  constructor(scalar: 'i32' | 'u32', min: number, max: number, bits: number, kind: LaneKind) {
    this.scalar = scalar;
    this.lanes = [{ kind, bits }];
    // Through integer arithmetic: what a power gives is a double, and slower to compare with.
    this.#min = min | 0;
    this.#max = scalar === 'u32' ? max >>> 0 : max | 0;
    this.form = scalar === 'u32' ? { kind: 'words', max } : undefined;
    this.#span = (max - min) >>> 0;
  }

  encode(
    { values, bits }: FieldColumn,
    first: number,
    last: number,
    tokens: Uint32Array,
    stride: number,
    lane: number,
  ): number {
    // Kept apart: a loop that meets arrays of two kinds takes twice as long.
    if (this.scalar === 'u32') return this.#encodeUnsigned(bits, first, last, tokens, stride, lane);
    const min = this.#min;
    const max = this.#max;
    let clamped = 0;
    let out = first * stride + lane;
    for (let row = first; row < last; row++, out += stride) {
      let value = values[row] as number;
      if (value < min || value > max) {
        value = value < min ? min : max;
        clamped++;
      }
      tokens[out] = value - min;
    }
    return clamped;
  }

  decode(
    tokens: Uint32Array,
    stride: number,
    lane: number,
    first: number,
    last: number,
    { values }: FieldColumn,
  ): void {
    const min = this.#min;
    let at = first * stride + lane;
    for (let row = first; row < last; row++, at += stride) {
      values[row] = (tokens[at] as number) + min;
    }
  }

  #encodeUnsigned(
    values: Uint32Array,
    first: number,
    last: number,
    tokens: Uint32Array,
    stride: number,
    lane: number,
  ): number {
    const max = this.#max;
    let clamped = 0;
    let out = first * stride + lane;
    for (let row = first; row < last; row++, out += stride) {
      const value = values[row] as number;
      tokens[out] = value > max ? max : value;
      if (value > max) clamped++;
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
    const span = this.#span;
    let at = first * stride + lane;
    for (let row = first; row < last; row++, at += stride) {
      if ((tokens[at] as number) > span) return row;
    }
    return -1;
  }
}

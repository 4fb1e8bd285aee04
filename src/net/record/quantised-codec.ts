import type { CodecForm, FieldCodec, FieldColumn, LaneSpec } from './field-codec.ts';
import { refuseNaN } from './field-spec.ts';

/** What one number of a quantised field lies in. */
export interface QuantisedAxis {
  readonly min: number;
  readonly max: number;
  /** The token of `max`; that of `min` is 0. */
  readonly steps: number;
  readonly bits: number;
}

/**
 * Floats between bounds, as places on a line of equal steps. The arithmetic is in f32, rounded once
 * an operation: ((v - min) / (max - min)) clamped to 0..1, times the steps, halves away from zero.
 */
export class QuantisedCodec implements FieldCodec {
  readonly scalar = 'f32';
  readonly width: number;
  readonly lanes: readonly LaneSpec[];
  readonly form: CodecForm | undefined;
  /**
   * For each number: min, max, extent, steps. In an array of doubles none of them is ever boxed.
   */
  readonly #axes: Float64Array;

  constructor(axes: readonly QuantisedAxis[]) {
    this.width = axes.length;
    this.lanes = axes.map(({ bits }) => ({ kind: 'linear', bits }));
    this.#axes = Float64Array.from(
      axes.flatMap(({ min, max, steps }) => {
        const [low, high] = [Math.fround(min), Math.fround(max)];
        return [low, high, Math.fround(high - low), steps];
      }),
    );
    // Beyond f32 an extent makes NaN of values, whose bits are the engine's own.
    const isFinite = this.#axes.every((number) => Math.abs(number) < Number.POSITIVE_INFINITY);
    this.form = isFinite ? { kind: 'linear', axes: this.#axes } : undefined;
  }

  encode(
    column: FieldColumn,
    first: number,
    last: number,
    tokens: Uint32Array,
    stride: number,
    lane: number,
  ): number {
    const { width } = this;
    const axes = this.#axes;
    const values = column.values as Float32Array;
    let clamped = 0;
    for (let index = 0; index < width; index++) {
      const min = axes[4 * index] as number;
      const max = axes[4 * index + 1] as number;
      const extent = axes[4 * index + 2] as number;
      const steps = axes[4 * index + 3] as number;
      const end = last * width;
      let out = first * stride + lane + index;
      for (let at = first * width + index; at < end; at += width, out += stride) {
        const value = values[at] as number;
        let share = Math.fround(Math.fround(value - min) / extent);
        if (!(value >= min && value <= max)) {
          if (value !== value) refuseNaN((at - index) / width);
          share = value > min ? 1 : 0;
          clamped++;
        }
        // An extent beyond f32 makes NaN of it, which is 0; a share of an extent is 1 at most.
        tokens[out] = Math.fround(share * steps) + 0.5;
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
    column: FieldColumn,
  ): void {
    const { width } = this;
    const axes = this.#axes;
    const values = column.values as Float32Array;
    for (let index = 0; index < width; index++) {
      const min = axes[4 * index] as number;
      const extent = axes[4 * index + 2] as number;
      const steps = axes[4 * index + 3] as number;
      const end = last * width;
      let from = first * stride + lane + index;
      for (let at = first * width + index; at < end; at += width, from += stride) {
        const share = Math.fround((tokens[from] as number) / steps);
        values[at] = min + Math.fround(share * extent);
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
    for (let index = 0; index < width; index++) {
      const steps = this.#axes[4 * index + 3] as number;
      let at = first * stride + lane + index;
      for (let row = first; row < last; row++, at += stride) {
        if ((tokens[at] as number) > steps) return row;
      }
    }
    return -1;
  }
}

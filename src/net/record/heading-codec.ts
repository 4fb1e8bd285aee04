import type { FieldCodec, FieldColumn, LaneSpec } from './field-codec.ts';

const SCALE = 32_767;

/**
 * Directions as three numbers of 16 bits, two's complement, for the reference record without
 * octahedral headings. What comes out is normalised; zero becomes +x.
 */
export class HeadingCodec implements FieldCodec {
  readonly scalar = 'f32';
  readonly width = 3;
  readonly lanes: readonly LaneSpec[] = Array.from({ length: 3 }, () => ({
    kind: 'circular',
    bits: 16,
  }));

  encode(
    column: FieldColumn,
    first: number,
    last: number,
    tokens: Uint32Array,
    stride: number,
    lane: number,
  ): number {
    const values = column.values as Float32Array;
    for (let axis = 0; axis < 3; axis++) {
      let out = first * stride + lane + axis;
      for (let at = first * 3 + axis; at < last * 3; at += 3, out += stride) {
        const value = values[at] as number;
        const share = value > -1 ? (value < 1 ? value : 1) : -1;
        const place = Math.fround(share * SCALE);
        // Halves away from zero; a conversion to an integer cuts towards it, and -0 becomes 0.
        tokens[out] = (place + (place < 0 ? -0.5 : 0.5)) & 0xffff;
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
    column: FieldColumn,
  ): void {
    const values = column.values as Float32Array;
    let from = first * stride + lane;
    let at = first * 3;
    for (let row = first; row < last; row++, from += stride, at += 3) {
      const x = Math.fround((((tokens[from] as number) << 16) >> 16) / SCALE);
      const y = Math.fround((((tokens[from + 1] as number) << 16) >> 16) / SCALE);
      const z = Math.fround((((tokens[from + 2] as number) << 16) >> 16) / SCALE);
      const length = Math.fround(
        Math.sqrt(
          Math.fround(Math.fround(Math.fround(x * x) + Math.fround(y * y)) + Math.fround(z * z)),
        ),
      );
      values[at] = length > 0 ? x / length : 1;
      values[at + 1] = length > 0 ? y / length : 0;
      values[at + 2] = length > 0 ? z / length : 0;
    }
  }
}

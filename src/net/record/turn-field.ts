import type { FieldCodec, FieldColumn, LaneSpec } from './field-codec.ts';
import { checkWhole, type FieldSpec, fieldFault, fieldSpec, refuseNaN } from './field-spec.ts';

/** A full turn in radians. */
const TURN = 6.283185307179586;

/** How finely an angle is told. */
export interface TurnOptions {
  /** 1 to 20: 2^bits places on the circle. */
  readonly bits: number;
  /** A full turn in its unit: radians by default, 360 for degrees, 65536 for a 16-bit yaw. */
  readonly period?: number;
  /** Angles of one entity, 1 to 4; 1 by default. */
  readonly width?: 1 | 2 | 3 | 4;
}

/** Angles as places on a circle; what comes out is from 0 up to, not including, a full turn. */
class TurnCodec implements FieldCodec {
  readonly scalar = 'f32';
  readonly width: number;
  readonly lanes: readonly LaneSpec[];
  readonly #places: number;
  readonly #period: number;

  constructor(width: number, bits: number, period: number) {
    this.width = width;
    this.lanes = Array.from({ length: width }, () => ({ kind: 'circular', bits }));
    this.#places = 2 ** bits;
    this.#period = period;
  }

  encode(
    column: FieldColumn,
    first: number,
    last: number,
    tokens: Uint32Array,
    stride: number,
    lane: number,
  ): number {
    const values = column.values as Float32Array;
    const width = this.width;
    const places = this.#places;
    const period = this.#period;
    for (let axis = 0; axis < width; axis++) {
      let out = first * stride + lane + axis;
      for (let row = first; row < last; row++, out += stride) {
        const turns = (values[row * width + axis] as number) / period;
        const part = turns - Math.floor(turns);
        if (part !== part) refuseNaN(row);
        tokens[out] = Math.floor(part * places + 0.5) & (places - 1);
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
    const width = this.width;
    const place = this.#period / this.#places;
    for (let axis = 0; axis < width; axis++) {
      let from = first * stride + lane + axis;
      for (let row = first; row < last; row++, from += stride) {
        values[row * width + axis] = (tokens[from] as number) * place;
      }
    }
  }
}

/**
 * Declares angles. Any finite number of turns is taken; an angle comes out from 0 up to, not
 * including, a full turn, with an error of at most half a place. NaN and infinity are refused.
 * Throws SCHEMA_INVALID.
 */
export function turn(options: TurnOptions): FieldSpec {
  const { bits, period = TURN, width = 1 } = options;
  checkWhole('field-bits-invalid', 'The bits of turn()', bits, 1, 20);
  checkWhole('field-width-invalid', 'The width of turn()', width, 1, 4);
  if (!(period >= 1e-6 && period <= 1e9)) {
    const allowed = 'a full turn in its unit, from 1e-6 to 1e9';
    const fix = 'Leave it out for radians, or give 360 for degrees.';
    throw fieldFault('field-period-invalid', 'There is no such full turn.', period, allowed, fix);
  }
  const codec = new TurnCodec(width, bits, period);
  return fieldSpec('turn', { bits, period, width }, codec, 'finite', 'circular', period);
}

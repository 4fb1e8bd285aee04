import type { LaneKind } from './lane.ts';

/** How the numbers of a field are held in a snapshot: always 32 bits each. */
export type FieldScalar = 'f32' | 'i32' | 'u32';

/** What a lane is, before it has a place in a record. */
export interface LaneSpec {
  readonly kind: LaneKind;
  /** 1 to 32. */
  readonly bits: number;
}

/**
 * The values of one field for a population: `width` numbers for each row. Two views of the same
 * memory, so that bits can be compared and copied whatever the scalar is.
 */
export interface FieldColumn {
  /** The numbers as they are. */
  readonly values: Float32Array | Int32Array | Uint32Array;
  /** The same memory as bits. */
  readonly bits: Uint32Array;
}

/**
 * What a codec does, where a kernel can do the same.
 *
 * - `words`: each number is its token, but at most `max`, unsigned.
 * - `linear`: floats between bounds; min, max, extent and steps of each number.
 * - `octahedral`: directions, as two tokens of `bits` bits.
 */
export type CodecForm =
  | { readonly kind: 'words'; readonly max: number }
  | { readonly kind: 'linear'; readonly axes: Float64Array }
  | { readonly kind: 'octahedral'; readonly bits: number; readonly keepsRim: boolean };

/**
 * Turns the values of one field into tokens and back, for many rows at once. Both ways are pure:
 * the same bits in give the same bits out, on every engine. `decode` after `encode` gives the
 * canonical values, and `encode` of canonical values gives their tokens again.
 */
export interface FieldCodec {
  readonly scalar: FieldScalar;
  /** Numbers of one row in a snapshot. */
  readonly width: number;
  /** Tokens of one row. */
  readonly lanes: readonly LaneSpec[];
  /** Absent: there is no kernel for it. */
  readonly form?: CodecForm | undefined;
  /**
   * Writes the tokens of rows `first` to `last - 1`; the token of lane `l` of row `r` goes to
   * `tokens[r * stride + lane + l]`. Returns how many values lay outside of what the field can hold
   * and were clamped.
   */
  encode(
    column: FieldColumn,
    first: number,
    last: number,
    tokens: Uint32Array,
    stride: number,
    lane: number,
  ): number;
  /** Writes the canonical values of rows `first` to `last - 1`, from tokens placed as above. */
  decode(
    tokens: Uint32Array,
    stride: number,
    lane: number,
    first: number,
    last: number,
    column: FieldColumn,
  ): void;
  /**
   * Returns the first of rows `first` to `last - 1` whose tokens `encode` never gives, or -1.
   * Absent: it gives all of them, or others check the values.
   */
  firstInvalid?(
    tokens: Uint32Array,
    stride: number,
    lane: number,
    first: number,
    last: number,
  ): number;
}

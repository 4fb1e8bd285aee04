import type { CodecForm, FieldCodec, FieldColumn, LaneSpec } from './field-codec.ts';
import { refuseNaN } from './field-spec.ts';

/**
 * Directions as a point on an octahedron that is unfolded to a square: two numbers of `bits` bits,
 * two's complement, of which the least is never used. A direction need not be of length 1; zero is
 * taken for +x and counted. The arithmetic is in f32, rounded once an operation.
 *
 * On the rim of the square two tokens are one direction. The reference record keeps either, as its
 * bytes are given; own records keep one, so that equal directions have equal tokens.
 */
export class OctahedralCodec implements FieldCodec {
  readonly scalar = 'f32';
  readonly width = 3;
  readonly lanes: readonly LaneSpec[];
  readonly form: CodecForm;
  readonly #bits: number;
  readonly #scale: number;
  readonly #keepsRim: boolean;

  constructor(bits: number, keepsRim: boolean) {
    this.lanes = [
      { kind: 'circular', bits },
      { kind: 'circular', bits },
    ];
    this.#bits = bits;
    this.#scale = (1 << (bits - 1)) - 1;
    this.#keepsRim = keepsRim;
    this.form = { kind: 'octahedral', bits, keepsRim };
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
    const signs = column.bits;
    const scale = this.#scale;
    const mask = (1 << this.#bits) - 1;
    const keepsRim = this.#keepsRim;
    let zeros = 0;
    let out = first * stride + lane;
    let at = first * 3;
    for (let row = first; row < last; row++, out += stride, at += 3) {
      let x = Math.abs(values[at] as number);
      let y = Math.abs(values[at + 1] as number);
      let z = Math.abs(values[at + 2] as number);
      let square = Math.fround(
        Math.fround(Math.fround(x * x) + Math.fround(y * y)) + Math.fround(z * z),
      );
      if (!(square > 0 && square < Infinity)) {
        const size = Math.max(x, y, z);
        if (size - size !== 0) refuseNaN(row);
        // The reference takes what is too short for f32 for zero as well.
        const isZero = size === 0 || (keepsRim && square === 0);
        if (isZero) zeros++;
        // What f32 cannot square is far too long or far too short; without a length it is +x.
        x = isZero ? 1 : x / size;
        y = isZero ? 0 : y / size;
        z = isZero ? 0 : z / size;
        square = x * x + y * y + z * z;
      }
      // By magnitudes and masks of signs, which are -1 for below 0: signs are as good as random,
      // and a branch that is guessed wrong costs more than all the arithmetic.
      const length = Math.fround(Math.sqrt(square));
      x = Math.fround(x / length);
      y = Math.fround(y / length);
      z = Math.fround(z / length);
      const inverse = Math.fround(1 / Math.fround(Math.fround(x + y) + z));
      x = Math.fround(x * inverse);
      y = Math.fround(y * inverse);
      const below = belowZero(signs[at + 2] as number);
      const a = (Math.fround(x * scale) + 0.5) | 0;
      const b = (Math.fround(y * scale) + 0.5) | 0;
      const u = a ^ ((a ^ ((Math.fround(Math.fround(1 - y) * scale) + 0.5) | 0)) & below);
      const v = b ^ ((b ^ ((Math.fround(Math.fround(1 - x) * scale) + 0.5) | 0)) & below);
      const signX = belowZero(signs[at] as number);
      const signY = belowZero(signs[at + 1] as number);
      const isRim = !keepsRim && (u === scale || v === scale);
      tokens[out] = ((u ^ signX) - signX) & mask;
      tokens[out + 1] = ((v ^ signY) - signY) & mask;
      if (isRim) this.#keepOne(u, v, tokens, out);
    }
    return zeros;
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
    const scale = this.#scale;
    const shift = 32 - this.#bits;
    let from = first * stride + lane;
    let at = first * 3;
    for (let row = first; row < last; row++, from += stride, at += 3) {
      const a = ((tokens[from] as number) << shift) >> shift;
      const b = ((tokens[from + 1] as number) << shift) >> shift;
      const signX = a >> 31;
      const signY = b >> 31;
      const u = (a ^ signX) - signX;
      const v = (b ^ signY) - signY;
      const x = Math.fround(u / scale);
      const y = Math.fround(v / scale);
      const z = Math.fround(Math.fround(1 - x) - y);
      // 1 for below the square, else 0; on its border the rounding of z decides.
      const below = u + v === scale ? (z < 0 ? 1 : 0) : (scale - u - v) >>> 31;
      const magnitudeX = x * (1 - below) + Math.fround(1 - y) * below;
      const magnitudeY = y * (1 - below) + Math.fround(1 - x) * below;
      const squareXY = Math.fround(
        Math.fround(magnitudeX * magnitudeX) + Math.fround(magnitudeY * magnitudeY),
      );
      // Never 0: of the three, one is at least a third.
      const length = Math.fround(Math.sqrt(Math.fround(squareXY + Math.fround(z * z))));
      values[at] = ((1 + 2 * signX) * magnitudeX) / length;
      values[at + 1] = ((1 + 2 * signY) * magnitudeY) / length;
      values[at + 2] = z / length;
    }
  }

  /** Of two tokens that are one direction, keeps that with no number below 0 where it may. */
  #keepOne(u: number, v: number, tokens: Uint32Array, out: number): void {
    if (u === this.#scale) tokens[out + 1] = v;
    if (v === this.#scale) tokens[out] = u;
  }
}

/** Returns -1 for the bits of a float below 0, else 0; it is 0 for -0. */
function belowZero(bits: number): number {
  return (bits >> 31) & (-(bits & 0x7fff_ffff) >> 31);
}

/** As {@link OctahedralCodec} for own records, whose reader refuses tokens that are never given. */
export class StrictOctahedralCodec extends OctahedralCodec {
  readonly #shift: number;
  readonly #rim: number;

  constructor(bits: number) {
    super(bits, false);
    this.#shift = 32 - bits;
    this.#rim = (1 << (bits - 1)) - 1;
  }

  firstInvalid(
    tokens: Uint32Array,
    stride: number,
    lane: number,
    first: number,
    last: number,
  ): number {
    const shift = this.#shift;
    const rim = this.#rim;
    let at = first * stride + lane;
    for (let row = first; row < last; row++, at += stride) {
      const a = ((tokens[at] as number) << shift) >> shift;
      const b = ((tokens[at + 1] as number) << shift) >> shift;
      if (a < -rim || b < -rim) return row;
      if ((Math.abs(a) === rim && b < 0) || (Math.abs(b) === rim && a < 0)) return row;
    }
    return -1;
  }
}

import type { FieldCodec, FieldColumn, LaneSpec } from './field-codec.ts';
import { checkWhole, type FieldSpec, fieldSpec, refuseNaN } from './field-spec.ts';

/** The largest that a component of a unit quaternion can be when another is as large. */
const HALF_ROOT = Math.SQRT1_2;

/**
 * Where two components are nearly as large, encoding may go round in a circle of at most as many.
 */
const CIRCLE_MAX = 4;

/**
 * Unit quaternions (x, y, z, w) by their smallest three components: the place of the largest, and
 * the others in two's complement, from -1/sqrt(2) to 1/sqrt(2), with exact zeros. q and -q are the
 * same turn and have the same tokens; what comes out has its largest component positive.
 */
class OrientationCodec implements FieldCodec {
  readonly scalar = 'f32';
  readonly width = 4;
  readonly lanes: readonly LaneSpec[];
  readonly #scale: number;
  readonly #shift: number;
  /** One quaternion at work. */
  readonly #now: Float32Array = new Float32Array(4);
  /** The place of the largest component, then the codes of the others. */
  readonly #codes: Int32Array = new Int32Array(4);
  readonly #least: Int32Array = new Int32Array(4);

  constructor(bits: number) {
    const code: LaneSpec = { kind: 'circular', bits };
    this.lanes = [{ kind: 'category', bits: 2 }, code, code, code];
    this.#scale = 2 ** (bits - 1) - 1;
    this.#shift = 32 - bits;
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
    const now = this.#now;
    const codes = this.#codes;
    const mask = 0xffff_ffff >>> this.#shift;
    let zeros = 0;
    let out = first * stride + lane;
    for (let row = first; row < last; row++, out += stride) {
      for (let i = 0; i < 4; i++) now[i] = values[row * 4 + i] as number;
      if (this.#takeCodes(row)) zeros++;
      if (this.#isOnEdge()) this.#settle(row);
      tokens[out] = codes[0] as number;
      tokens[out + 1] = (codes[1] as number) & mask;
      tokens[out + 2] = (codes[2] as number) & mask;
      tokens[out + 3] = (codes[3] as number) & mask;
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
    let from = first * stride + lane;
    for (let row = first; row < last; row++, from += stride) {
      this.#read(tokens, from);
      this.#giveBack(values, row * 4);
    }
  }

  firstInvalid(
    tokens: Uint32Array,
    stride: number,
    lane: number,
    first: number,
    last: number,
  ): number {
    const scale = this.#scale;
    const codes = this.#codes;
    const most = 2 * scale * scale;
    let at = first * stride + lane;
    for (let row = first; row < last; row++, at += stride) {
      this.#read(tokens, at);
      const a = codes[1] as number;
      const b = codes[2] as number;
      const c = codes[3] as number;
      if (Math.min(a, b, c) < -scale) return row;
      // Together they are longer than a whole quaternion.
      if (a * a + b * b + c * c > most) return row;
    }
    return -1;
  }

  #read(tokens: Uint32Array, from: number): void {
    const codes = this.#codes;
    const shift = this.#shift;
    codes[0] = tokens[from] as number;
    codes[1] = ((tokens[from + 1] as number) << shift) >> shift;
    codes[2] = ((tokens[from + 2] as number) << shift) >> shift;
    codes[3] = ((tokens[from + 3] as number) << shift) >> shift;
  }

  /** Turns the quaternion at work into codes. Returns true for zero, which is no turn. */
  #takeCodes(row: number): boolean {
    const now = this.#now;
    const codes = this.#codes;
    let largest = 0;
    for (let i = 1; i < 4; i++) {
      if (Math.abs(now[i] as number) > Math.abs(now[largest] as number)) largest = i;
    }
    let square = 0;
    for (let i = 0; i < 4; i++) square += (now[i] as number) * (now[i] as number);
    if (!(square < Infinity)) refuseNaN(row);
    if (square === 0) largest = 3;
    const sign = (now[largest] as number) < 0 ? -1 : 1;
    const by = square === 0 ? 0 : (sign * this.#scale) / (Math.sqrt(square) * HALF_ROOT);
    codes[0] = largest;
    for (let i = 0, code = 1; i < 4; i++) {
      if (i === largest) continue;
      const place = (now[i] as number) * by;
      const held =
        place > -this.#scale ? (place < this.#scale ? place : this.#scale) : -this.#scale;
      codes[code++] = held + (held < 0 ? -0.5 : 0.5);
    }
    return square === 0;
  }

  /** Says whether what comes out may have its largest component elsewhere. */
  #isOnEdge(): boolean {
    const codes = this.#codes;
    const a = Math.abs(codes[1] as number);
    const b = Math.abs(codes[2] as number);
    const c = Math.abs(codes[3] as number);
    const second = Math.max(a, b, c) + 1;
    const square = 2 * this.#scale * this.#scale - (a * a + b * b + c * c);
    return second * second >= square;
  }

  /**
   * Sends the quaternion through again until its codes stay or come back, and keeps the least of
   * those that do: what comes out must have the same tokens when it goes in again.
   */
  #settle(row: number): void {
    const codes = this.#codes;
    const least = this.#least;
    for (let turn = 0; turn < 2 * CIRCLE_MAX; turn++) {
      this.#giveBack(this.#now, 0);
      this.#takeCodes(row);
      if (turn >= CIRCLE_MAX && !isBelow(codes, least)) continue;
      for (let i = 0; i < 4; i++) least[i] = codes[i] as number;
    }
    for (let i = 0; i < 4; i++) codes[i] = least[i] as number;
  }

  /** Writes the quaternion of the codes. */
  #giveBack(out: Float32Array, at: number): void {
    const codes = this.#codes;
    const unit = HALF_ROOT / this.#scale;
    const largest = codes[0] as number;
    let rest = 1;
    for (let i = 0, code = 1; i < 4; i++) {
      if (i === largest) continue;
      const value = (codes[code++] as number) * unit;
      rest -= value * value;
      out[at + i] = value;
    }
    out[at + largest] = Math.sqrt(rest > 0 ? rest : 0);
  }
}

/** Says whether some codes come before others, by the first that differs. */
function isBelow(codes: Int32Array, others: Int32Array): boolean {
  for (let i = 0; i < 4; i++) {
    if (codes[i] !== others[i]) return (codes[i] as number) < (others[i] as number);
  }
  return false;
}

/**
 * Declares an orientation: a quaternion x, y, z, w, of which the smallest three components are
 * sent, with `bits` bits each, 3 to 16, and 2 bits for the place of the largest. Each is within
 * 2^-bits / 1.4 or so of the true one (0.0007 at 10 bits). It need not be of length 1; zero is sent
 * as no turn and counted. NaN and infinity are refused. Throws SCHEMA_INVALID.
 */
export function orientation(bits: number = 10): FieldSpec {
  checkWhole('field-bits-invalid', 'The bits of orientation()', bits, 3, 16);
  return fieldSpec('orientation', bits, new OrientationCodec(bits), 'finite', 'rotation');
}

import type { MixedBits } from './mixed-bits.ts';
import type { RangePort } from './range-port.ts';

/** Nodes of the decisions: upwards, downwards, sign, first and second bit below the top. */
const UP = 40;
const DOWN = 80;
const SIGN = 120;
const SECOND = 160;
const THIRD = 193;

const WHOLE_MOST = 0x3fff_ffff;

/** Returns a size that is not negative without its fraction; NaN is the greatest. */
export function toWhole(size: number): number {
  return size < WHOLE_MOST ? size | 0 : WHOLE_MOST;
}

/** Returns the class of a whole number below 2^30, half an octave each: 0 for 0, at most 31. */
export function sizeClass(whole: number): number {
  if (whole < 2) return whole;
  const bits = 32 - Math.clz32(whole);
  const found = 2 * bits - 2 + ((whole >>> (bits - 2)) & 1);
  return found > 31 ? 31 : found;
}

/**
 * Whole numbers with a sign, by mixed models: how many bits they have, told from an expected count
 * up or down, then the sign, then the two bits below the top; the rest goes as it is.
 */
export class ErrorBits {
  readonly #port: RangePort;
  readonly #mixed: MixedBits;

  constructor(port: RangePort, mixed: MixedBits) {
    this.#port = port;
    this.#mixed = mixed;
  }

  /**
   * Passes a number of at most `most` bits.
   *
   * @param expected - How many bits it is thought to have.
   * @param lean - 0 to 7: something that tells of the sign of small numbers.
   * @param set - The first of 64 sets of weights.
   */
  code(error: number, most: number, expected: number, lean: number, set: number): number {
    const mixed = this.#mixed;
    const size = Math.abs(error);
    const sized = 32 - Math.clz32(size);
    let length = expected < most ? expected : most - 1;
    if (mixed.bit(sized > length ? 1 : 0, length, set + (length & 15)) === 1) {
      length++;
      for (let step = 0; length < most; step++, length++) {
        const sets = set + 16 + (step & 7);
        if (mixed.bit(sized > length ? 1 : 0, UP + length, sets) === 0) break;
      }
    } else {
      for (let step = 0; length > 0; step++, length--) {
        const sets = set + 24 + (step & 7);
        if (mixed.bit(sized > length - 1 ? 1 : 0, DOWN + length, sets) === 1) break;
      }
    }
    if (length === 0) return 0;
    const signNode = SIGN + (length < 4 ? length * 8 + lean : 32 + (lean >> 2));
    const isNegative = mixed.bit(error < 0 ? 1 : 0, signNode, set + 32) === 1;
    let rest = length - 1;
    let passed = 1;
    if (rest > 0) {
      rest--;
      passed = 2 | mixed.bit((size >>> rest) & 1, SECOND + length, set + 33);
      if (rest > 0) {
        rest--;
        const node = THIRD + (length & 15) * 4 + (passed & 1);
        passed = (passed << 1) | mixed.bit((size >>> rest) & 1, node, set + 34);
      }
    }
    const low = this.#port.word(size & ((1 << rest) - 1), rest);
    const magnitude = (passed << rest) | low;
    return isNegative ? -magnitude | 0 : magnitude;
  }
}

/**
 * Two to the 16th: a tick is taken modulo a number in pieces of 16 bits, so that doubles are
 * exact.
 */
const HALF_WORD = 0x1_0000;

/** Returns a tick of two words modulo a whole number from 1 to 2^32 - 1. */
export function tickModulo(high: number, low: number, divisor: number): number {
  let rest = high % divisor;
  rest = (rest * HALF_WORD + (low >>> 16)) % divisor;
  return (rest * HALF_WORD + (low & 0xffff)) % divisor;
}

/** Says whether one tick is at or after another. */
export function reachesTick(
  high: number,
  low: number,
  otherHigh: number,
  otherLow: number,
): boolean {
  return high > otherHigh || (high === otherHigh && low >= otherLow);
}

/*
 * Logarithms to the bases 2 and 10 from exact steps alone, so that every engine returns the same
 * bits. `Math.log2` and `Math.log10` may differ between engines and between versions of one engine.
 *
 * exp.ts takes the natural logarithm in two parts, before it is rounded to a double, and multiplies
 * it by the inverse logarithm of the base in two parts. What is rounded here, once, is so near to
 * the logarithm that a whole one is hit exactly.
 */

import { BASE_10, BASE_2, evaluateLogarithm, work } from './exp.ts';

/**
 * Returns the logarithm of `x` to the base 2, the same bits on every engine: within 0.51 ulp, but
 * never at or above a whole number that the logarithm is below, which takes it to within 1 ulp.
 * Powers of two, subnormal ones too, give whole numbers, and `Math.floor(log2(x))` is the exponent
 * of every `x` above zero. Both zeros give -Infinity; what is below zero, and NaN, gives NaN.
 */
export function log2(x: number): number {
  work[0] = x;
  evaluateLogarithm(BASE_2);
  return (work[0] as number) + (work[1] as number);
}

/**
 * Returns the logarithm of `x` to the base 10, within 0.51 ulp, the same bits on every engine. The
 * doubles nearest to 10^-307, ..., 10^308 give whole numbers. Unlike `log2` it rounds up to a whole
 * number too: `log10(1e15 - 1)` is 15. Both zeros give -Infinity; what is below zero, and NaN,
 * gives NaN.
 */
export function log10(x: number): number {
  work[0] = x;
  evaluateLogarithm(BASE_10);
  return (work[0] as number) + (work[1] as number);
}

/*
 * Q16.16: a number is an int32 `raw` that stands for raw / 65536, from -32768 to 32767.99998.
 * Intermediates are whole doubles below 2^53, results are saturated, ties go to the even raw.
 */

/** The raw value of 1. */
export const FIXED_ONE = 65_536;
/** The largest raw value, 32767.99998. */
export const FIXED_MAX = 2_147_483_647;
/** The smallest raw value, -32768. */
export const FIXED_MIN = -2_147_483_648;

/** Returns the raw value nearest to `value`, ties to even, saturated; NaN gives 0. */
export function toFixed(value: number): number {
  // Exact: a power of two; what overflows saturates anyway.
  const scaled = value * FIXED_ONE;
  if (scaled >= FIXED_MAX) return FIXED_MAX;
  if (scaled <= FIXED_MIN) return FIXED_MIN;
  if (scaled !== scaled) return 0;
  const whole = Math.floor(scaled);
  return saturate(roundHalfEven(whole, scaled - whole));
}

/** Returns the number that `raw` stands for, exactly. */
export function fromFixed(raw: number): number {
  return raw / FIXED_ONE;
}

/**
 * Returns a + (b - a) * t, all raw: the product is exact and rounded once, ties to even, and only
 * the sum is saturated, so b - a never overflows. `t` 0 gives `a`, `t` 65536 gives `b`; beyond
 * those it extrapolates. Takes any three int32 values.
 */
export function lerpFixed(a: number, b: number, t: number): number {
  const span = b - a;
  // span * t has up to 64 bits: split t so that both products stay below 2^49.
  const tWhole = t >> 16;
  const part = span * (t & 0xffff);
  const partWhole = Math.floor(part / FIXED_ONE);
  const whole = span * tWhole + partWhole;
  return saturate(a + roundHalfEven(whole, part / FIXED_ONE - partWhole));
}

/** Rounds whole + fraction, fraction in [0, 1). */
function roundHalfEven(whole: number, fraction: number): number {
  if (fraction < 0.5) return whole;
  if (fraction > 0.5) return whole + 1;
  return whole % 2 === 0 ? whole : whole + 1;
}

function saturate(raw: number): number {
  if (raw > FIXED_MAX) return FIXED_MAX;
  // The `| 0` makes -0 a 0.
  return raw < FIXED_MIN ? FIXED_MIN : raw | 0;
}

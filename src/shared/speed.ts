import { RATE_HZ_MAX } from './due.ts';
import { createRational, nearestRational, type Rational } from './rational.ts';

/** The largest speed: world seconds a wall second. */
export const SPEED_MAX = 1000;

/** Bounds the denominator of a speed. */
export const SPEED_DENOMINATOR_MAX = 1000;

/**
 * Returns the nearest fraction to a speed, with a denominator up to 1000; 0/1 for a speed nearer to
 * 0 than to 1/1000. Returns undefined for what is no speed: negative, NaN, above 1000, or more than
 * 400,000 quanta a second.
 */
export function resolveSpeed(value: number, quantum: Rational): Rational | undefined {
  if (!(value >= 0 && value <= SPEED_MAX)) return undefined;
  const speed = nearestRational(value, SPEED_DENOMINATOR_MAX);
  const { numerator, denominator } = speed;
  const quantaEach = numerator * quantum.denominator;
  return quantaEach > RATE_HZ_MAX * denominator * quantum.numerator ? undefined : speed;
}

/** Returns ticks a wall second at a speed above 0, in lowest terms. */
export function effectiveRate(quantum: Rational, speed: Rational): Rational {
  return createRational(
    quantum.denominator * speed.numerator,
    quantum.numerator * speed.denominator,
  );
}

import { assert } from './assert.ts';
import { EscapementError } from './error.ts';

/**
 * A fraction of safe integers in lowest terms, the denominator positive. Quanta (seconds) and rates
 * (ticks a second) are positive; only a speed may be 0, as 0/1.
 */
export interface Rational {
  readonly numerator: number;
  readonly denominator: number;
}

/** How long one quantum is, said in exactly one of three ways. */
export type QuantumOptions =
  | {
      /** Ticks a second, 0.1 to 1000. */
      readonly tickRateHz: number;
      readonly fixedDt?: undefined;
      readonly quantum?: undefined;
    }
  | {
      /** Seconds a tick, 0.001 to 10. */
      readonly fixedDt: number;
      readonly tickRateHz?: undefined;
      readonly quantum?: undefined;
    }
  | {
      /** Seconds a tick as an exact fraction, 1/1000 to 10. */
      readonly quantum: Rational;
      readonly tickRateHz?: undefined;
      readonly fixedDt?: undefined;
    };

/** The largest numerator and denominator of a quantum. */
const QUANTUM_TERM_MAX = 1_000_000;

/**
 * The largest numerator of a quantum whose denominator has no factor in common with 10^9. Such a
 * factor raises the bound: see {@link checkQuantum}. A denominator of 1000 is a speed's largest,
 * and 9007 x 1000 x 10^9 is the last such product that is a safe integer.
 */
const QUANTUM_NUMERATOR_MAX = 9007;

/** How far a float may lie from the fraction it is taken for, relative to itself. */
const FLOAT_TOLERANCE = 1e-9;

const HINT =
  'Give `tickRateHz: 60`, `fixedDt: 0.01` or `quantum: { numerator: 1001, denominator: 60000 }`.';

/** Returns the greatest common divisor of two safe integers that are not negative. */
export function greatestCommonDivisor(a: number, b: number): number {
  let [large, small] = [a, b];
  while (small !== 0) [large, small] = [small, large % small];
  return large;
}

/**
 * Makes a fraction in lowest terms. Throws OPTION_INVALID unless both terms are safe integers above
 * 0.
 */
export function createRational(numerator: number, denominator: number): Rational {
  if (!isTerm(numerator) || !isTerm(denominator)) {
    throw new EscapementError('OPTION_INVALID', 'That is no fraction.', {
      given: `${String(numerator)}/${String(denominator)}`,
      allowed: 'a numerator and a denominator that are integers above 0',
      fix: 'Write 0.06 s as { numerator: 3, denominator: 50 }.',
    });
  }
  const divisor = greatestCommonDivisor(numerator, denominator);
  return Object.freeze({
    numerator: numerator / divisor,
    denominator: denominator / divisor,
  });
}

/**
 * Returns the fraction nearest to `value` whose denominator is at most `denominatorMax`; of two
 * that are equally near, the one with the smaller denominator. Exact for every double from 0 to
 * 2^53: the double is expanded as the continued fraction of the integers it is made of, so not for
 * hot paths. Source: best rational approximations, Khinchin, Continued Fractions, section 6.
 */
export function nearestRational(value: number, denominatorMax: number): Rational {
  assert(value >= 0 && value <= Number.MAX_SAFE_INTEGER, 'a value to approximate is in range');
  assert(isTerm(denominatorMax), 'a largest denominator is a positive integer');
  let whole = value;
  let scale = 1n;
  for (; !Number.isInteger(whole); whole *= 2) scale *= 2n;
  const max = BigInt(denominatorMax);
  let [numerator, denominator] = [BigInt(whole), scale];
  if (denominator <= max) return fraction(numerator, denominator);
  // Two convergents in turn: p0/q0 is the older, p1/q1 the newer.
  let [p0, q0, p1, q1] = [0n, 1n, 1n, 0n];
  for (;;) {
    const term = numerator / denominator;
    const q2 = q0 + term * q1;
    if (q2 > max) break;
    [p0, q0, p1, q1] = [p1, q1, p0 + term * p1, q2];
    [numerator, denominator] = [denominator, numerator - term * denominator];
  }
  // The best is the last convergent or the last intermediate fraction before the bound.
  const steps = (max - q0) / q1;
  if (2n * denominator * (q0 + steps * q1) <= scale) return fraction(p1, q1);
  return fraction(p0 + steps * p1, q0 + steps * q1);
}

/**
 * Returns the quantum that the options name, in seconds, exact and in lowest terms. A float is
 * taken for the nearest fraction with small terms when that lies within a relative 1e-9: 0.01 is
 * 1/100, 0.06 is 3/50, 59.94 Hz is 50/2997 s. Throws OPTION_INVALID when none or several ways are
 * given, outside 1/1000 s to 10 s, and for what no such fraction meets.
 */
export function quantumOf(options: QuantumOptions): Rational {
  const { tickRateHz, fixedDt, quantum } = options;
  const ways = [tickRateHz, fixedDt, quantum].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    throw new EscapementError('OPTION_INVALID', 'The quantum must be given in exactly one way.', {
      given: ways.length === 0 ? 'none' : `${ways.length} ways at once`,
      allowed: 'one of tickRateHz, fixedDt, quantum',
      fix: HINT,
    });
  }
  if (tickRateHz !== undefined) {
    const rate = resolveFloat('tickRateHz', tickRateHz, 0.1, 1000, QUANTUM_NUMERATOR_MAX);
    return checkQuantum(createRational(rate.denominator, rate.numerator));
  }
  if (fixedDt !== undefined) {
    return checkQuantum(resolveFloat('fixedDt', fixedDt, 0.001, 10, QUANTUM_TERM_MAX));
  }
  const { numerator, denominator } = Object(quantum) as Rational;
  return checkQuantum(createRational(numerator, denominator));
}

/** The ways to name a quantum, of which any may be left out. */
export interface GivenQuantum {
  /** Seconds of one quantum, from 1/1000 to 10. The quantum is given in at most one way. */
  readonly fixedDt?: number | undefined;
  /** Quanta a world second, from 0.1 to 1000. */
  readonly tickRateHz?: number | undefined;
  /** Seconds of one quantum as an exact fraction. */
  readonly quantum?: Rational | undefined;
}

/** Returns the quantum that is named, undefined when none is. Throws as {@link quantumOf}. */
export function givenQuantum(options: GivenQuantum): Rational | undefined {
  const { fixedDt, tickRateHz, quantum } = options;
  const isGiven = (fixedDt ?? tickRateHz ?? quantum) !== undefined;
  return isGiven ? quantumOf({ fixedDt, tickRateHz, quantum } as QuantumOptions) : undefined;
}

/**
 * Returns `quantum` when a clock can keep it exactly, else throws OPTION_INVALID: 1/1000 s to 10 s,
 * lowest terms of at most 1,000,000, and a numerator of at most 9007 x gcd(denominator, 10^9). The
 * last keeps alpha, at every speed, a fraction of two safe integers; all decimals and all rates
 * with a denominator up to 9007 meet it.
 */
export function checkQuantum(quantum: Rational): Rational {
  const reduced = createRational(quantum.numerator, quantum.denominator);
  const { numerator, denominator } = reduced;
  const inRange = numerator * 1000 >= denominator && numerator <= denominator * 10;
  const termsFit = numerator <= QUANTUM_TERM_MAX && denominator <= QUANTUM_TERM_MAX;
  const keepsAlpha =
    numerator <= QUANTUM_NUMERATOR_MAX * greatestCommonDivisor(denominator, 1_000_000_000);
  if (inRange && termsFit && keepsAlpha) return reduced;
  throw new EscapementError('OPTION_INVALID', 'That quantum cannot be kept exactly.', {
    given: `${numerator}/${denominator} s`,
    allowed: inRange
      ? `terms up to ${QUANTUM_TERM_MAX}; a numerator up to ` +
        `${QUANTUM_NUMERATOR_MAX} x gcd(denominator, 1e9)`
      : '1/1000 s to 10 s',
    fix: HINT,
  });
}

function resolveFloat(
  name: 'tickRateHz' | 'fixedDt',
  value: number,
  min: number,
  max: number,
  denominatorMax: number,
): Rational {
  const allowed = `a number from ${min} to ${max} within 1e-9 of a fraction with small terms`;
  if (typeof value !== 'number' || !(value >= min && value <= max)) {
    throw new EscapementError('OPTION_INVALID', `\`${name}\` is out of range.`, {
      given: String(value),
      allowed,
      fix: HINT,
    });
  }
  const bound = Math.min(denominatorMax, Math.floor(QUANTUM_TERM_MAX / value));
  const nearest = nearestRational(value, bound);
  const { numerator, denominator } = nearest;
  if (Math.abs(numerator / denominator - value) <= FLOAT_TOLERANCE * value) return nearest;
  throw new EscapementError('OPTION_INVALID', `\`${name}\` is no fraction with small terms.`, {
    given: String(value),
    allowed,
    fix: `The nearest is ${numerator}/${denominator}. ${HINT}`,
  });
}

function isTerm(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function fraction(numerator: bigint, denominator: bigint): Rational {
  return Object.freeze({ numerator: Number(numerator), denominator: Number(denominator) });
}

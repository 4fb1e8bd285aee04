import { EscapementError } from './error.ts';
import { checkQuantum, type QuantumOptions, quantumOf, type Rational } from './rational.ts';

/** How far a step may lie from a whole number of quanta, relative to itself. */
const STEP_TOLERANCE = 1e-9;

/** The most quanta a step may have: up to here the tolerance is at most a tenth of a quantum. */
const QUANTA_MAX = 100_000_000;

/**
 * Returns how many quanta a step of `dt` seconds takes, an integer from 1 to 100,000,000. The
 * quantum is a fraction in seconds, or named as a clock's options name it. A relative 1e-9 off a
 * whole number counts as whole: 0.07 s at 0.01 s are 7, although 0.07 / 0.01 in doubles is not.
 * Throws VALUE_INVALID for a step that is not whole, saying which steps near it would be, and
 * OPTION_INVALID for what is no quantum.
 */
export function ticksPerStep(dt: number, quantum: Rational | QuantumOptions): number {
  const given = Object(quantum) as Rational | QuantumOptions;
  const exact = 'numerator' in given ? checkQuantum(given) : quantumOf(given);
  const isPositive = typeof dt === 'number' && dt > 0;
  const quanta = isPositive ? (dt * exact.denominator) / exact.numerator : Number.NaN;
  const whole = Math.round(quanta);
  const isWhole = whole >= 1 && Math.abs(quanta - whole) <= STEP_TOLERANCE * whole;
  if (isWhole && whole <= QUANTA_MAX) return whole;
  throw stepError(dt, quanta, exact);
}

function stepError(dt: number, quanta: number, quantum: Rational): EscapementError {
  const size = `${quantum.numerator}/${quantum.denominator} s`;
  const isFinite = Number.isFinite(quanta);
  const below = Math.min(QUANTA_MAX, Math.max(1, Math.floor(quanta)));
  const above = Math.min(QUANTA_MAX, Math.max(1, Math.ceil(quanta)));
  const near =
    below === above
      ? describe(below, quantum)
      : `${describe(below, quantum)}, ${describe(above, quantum)}`;
  return new EscapementError('VALUE_INVALID', 'A step must be a whole number of quanta.', {
    given: isFinite ? `${dt} s, ${shorten(quanta)} quanta of ${size}` : `${String(dt)} s`,
    allowed: `1 to ${QUANTA_MAX} quanta of ${size}, to within a relative ${STEP_TOLERANCE}`,
    fix: isFinite
      ? `The nearest whole steps: ${near}. Or give the clock a quantum that divides the step.`
      : `Give seconds: ${describe(1, quantum)}.`,
  });
}

function describe(quanta: number, { numerator, denominator }: Rational): string {
  const seconds = (quanta * numerator) / denominator;
  return `${quanta} ${quanta === 1 ? 'quantum' : 'quanta'} = ${seconds} s`;
}

/** Writes a number with at most 12 digits, so that 7.2 does not read 7.199999999999999. */
function shorten(value: number): string {
  return String(Number(value.toPrecision(12)));
}

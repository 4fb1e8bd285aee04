import { EscapementError } from '../../shared/error.ts';
import { FrameTimes } from '../../shared/frame-times.ts';
import { nearestRational, type Rational } from '../../shared/rational.ts';

/**
 * Frames a second, exactly: a whole number, a fraction, or either as text, such as `60` and
 * `24000/1001`. What is not whole is a fraction, since 29.97 means one thing to one and another to
 * the next.
 */
export type FrameRate = number | Rational | string;

/** The largest denominator of a film's length, and how far a float may lie from the fraction. */
const SECONDS_DENOMINATOR_MAX = 1_000_000;
const FLOAT_TOLERANCE = 1e-9;

/** Returns an exact frame rate in lowest terms. Throws OPTION_INVALID for what is none. */
export function frameRateOf(given: FrameRate): Rational {
  if (typeof given === 'number' && !Number.isInteger(given)) throw rateError(given);
  if (typeof given !== 'string') return new FrameTimes(given).rate;
  const [, numerator, denominator] = /^(\d{1,7})(?:\/(\d{1,7}))?$/.exec(given.trim()) ?? [];
  if (numerator === undefined) throw rateError(given);
  const rate = { numerator: Number(numerator), denominator: Number(denominator ?? 1) };
  return new FrameTimes(rate).rate;
}

/**
 * Returns how many frames are shown before `seconds` of a film have gone by: those with k / rate <
 * seconds. Throws OPTION_INVALID for no length.
 */
export function framesWithin(seconds: number, rate: Rational): number {
  if (!(seconds > 0 && seconds <= Number.MAX_SAFE_INTEGER)) throw secondsError(seconds);
  const { numerator, denominator } = nearestRational(seconds, SECONDS_DENOMINATOR_MAX);
  if (Math.abs(numerator / denominator - seconds) > FLOAT_TOLERANCE * seconds) {
    throw secondsError(seconds);
  }
  const shown = BigInt(numerator) * BigInt(rate.numerator);
  const length = BigInt(denominator) * BigInt(rate.denominator);
  return Number((shown + length - 1n) / length);
}

function rateError(given: number | string): EscapementError {
  const value = Number(given);
  // Broadcast rates are a thousand parts in a thousand and one of a whole one.
  const whole = Math.round((value * 1001) / 1000);
  const isBroadcast = whole > 0 && Math.abs(value - (whole * 1000) / 1001) < 0.005;
  return new EscapementError('OPTION_INVALID', 'That is no exact frame rate.', {
    given: String(given),
    allowed: 'a whole number, or a fraction such as 24000/1001',
    fix: isBroadcast
      ? `Write ${whole * 1000}/1001 for the broadcast rate that is called ${given}.`
      : 'Write 12.5 frames a second as 25/2.',
  });
}

function secondsError(given: number): EscapementError {
  return new EscapementError('OPTION_INVALID', 'That is no length of a film.', {
    given: `${given} s`,
    allowed: 'seconds above 0, within 1e-9 of a fraction with small terms',
    fix: 'Give the number of frames instead.',
  });
}

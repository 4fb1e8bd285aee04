import { EscapementError } from './error.ts';
import { createRational, type Rational } from './rational.ts';

/** The largest numerator and denominator of a frame rate. */
const TERM_MAX = 1_000_000;

/** How many frames can be counted; also what keeps every product here a safe integer. */
const FRAMES_MAX = 2 ** 32;

/**
 * Hands out the wall times of frames at an exact rate, for a capture: frame k ends `delta(k)`
 * seconds after the one before it and is stamped `timestamp(k)`.
 *
 * A frame's length, such as 1001/30000 s, is no double. Each delta is one of the two doubles that
 * it lies between, and they take turns so that the exact sum of the first k deltas is k / rate to
 * within half of the distance between those two, however large k is: nothing adds up. (Bresenham
 * 1965, of a length over its unit in the last place.) So a clock that keeps what it is given
 * exactly stands where the exact fraction does, frame after frame.
 *
 * A frame runs at most the clock's `maxTicksPerAdvance` quanta: raise that for frames longer than
 * that, or quanta are dropped.
 */
export class FrameTimes {
  /** Frames a second, in lowest terms. */
  readonly rate: Rational;
  /** The smaller of the two deltas, and how much longer the other one is. */
  readonly #short: number;
  readonly #unit: number;
  /** Of `rate.numerator` frames so many are long ones. */
  readonly #longOnes: number;

  /**
   * Takes frames a second: a whole number, or a fraction where it is not whole, both terms up to
   * 1,000,000. Throws OPTION_INVALID for anything else: 29.97 may be 2997/100 or 30000/1001.
   */
  constructor(framesPerSecond: number | Rational) {
    this.rate = checkRate(framesPerSecond);
    const { numerator, denominator } = this.rate;
    // The length is denominator / numerator = (whole + rest / numerator) x unit, exactly, with
    // `whole` an integer of 53 bits.
    let unit = 2 ** -72;
    for (; denominator / numerator / unit >= 2 ** 53; unit *= 2);
    const scaled = BigInt(denominator) * BigInt(1 / unit);
    const whole = scaled / BigInt(numerator);
    this.#short = Number(whole) * unit;
    this.#unit = unit;
    this.#longOnes = Number(scaled - whole * BigInt(numerator));
  }

  /**
   * Returns the wall time from frame `frame` - 1 to frame `frame`, in seconds; frame 0 is the start
   * and has none. Throws VALUE_INVALID unless it is an integer, 1 to 2^32.
   */
  delta(frame: number): number {
    if (!(Number.isInteger(frame) && frame >= 1 && frame <= FRAMES_MAX)) throw frameError(frame, 1);
    const { numerator } = this.rate;
    // Long and short ones come in the same order every `numerator` frames.
    const place = ((frame - 1) % numerator) + 1;
    const isLong = this.#longUpTo(place) > this.#longUpTo(place - 1);
    return isLong ? this.#short + this.#unit : this.#short;
  }

  /**
   * Returns when a frame is shown, in seconds from frame 0: frame / rate, the nearest double.
   * Throws VALUE_INVALID unless `frame` is an integer from 0 to 2^32.
   */
  timestamp(frame: number): number {
    if (!(Number.isInteger(frame) && frame >= 0 && frame <= FRAMES_MAX)) throw frameError(frame, 0);
    return (frame * this.rate.denominator) / this.rate.numerator;
  }

  /** Returns how many of the first `frames` are long: what they lack, to the nearest unit. */
  #longUpTo(frames: number): number {
    const { numerator } = this.rate;
    return Math.floor((2 * frames * this.#longOnes + numerator) / (2 * numerator));
  }
}

function checkRate(given: number | Rational): Rational {
  const { numerator, denominator } =
    typeof given === 'number' ? { numerator: given, denominator: 1 } : (Object(given) as Rational);
  if (isTerm(numerator) && isTerm(denominator)) return createRational(numerator, denominator);
  throw new EscapementError('OPTION_INVALID', 'That is no frame rate.', {
    given:
      typeof given === 'number' ? String(given) : `${String(numerator)}/${String(denominator)}`,
    allowed: `a whole number, or a fraction of whole numbers, from 1 to ${TERM_MAX}`,
    fix: 'Write 29.97 frames a second as { numerator: 30000, denominator: 1001 }.',
  });
}

function isTerm(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= TERM_MAX;
}

function frameError(given: number, least: number): EscapementError {
  return new EscapementError('VALUE_INVALID', 'That is no number of a frame.', {
    given: String(given),
    allowed: `an integer from ${least} to 2^32`,
    fix: 'Count frames from 1; frame 0 is the start.',
  });
}

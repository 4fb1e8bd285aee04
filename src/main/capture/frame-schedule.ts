import { EscapementError } from '../../shared/error.ts';
import { createRational, type Rational } from '../../shared/rational.ts';

/**
 * Where in the world's time a frame of a film stands. It shows (`tick` + alpha) quanta, exactly:
 * what lies between the tick before `stateTick` and `stateTick` itself, at `share`.
 */
export interface FramePlace {
  /** The last tick that is over at the frame's time. */
  readonly tick: number;
  /** How far into the next quantum the frame stands, as an exact fraction below 1. */
  readonly alpha: Rational;
  /** The newest tick that the frame needs: `tick`, or the one after it where alpha is not 0. */
  readonly stateTick: number;
  /** Where the frame stands between `stateTick` - 1 and `stateTick`: above 0; 1 is the latter. */
  readonly share: number;
}

const ON_A_TICK: Rational = Object.freeze({ numerator: 0, denominator: 1 });

/**
 * Places the frames of a film in world time: frame k shows k / rate seconds after tick `fromTick`.
 * Each place is computed from k alone, in whole numbers: nothing is added up, so that a film can be
 * taken in parts and in any order.
 */
export class FrameSchedule {
  readonly rate: Rational;
  readonly quantum: Rational;
  readonly fromTick: number;
  /** Quanta a frame, as a fraction. */
  readonly #numerator: bigint;
  readonly #denominator: bigint;

  /** `rate` is in frames a second, `quantum` in seconds; `fromTick` is what frame 0 shows. */
  constructor(rate: Rational, quantum: Rational, fromTick: number) {
    this.rate = rate;
    this.quantum = quantum;
    this.fromTick = fromTick;
    // The terms are at most 10^6 each, so both products are safe integers.
    const step = createRational(
      rate.denominator * quantum.denominator,
      rate.numerator * quantum.numerator,
    );
    this.#numerator = BigInt(step.numerator);
    this.#denominator = BigInt(step.denominator);
  }

  /** Returns where frame `index` stands. Throws VALUE_INVALID unless it is a possible index. */
  place(index: number): FramePlace {
    if (!(Number.isInteger(index) && index >= 0 && index <= 2 ** 32)) {
      throw new EscapementError('VALUE_INVALID', 'That is no number of a frame.', {
        given: String(index),
        allowed: 'an integer from 0 to 2^32',
      });
    }
    const quanta = BigInt(index) * this.#numerator;
    const tick = this.fromTick + Number(quanta / this.#denominator);
    const rest = Number(quanta % this.#denominator);
    if (rest === 0) {
      return { tick, alpha: ON_A_TICK, stateTick: tick, share: 1 };
    }
    const alpha = createRational(rest, Number(this.#denominator));
    return { tick, alpha, stateTick: tick + 1, share: alpha.numerator / alpha.denominator };
  }

  /** Returns how many frames, from frame 0 on, need no tick after `lastTick`. */
  framesUntil(lastTick: number): number {
    if (lastTick < this.fromTick) return 0;
    const quanta = BigInt(lastTick - this.fromTick);
    return Number((quanta * this.#denominator) / this.#numerator) + 1;
  }

  /** Returns when frame `index` is shown, in seconds of the film: index / rate. */
  timestamp(index: number): number {
    return (index * this.rate.denominator) / this.rate.numerator;
  }
}

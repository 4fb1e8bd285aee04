import { checkTick } from './clock-options.ts';
import { EscapementError } from './error.ts';
import type { QuantumOptions, Rational } from './rational.ts';
import { ticksPerStep } from './ticks-per-step.ts';

/**
 * Follows a world clock at a step of `period` quanta: it says how many steps fell due, and never
 * advances the clock.
 *
 * Boundary n is tick n x period: absolute, so that every follower of that period has the same ones,
 * whenever it was made. A step falls due when the clock completes its boundary, and stays due until
 * it is taken: a late follower gets all of them at once. It owes nothing from before the tick that
 * it is anchored at: that of {@link anchorAt}, or of the first {@link take} in an epoch. So a seek
 * and a reconfigure owe nothing either.
 *
 * Give tick and epoch as they were at one moment: of one clock, or of one published record.
 */
export class ClockFollower {
  /** Quanta a step. */
  readonly period: number;
  /** 0 before the first anchor: a clock's epochs begin at 1. */
  #epoch = 0;
  #tick = 0;
  /** Boundaries up to `#boundary` were taken, the last time those after `#takenAfter`. */
  #boundary = 0;
  #takenAfter = 0;
  #published = 0;

  /** Makes a follower without an anchor. Throws VALUE_INVALID unless `period` is 1 to 2^53 - 1. */
  constructor(period: number) {
    if (!(Number.isSafeInteger(period) && period >= 1)) {
      throw new EscapementError('VALUE_INVALID', 'That is no period of a follower.', {
        given: String(period),
        allowed: 'a whole number of quanta, at least 1',
        fix: 'Use `ClockFollower.forStep` to get it from a step in seconds.',
      });
    }
    this.period = period;
  }

  /**
   * Makes a follower with a step of `dt` seconds, anchored at a clock's present tick and epoch: it
   * owes no step from before. Throws what {@link ticksPerStep} and {@link anchorAt} throw.
   */
  static forStep(
    dt: number,
    quantum: Rational | QuantumOptions,
    tick: number,
    epoch: number,
  ): ClockFollower {
    const follower = new ClockFollower(ticksPerStep(dt, quantum));
    follower.anchorAt(tick, epoch);
    return follower;
  }

  /** The epoch of the last anchor; 0 before the first. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * The number of the last boundary whose step was run and published, or at which it was anchored.
   */
  get publishedBoundary(): number {
    return this.#published;
  }

  /**
   * Starts anew at a tick of an epoch: owes nothing, and all up to this tick counts as published.
   * Throws VALUE_INVALID unless `tick` is a safe integer of at least 0.
   */
  anchorAt(tick: number, epoch: number): void {
    checkTick(tick);
    this.#epoch = epoch;
    this.#tick = tick;
    this.#boundary = this.#boundaryAt(tick);
    this.#takenAfter = this.#boundary;
    this.#published = this.#boundary;
  }

  /**
   * Returns how many boundaries the clock crossed since the last take, all of them: so many steps
   * are to be run now. In an epoch other than the last one it anchors at this tick and returns 0.
   * Throws VALUE_INVALID, and changes nothing, for a tick before the last one of the same epoch: no
   * clock goes back without a new epoch, so tick and epoch are not of one moment.
   */
  take(tick: number, epoch: number): number {
    if (epoch !== this.#epoch) {
      this.anchorAt(tick, epoch);
      return 0;
    }
    if (!(Number.isSafeInteger(tick) && tick >= this.#tick)) throw backwardError(tick, this.#tick);
    this.#tick = tick;
    this.#takenAfter = this.#boundary;
    this.#boundary = this.#boundaryAt(tick);
    return this.#boundary - this.#takenAfter;
  }

  /** Returns the world tick of step `i`, from 0, of those taken last. Throws VALUE_INVALID. */
  stepTick(i: number): number {
    const taken = this.#boundary - this.#takenAfter;
    if (Number.isInteger(i) && i >= 0 && i < taken) return (this.#takenAfter + 1 + i) * this.period;
    throw new EscapementError('VALUE_INVALID', 'No such step was taken.', {
      given: String(i),
      allowed: taken === 0 ? 'none: no step was due' : `0 to ${taken - 1}`,
      fix: 'Ask once for each step that `take()` returned.',
    });
  }

  /**
   * Counts `steps` of the taken steps, the oldest first, as run and published. Throws VALUE_INVALID
   * for more than were taken and not yet counted.
   */
  markPublished(steps: number): void {
    const open = this.#boundary - this.#published;
    if (!(Number.isSafeInteger(steps) && steps >= 0 && steps <= open)) {
      throw new EscapementError('VALUE_INVALID', 'So many steps cannot have been published.', {
        given: String(steps),
        allowed: `an integer from 0 to ${open}`,
        fix: 'Count each taken step once, before the next epoch is taken.',
      });
    }
    this.#published += steps;
  }

  /** Returns whether every step due up to a tick of an epoch is published; no for another epoch. */
  isCaughtUp(targetTick: number, epoch: number): boolean {
    return epoch === this.#epoch && this.#published >= this.#boundaryAt(targetTick);
  }

  /**
   * Returns how far into its own step the follower is, in [0, 1], at a tick and the clock's alpha
   * there, in [0, 1]: ((tick mod period) + alpha) / period, rounded twice. It needs no anchor.
   */
  alpha(tick: number, clockAlpha: number): number {
    return ((tick % this.period) + clockAlpha) / this.period;
  }

  /**
   * Returns floor(tick / period), exact for safe integers: a quotient that is not whole lies at
   * least 1 / period below the next whole number, more than half the gap between doubles there.
   */
  #boundaryAt(tick: number): number {
    return Math.floor(tick / this.period);
  }
}

function backwardError(tick: number, last: number): EscapementError {
  return new EscapementError('VALUE_INVALID', 'A tick lies before the last one of its epoch.', {
    given: `tick ${String(tick)} after tick ${last}`,
    allowed: `an integer from ${last} to 2^53 - 1`,
    fix: 'Read tick and epoch at one moment; a clock that is sought back has a new epoch.',
  });
}

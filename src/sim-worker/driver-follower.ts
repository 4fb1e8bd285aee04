import { ClockFollower } from '../shared/clock-follower.ts';
import { checkFollowerStep, type FollowerStep } from '../shared/follower-step.ts';
import type { Rational } from '../shared/rational.ts';
import { ticksPerStep } from '../shared/ticks-per-step.ts';

/** What is followed; a `ClockDriver` is one. */
export interface FollowedClock {
  readonly tick: number;
  readonly epoch: number;
  /** The tick at which the epoch began. */
  readonly epochStart: number;
  readonly quantum: Rational;
  readonly alpha: number;
}

/**
 * Follows the clock of one thread: a {@link ClockFollower} that looks up tick, epoch and alpha
 * itself. A seek or a configure owes it nothing, and it loses nothing that runs after one: it goes
 * on from the tick at which the new epoch began. A follower of a step in seconds keeps its seconds
 * when the quantum changes; calls throw VALUE_INVALID while they are no whole number of quanta.
 */
export class DriverFollower {
  readonly #clock: FollowedClock;
  readonly #step: number | undefined;
  #follower: ClockFollower;
  #quantum: Rational;
  /** Steps taken and not yet counted as published. */
  #open = 0;

  /** Attaches at the clock's present tick. See `ClockDriver.follow` for what it throws. */
  constructor(clock: FollowedClock, options: FollowerStep) {
    const { everyTicks, step } = checkFollowerStep(options);
    this.#clock = clock;
    this.#step = step;
    this.#quantum = clock.quantum;
    this.#follower = new ClockFollower(everyTicks ?? ticksPerStep(step as number, clock.quantum));
    this.#follower.anchorAt(clock.tick, clock.epoch);
  }

  /** Quanta a step. */
  get period(): number {
    return this.#current().period;
  }

  /** Returns how many steps fell due since the last take, all of them: run so many now. */
  take(): number {
    const steps = this.#current().take(this.#clock.tick, this.#clock.epoch);
    this.#open += steps;
    return steps;
  }

  /** Returns the world tick of step `i`, from 0, of those taken last. Throws VALUE_INVALID. */
  stepTick(i: number): number {
    return this.#current().stepTick(i);
  }

  /**
   * Counts `steps` of the taken steps as run and published, by default all of them. Throws
   * VALUE_INVALID for more than were taken and not yet counted.
   */
  markPublished(steps?: number): void {
    const follower = this.#current();
    const count = steps ?? this.#open;
    follower.markPublished(count);
    this.#open -= count;
  }

  /** Returns how far into its own step the follower is, in [0, 1], as of the last advance. */
  alpha(): number {
    return this.#current().alpha(this.#clock.tick, this.#clock.alpha);
  }

  /** Whether every step that is due at the present tick was published. */
  get caughtUp(): boolean {
    return this.#current().isCaughtUp(this.#clock.tick, this.#clock.epoch);
  }

  /** Returns the follower, anchored in the present epoch. */
  #current(): ClockFollower {
    const { epoch } = this.#clock;
    return this.#follower.epoch === epoch ? this.#follower : this.#enter(epoch);
  }

  #enter(epoch: number): ClockFollower {
    const { quantum, epochStart } = this.#clock;
    if (this.#step !== undefined && quantum !== this.#quantum) {
      this.#follower = new ClockFollower(ticksPerStep(this.#step, quantum));
      this.#quantum = quantum;
    }
    this.#follower.anchorAt(epochStart, epoch);
    this.#open = 0;
    return this.#follower;
  }
}

import { checkDelta } from './clock-options.ts';
import { readClockStatus } from './clock-status.ts';
import { COMMAND, type CommandOutcome } from './command.ts';
import { checkOutcome } from './command-sender.ts';
import { claimController, type ControllerClaim } from './controller-claim.ts';
import type { EscapementError } from './error.ts';
import type { DriveResult } from './follower.ts';
import {
  copyInstant,
  createInstant,
  elapsedNs,
  type Instant,
  type MonotonicClock,
} from './instant.ts';
import type { Region } from './region.ts';
import { DRIVER, HEADER } from './words.ts';

/*
 * Threads    that of the follower which drives.
 * Memory     the `driver` word; a controller's ring and tickets.
 * Ordering   compare-exchange on `driver`; the commands order themselves.
 * Progress   taking the role never waits; an advance waits for its answer, or blocks.
 * Invariant  at most one thread has the role; without it nothing is advanced.
 */

/** How long a blocking drive waits for the simulation, in milliseconds. */
const DRIVE_TIMEOUT_MS = 5000;

/** Advances a clock that nothing else advances, for one follower of one run. */
export class ClockDrive {
  readonly #region: Region;
  readonly #role: number;
  readonly #claim: ControllerClaim;
  readonly #clock: MonotonicClock;
  readonly #now: Instant = createInstant();
  readonly #last: Instant = createInstant();
  #measuring = false;

  /** Claims a controller for the follower of that number; throws CONTROLS_EXHAUSTED. */
  constructor(region: Region, follower: number, clock: MonotonicClock) {
    this.#region = region;
    this.#role = follower + 1;
    this.#clock = clock;
    this.#claim = claimController(region);
  }

  /** Advances, if that is this thread's to do. */
  async drive(wallSeconds: number | undefined): Promise<DriveResult> {
    if (wallSeconds !== undefined) checkDelta(wallSeconds);
    const driver = this.#takeRole();
    if (driver !== 'this') return this.#idle(driver);
    const seconds = this.#measure(wallSeconds);
    return driven(await this.#claim.sender.double(seconds).send(COMMAND.advance), seconds);
  }

  /** Advances as {@link drive} does, and blocks until that is published. */
  driveBlocking(wallSeconds: number | undefined): DriveResult {
    if (wallSeconds !== undefined) checkDelta(wallSeconds);
    const driver = this.#takeRole();
    if (driver !== 'this') return this.#idle(driver);
    const seconds = this.#measure(wallSeconds);
    const { sender } = this.#claim;
    const answer = sender
      .double(seconds)
      .sendBlocking(COMMAND.advance, DRIVE_TIMEOUT_MS, this.#clock);
    return driven(answer, seconds);
  }

  /** Gives back the controller, and the role unless the follower was retired and lost it. */
  release(cause: EscapementError, isHeld: boolean): void {
    if (isHeld) Atomics.compareExchange(this.#region.i32, HEADER.driver, this.#role, DRIVER.nobody);
    this.#claim.release(cause);
  }

  /** Takes the role if nobody has it, and says who has. */
  #takeRole(): DriveResult['driver'] {
    const { i32 } = this.#region;
    const found = Atomics.compareExchange(i32, HEADER.driver, DRIVER.nobody, this.#role);
    if (found === DRIVER.nobody || found === this.#role) return 'this';
    this.#measuring = false;
    return found === DRIVER.simulation ? 'simulation' : 'another';
  }

  /** Returns the wall seconds of this drive: those given, or those since the last one. */
  #measure(given: number | undefined): number {
    this.#clock.read(this.#now);
    const measured = this.#measuring ? elapsedNs(this.#now, this.#last) / 1e9 : 0;
    this.#measuring = true;
    copyInstant(this.#last, this.#now);
    return given ?? Math.max(0, measured);
  }

  #idle(driver: DriveResult['driver']): DriveResult {
    const { tick, alpha } = readClockStatus(this.#region);
    return { driver, firstTick: tick, steps: 0, dropped: 0, alpha };
  }
}

function driven(outcome: CommandOutcome, seconds: number): DriveResult {
  const given = `${seconds} s`;
  const { firstTick, steps, dropped, alpha } = checkOutcome(
    outcome,
    'advance',
    given,
    '0 to 10^9 s',
  );
  return { driver: 'this', firstTick, steps, dropped, alpha };
}

import type { Anchor } from '../shared/anchor.ts';
import { ClockProbe } from '../shared/calibration.ts';
import { EscapementError } from '../shared/error.ts';
import type { FollowerClaim } from '../shared/follower-block.ts';
import type { RegionHandle } from '../shared/handle.ts';
import { addNs, elapsedNs, type MonotonicClock } from '../shared/instant.ts';
import { findLocal } from '../shared/local-simulations.ts';
import { RegionFollower } from '../shared/open-follower.ts';
import { PublishedClock } from '../shared/published-clock.ts';
import type { Rational } from '../shared/rational.ts';
import { claimReader, freeReader } from '../shared/reader-slot.ts';
import type { Signal } from '../shared/signal.ts';
import { type ClockScope, isProcessWide } from '../shared/system-clock.ts';
import { HEADER, REGION_STATE } from '../shared/words.ts';

/*
 * Threads    the thread of the simulation that follows.
 * Memory     reads state and the record in force of the other simulation's region; writes a
 *            follower's block.
 * Ordering   `PublishedClock` and `RegionFollower` order what is read and written.
 * Progress   wait-free but for its making, which compares two clocks; allocates nothing after it.
 * Invariant  this simulation's tick n is the other's tick n x period, of the same epoch.
 */

/** The smallest shift of an anchor, in nanoseconds, that is worth a record of its own. */
const SHIFT_NS = 1000;

/** Alpha is a multiple of one over this where the exact fraction does not fit. */
const ALPHA_GRID = 2 ** 52;

/** The simulation whose clock this one follows. */
export class Leader {
  /** Whether the last {@link take} found another epoch or another run. */
  moved = false;
  readonly #follower: RegionFollower;
  readonly #published: PublishedClock = new PublishedClock();
  /** The leader's clock less this thread's. */
  readonly #offsetNs: number;
  #anchorings: number;

  private constructor(follower: RegionFollower, offsetNs: number) {
    this.#follower = follower;
    this.#offsetNs = offsetNs;
    this.#anchorings = follower.anchorings;
  }

  /**
   * Follows a simulation at a step of `quantum` seconds. Throws what `openFollower` throws, and
   * CLOCK_UNCALIBRATED when the other simulation does not answer.
   */
  static async follow(
    handle: RegionHandle,
    quantum: Rational,
    clock: MonotonicClock,
  ): Promise<Leader> {
    const step = quantum.numerator / quantum.denominator;
    const follower = new RegionFollower(handle, { step, clock });
    try {
      return new Leader(follower, await offsetOf(handle, follower, clock));
    } catch (cause) {
      follower.close();
      throw cause;
    }
  }

  /** Its place among the leader's followers. */
  get claim(): FollowerClaim {
    return this.#follower.claim;
  }

  /** What to sleep on until it publishes. */
  get sequence(): Signal {
    return this.#follower.sequence;
  }

  /** The boundary that it was at when it was last anchored: the tick to go on from. */
  get boundary(): number {
    return this.#follower.publishedBoundary;
  }

  /** The clock as it was read last. */
  get published(): PublishedClock {
    return this.#published;
  }

  /** Returns the ticks that fell due; those taken before have been published. */
  take(): number {
    const steps = this.#follower.take();
    this.moved = this.#follower.anchorings !== this.#anchorings;
    this.#anchorings = this.#follower.anchorings;
    return steps;
  }

  /** Says that what was taken has been published. */
  markPublished(): void {
    this.#follower.markPublished();
  }

  /** Fills an anchor for a tick of this simulation, by this thread's clock. */
  anchor(out: Anchor, tick: number, epoch: number): void {
    const { period, region } = this.#follower;
    this.#published.read(region);
    const theirs = this.#published.anchor;
    const state = Atomics.load(region.i32, HEADER.state);
    const isOver = state === REGION_STATE.stopped || state === REGION_STATE.failed;
    // It may have gone elsewhere since `take`: until that is taken, this clock stands.
    const isSame = theirs.epoch === this.#follower.epoch;
    /** Quanta of theirs since that tick: more than a period while this one is late. */
    const quanta = theirs.tick - tick * period;
    out.tick = tick;
    out.epoch = epoch;
    out.running = theirs.running && isSame && !isOver;
    out.quantumWallNs = theirs.quantumWallNs * period;
    out.due.seconds = 0;
    out.due.nanos = 0;
    out.dueFraction = 0;
    out.alpha = 0;
    out.alphaNumerator = 0;
    out.alphaDenominator = 1;
    if (out.running) this.#anchorRunning(out, theirs, quanta);
    else if (tick > 0 && isSame) anchorStanding(out, theirs, quanta, period);
  }

  /** Whether an anchor says something else than one that was published. */
  static differs(a: Anchor, b: Anchor): boolean {
    if (a.running !== b.running || a.quantumWallNs !== b.quantumWallNs) return true;
    if (!a.running) return a.alpha !== b.alpha;
    return Math.abs(elapsedNs(a.due, b.due)) > SHIFT_NS;
  }

  /** Stops following. */
  close(): void {
    this.#follower.close();
  }

  #anchorRunning(out: Anchor, theirs: Anchor, quanta: number): void {
    const shiftNs = theirs.dueFraction - quanta * theirs.quantumWallNs - this.#offsetNs;
    const wholeNs = Math.floor(shiftNs);
    out.due.seconds = theirs.due.seconds;
    out.due.nanos = theirs.due.nanos;
    out.dueFraction = shiftNs - wholeNs;
    addNs(out.due, wholeNs);
  }
}

function anchorStanding(out: Anchor, theirs: Anchor, quanta: number, period: number): void {
  const denominator = theirs.alphaDenominator * period;
  const numerator = quanta * theirs.alphaDenominator + theirs.alphaNumerator;
  const isExact = Number.isSafeInteger(denominator) && Number.isSafeInteger(numerator);
  out.alpha = Math.min(1, Math.max(0, (quanta + theirs.alpha) / period));
  out.alphaDenominator = isExact ? denominator : ALPHA_GRID;
  out.alphaNumerator = isExact
    ? Math.min(Math.max(0, numerator), denominator)
    : Math.round(out.alpha * ALPHA_GRID);
}

/** Returns the other simulation's clock less this thread's, in nanoseconds. */
async function offsetOf(
  handle: RegionHandle,
  follower: RegionFollower,
  clock: MonotonicClock,
): Promise<number> {
  const local = findLocal(handle.id);
  if (local !== undefined) return local.offsetNs;
  if (isProcessWide(globalThis as ClockScope)) return 0;
  const { region } = follower;
  const reader = claimReader(region);
  const probe = new ClockProbe(region, reader, clock);
  const offset = await probe.measure();
  probe.close();
  freeReader(region, reader);
  if (offset !== undefined) return offset.offsetNs;
  throw new EscapementError('CLOCK_UNCALIBRATED', 'The clocks could not be compared.', {
    given: 'no answer of the simulation to follow within 200 ms',
    fix: 'Start the simulation that leads first, and keep its first ticks short.',
  });
}

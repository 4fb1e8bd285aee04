import { checkFollowerNumber, FollowerReader } from './follower-block.ts';
import type { MonotonicClock } from './instant.ts';
import type { Region } from './region.ts';
import type { Signal } from './signal.ts';
import { readTick, type TickReading } from './tick-wait.ts';
import { waitUntil, waitUntilAsync } from './wait.ts';
import { HEADER, REGION_STATE } from './words.ts';

/*
 * Threads    any.
 * Memory     state, the tick and epoch in force, the followers' blocks.
 * Ordering   a follower raises `followed` after its words; who ends an epoch or the run does too.
 * Progress   waits are bounded slices; each look is wait-free and allocates its answer alone.
 * Invariant  a wait ends with a reason, whatever happens to the simulation or to a follower.
 */

/**
 * Why a wait for followers ended. `terminated`: one of them closed, or was retired, before it had
 * come far enough.
 */
export type CaughtUpReason =
  | 'caught-up'
  | 'epoch-changed'
  | 'stopped'
  | 'failed'
  | 'terminated'
  | 'timed-out';

/** A follower that has not caught up. */
export interface FollowerLag {
  readonly number: number;
  /** Quanta a step. */
  readonly period: number;
  /** Steps it still has to publish; Infinity if it has not come to the epoch yet. */
  readonly steps: number;
  /** Whether it has closed or was retired, so that it never will. */
  readonly terminated: boolean;
}

/** Where a wait for followers ended, and why. */
export interface CaughtUp {
  readonly reason: CaughtUpReason;
  /** The tick that was waited for: that of the call. */
  readonly tick: number;
  readonly epoch: number;
  /** Who has not published every step up to that tick; empty when they have caught up. */
  readonly behind: readonly FollowerLag[];
}

/** Waits for the followers of one region to come up to the tick and epoch of its making. */
class CaughtUpWait {
  readonly #region: Region;
  readonly #target: Readonly<TickReading>;
  readonly #followers: readonly FollowerReader[];
  readonly condition = (): CaughtUp | undefined => this.#look();

  constructor(region: Region, follower: number | undefined) {
    this.#region = region;
    this.#target = readTick(region);
    if (follower !== undefined) checkFollowerNumber(region, follower);
    const first = follower ?? 0;
    const end = follower === undefined ? region.layout.followerCount : follower + 1;
    const followers: FollowerReader[] = [];
    for (let number = first; number < end; number++) {
      const each = new FollowerReader(region, number);
      // One that was named and is not there will never come; of all, there are those that are.
      if (each.wasClaimed || follower !== undefined) followers.push(each);
    }
    this.#followers = followers;
  }

  settle(ended: CaughtUp | 'timed-out' | 'closed'): CaughtUp {
    if (typeof ended === 'object') return ended;
    const failed = Atomics.load(this.#region.i32, HEADER.state) === REGION_STATE.failed;
    return this.#answer(ended === 'timed-out' ? ended : failed ? 'failed' : 'stopped');
  }

  #look(): CaughtUp | undefined {
    const { i32 } = this.#region;
    // Loaded before the followers' words: what was published before the end counts.
    const state = Atomics.load(i32, HEADER.state);
    if (readTick(this.#region).epoch !== this.#target.epoch) return this.#answer('epoch-changed');
    let isBehind = false;
    let isGone = false;
    for (const each of this.#followers) {
      // In this order: one that published and then closed has caught up.
      const gone = each.isGone || !each.wasClaimed;
      if (each.wasClaimed && this.#lacks(each) <= 0) continue;
      isBehind = true;
      isGone ||= gone;
    }
    if (!isBehind) return this.#answer('caught-up');
    if (isGone) return this.#answer('terminated');
    if (state === REGION_STATE.failed) return this.#answer('failed');
    if (state === REGION_STATE.stopped || state === REGION_STATE.replaced) {
      return this.#answer('stopped');
    }
    return undefined;
  }

  #lacks(follower: FollowerReader): number {
    return follower.stepsLacking(this.#target.tick, this.#target.epoch);
  }

  #answer(reason: CaughtUpReason): CaughtUp {
    const behind: FollowerLag[] = [];
    for (const each of reason === 'caught-up' ? [] : this.#followers) {
      const steps = each.wasClaimed ? this.#lacks(each) : Number.POSITIVE_INFINITY;
      if (steps <= 0) continue;
      const terminated = each.isGone || !each.wasClaimed;
      behind.push({ number: each.number, period: each.period, steps, terminated });
    }
    return { reason, ...this.#target, behind };
  }
}

/**
 * Blocks until every follower, or the one of that number, has run and published all steps due up to
 * the tick that is in force now, or until that will not be. Without followers that is at once.
 * Throws VALUE_INVALID for a number that no follower can have.
 */
export function waitCaughtUp(
  region: Region,
  followed: Signal,
  follower: number | undefined,
  timeoutMs: number,
  clock: MonotonicClock,
): CaughtUp {
  const wait = new CaughtUpWait(region, follower);
  return wait.settle(waitUntil(followed, wait.condition, timeoutMs, clock));
}

/** Waits as {@link waitCaughtUp} does, without blocking the thread. Refusals reject. */
export async function waitCaughtUpAsync(
  region: Region,
  followed: Signal,
  follower: number | undefined,
  timeoutMs: number,
  clock: MonotonicClock,
): Promise<CaughtUp> {
  const wait = new CaughtUpWait(region, follower);
  return wait.settle(await waitUntilAsync(followed, wait.condition, timeoutMs, clock));
}

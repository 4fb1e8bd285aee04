import { EscapementError } from './error.ts';
import type { Region } from './region.ts';
import { openSignal } from './region-signal.ts';
import type { Signal } from './signal.ts';
import { DRIVER, FOLLOWER, FOLLOWER_WORDS, HEADER } from './words.ts';

/*
 * Threads    a writer belongs to the thread that claimed the block; looking and retiring is the
 *            host's, or any waiter's.
 * Memory     the words of the followers' blocks, and `driver`, which may name one of them.
 * Ordering   epoch is 0 while period and done change with it; `followed` is raised after them.
 * Progress   wait-free but for a claim, which is lock-free; allocates nothing once claimed.
 * Invariant  what is loaded between two equal epochs, both not 0, of one claim belongs to that
 *            epoch. A claim that has not anchored yet may show what the one before it left: then
 *            `openFollower` has not returned, and to that wait the follower is not open.
 */

/** The writing end of one follower's block. */
export class FollowerWriter {
  /** The block's number, from 0: names the follower in its region. */
  readonly number: number;
  readonly #words: Int32Array;
  readonly #block: number;
  /** What the claim is known by to who ends it for this thread. */
  readonly claim: number;
  readonly #followed: Signal;

  constructor(region: Region, number: number, claim: number) {
    this.number = number;
    this.#words = region.i32;
    this.#block = blockIndex(region, number);
    this.claim = claim;
    this.#followed = openSignal(region, HEADER.followed);
  }

  /** Whether the block is this follower's still: a host may have retired it. */
  get isHeld(): boolean {
    return Atomics.load(this.#words, this.#block + FOLLOWER.owner) === this.claim;
  }

  /** Says that all boundaries up to `boundary` count as published in this epoch. */
  anchor(period: number, boundary: number, epoch: number): void {
    const words = this.#words;
    Atomics.store(words, this.#block + FOLLOWER.epoch, 0);
    Atomics.store(words, this.#block + FOLLOWER.period, period | 0);
    Atomics.store(words, this.#block + FOLLOWER.done, boundary | 0);
    Atomics.store(words, this.#block + FOLLOWER.epoch, epoch | 0);
    this.#followed.raise();
  }

  /** Says which boundary was published last, in the epoch of the last anchor. */
  publish(boundary: number): void {
    Atomics.store(this.#words, this.#block + FOLLOWER.done, boundary | 0);
    this.#followed.raise();
  }

  /** Gives the block back, unless it was retired. What it last said stays until the next claim. */
  release(): void {
    endClaim(this.#words, this.#block, this.claim);
    this.#followed.raise();
  }
}

/**
 * Claims a free block, from number `preferred` on. Throws FOLLOWERS_EXHAUSTED when all are taken.
 */
export function claimFollower(region: Region, preferred = 0): FollowerWriter {
  const { followerCount } = region.layout;
  for (let i = 0; i < followerCount; i++) {
    const number = (preferred + i) % followerCount;
    const owner = blockIndex(region, number) + FOLLOWER.owner;
    const found = Atomics.load(region.i32, owner);
    if (isClaimed(found)) continue;
    const claim = (found + 1) | 0;
    if (Atomics.compareExchange(region.i32, owner, found, claim) !== found) continue;
    return new FollowerWriter(region, number, claim);
  }
  throw new EscapementError('FOLLOWERS_EXHAUSTED', 'All followers of this simulation are taken.', {
    given: `one more than ${followerCount}`,
    allowed: `${followerCount} followers at once, on all threads together`,
    fix:
      'Close followers that are done with, retire those whose thread was terminated, or raise ' +
      '`maxFollowers` in startSimulation.',
  });
}

/**
 * Ends the claim of a follower whose thread is gone, and its role as the driver. Returns false when
 * nobody has claimed that block.
 */
export function retireFollower(region: Region, number: number): boolean {
  checkFollowerNumber(region, number);
  const { i32 } = region;
  const block = blockIndex(region, number);
  const claim = Atomics.load(i32, block + FOLLOWER.owner);
  if (!isClaimed(claim)) return false;
  Atomics.compareExchange(i32, HEADER.driver, number + 1, DRIVER.nobody);
  endClaim(i32, block, claim);
  openSignal(region, HEADER.followed).raise();
  return true;
}

/** Throws VALUE_INVALID for what is no number of a follower's block. */
export function checkFollowerNumber(region: Region, number: number): void {
  const { followerCount } = region.layout;
  if (Number.isInteger(number) && number >= 0 && number < followerCount) return;
  throw new EscapementError('VALUE_INVALID', 'There can be no such follower.', {
    given: String(number),
    allowed: followerCount === 0 ? 'none: `maxFollowers` is 0' : `0 to ${followerCount - 1}`,
    fix: 'Give the `number` of a follower.',
  });
}

/** A follower's block and the claim on it. */
export interface FollowerClaim {
  readonly number: number;
  readonly claim: number;
}

/** Ends one claim on a block, if it still holds. */
export function endFollowerClaim(region: Region, { number, claim }: FollowerClaim): void {
  const { i32 } = region;
  const block = blockIndex(region, number);
  if (Atomics.load(i32, block + FOLLOWER.owner) !== claim) return;
  endClaim(i32, block, claim);
  openSignal(region, HEADER.followed).raise();
}

/** One follower as a waiter looks at it: a claim, and what it lacks. */
export class FollowerReader {
  readonly number: number;
  readonly #words: Int32Array;
  readonly #block: number;
  readonly #claim: number;

  /** Looks at whoever holds the block now. */
  constructor(region: Region, number: number) {
    this.number = number;
    this.#words = region.i32;
    this.#block = blockIndex(region, number);
    this.#claim = Atomics.load(this.#words, this.#block + FOLLOWER.owner);
  }

  /** Whether somebody held the block when this was made. */
  get wasClaimed(): boolean {
    return isClaimed(this.#claim);
  }

  /** Whether that follower has closed, or was retired, since. */
  get isGone(): boolean {
    return Atomics.load(this.#words, this.#block + FOLLOWER.owner) !== this.#claim;
  }

  get period(): number {
    return Atomics.load(this.#words, this.#block + FOLLOWER.period) >>> 0;
  }

  /**
   * Returns how many steps it still has to publish up to a tick of an epoch; at most 0 when it has
   * caught up, Infinity when it has not come to that epoch or another has its block. A follower
   * that has closed counts by what it said last. Exact while it is fewer than 2^31 steps behind.
   */
  stepsLacking(targetTick: number, epoch: number): number {
    const words = this.#words;
    const before = Atomics.load(words, this.#block + FOLLOWER.epoch) >>> 0;
    const period = Atomics.load(words, this.#block + FOLLOWER.period) >>> 0;
    const done = Atomics.load(words, this.#block + FOLLOWER.done);
    const after = Atomics.load(words, this.#block + FOLLOWER.epoch) >>> 0;
    if (before === 0 || before !== epoch || after !== epoch) return Number.POSITIVE_INFINITY;
    const owner = Atomics.load(words, this.#block + FOLLOWER.owner);
    const released = (this.#claim + 1) | 0;
    if (owner !== this.#claim && owner !== released) return Number.POSITIVE_INFINITY;
    return (Math.floor(targetTick / period) - done) | 0;
  }
}

function isClaimed(owner: number): boolean {
  return (owner & 1) === 1;
}

function endClaim(words: Int32Array, block: number, claim: number): void {
  Atomics.compareExchange(words, block + FOLLOWER.owner, claim, (claim + 1) | 0);
}

function blockIndex(region: Region, number: number): number {
  return region.layout.followerBlocks / 4 + number * FOLLOWER_WORDS;
}

import { endFollowerClaim, type FollowerClaim } from '../shared/follower-block.ts';
import type { RegionHandle } from '../shared/handle.ts';
import type { Region } from '../shared/region.ts';
import { openSignal } from '../shared/region-signal.ts';
import { openRun, RunWatch } from '../shared/run-watch.ts';
import type { Signal } from '../shared/signal.ts';
import type { SleepEnd } from '../shared/sleepers.ts';
import { HEADER } from '../shared/words.ts';

/*
 * Threads    the host's of a simulation that follows another one.
 * Memory     adds to the simulation's own wake word and to the `sequence` of its leader's region.
 * Ordering   the own word first: who wakes by the other finds it changed.
 * Progress   wait-free.
 * Invariant  nothing is published by a raise: other waiters find the same record and sleep on.
 */

/**
 * The wake word of a simulation that sleeps on what its leader publishes: raising it ends that
 * sleep too, or the simulation would learn of a command a slice later.
 */
export class LedWake implements Signal {
  readonly #own: Signal;
  readonly #watch: RunWatch;
  #region: Region;
  #run: number;
  #leader: Signal;

  /** Throws NOT_SHARED when the leader's memory cannot be written from here. */
  constructor(own: Signal, leader: RegionHandle) {
    this.#own = own;
    this.#watch = new RunWatch(leader.id);
    this.#run = leader.run;
    this.#region = openRun(leader, this.#watch, false);
    this.#leader = openSignal(this.#region, HEADER.sequence);
  }

  get canBlock(): boolean {
    return this.#own.canBlock;
  }

  load(): number {
    return this.#own.load();
  }

  raise(): void {
    this.#own.raise();
    const next = this.#watch.successor(this.#region, this.#run);
    if (next !== undefined) {
      this.#run = next.run;
      this.#region = openRun(next, this.#watch, false);
      this.#leader = openSignal(this.#region, HEADER.sequence);
    }
    this.#leader.raise();
  }

  wait(expected: number, timeoutMs: number): SleepEnd {
    return this.#own.wait(expected, timeoutMs);
  }

  waitAsync(expected: number, timeoutMs: number): Promise<SleepEnd> {
    return this.#own.waitAsync(expected, timeoutMs);
  }

  close(): void {
    this.#own.close();
    this.#watch.close();
  }

  /**
   * Gives back what it knows the leader by, and ends the place among its followers that the
   * simulation may not have given back itself. The own word stays usable.
   */
  release(claim: FollowerClaim | undefined): void {
    if (claim !== undefined) endFollowerClaim(this.#region, claim);
    this.#watch.close();
  }
}

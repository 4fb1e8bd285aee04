import { cannotBlock, type Signal } from './signal.ts';
import type { SleepEnd } from './sleepers.ts';

/*
 * Threads    the one that made it.
 * Memory     the words of two signals.
 * Ordering   both words are only ever added to, so that their sum changes with each of them.
 * Progress   as the signals; a blocking sleep is on the second alone.
 * Invariant  a raise of either ends an asynchronous sleep; a blocking one may learn of a raise of
 *            the first a slice late, unless who raises it raises the second too.
 */

/** Sleeps on a thread's own word and on another's, which may be exchanged meanwhile. */
export class JointSignal implements Signal {
  readonly #own: Signal;
  readonly #other: () => Signal;

  constructor(own: Signal, other: () => Signal) {
    this.#own = own;
    this.#other = other;
  }

  get canBlock(): boolean {
    return this.#other().canBlock;
  }

  load(): number {
    return (this.#own.load() + this.#other().load()) | 0;
  }

  raise(): void {
    this.#own.raise();
  }

  wait(expected: number, timeoutMs: number): SleepEnd {
    if (!this.canBlock) throw cannotBlock();
    const other = this.#other();
    const seen = other.load();
    if (((this.#own.load() + seen) | 0) !== expected) return 'changed';
    return other.wait(seen, timeoutMs);
  }

  async waitAsync(expected: number, timeoutMs: number): Promise<SleepEnd> {
    const own = this.#own.load();
    const other = this.#other();
    const seen = other.load();
    if (((own + seen) | 0) !== expected) return 'changed';
    return Promise.race([this.#own.waitAsync(own, timeoutMs), other.waitAsync(seen, timeoutMs)]);
  }

  close(): void {
    this.#own.close();
  }
}

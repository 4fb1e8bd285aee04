import { assert } from './assert.ts';
import { AsyncWait, type WaitPrimitives } from './async-wait.ts';
import { EscapementError } from './error.ts';
import { type SleepEnd, Sleepers } from './sleepers.ts';

/*
 * Threads    any; a signal object belongs to the thread that made it, a word to all.
 * Memory     one word, changed by `Atomics.add` alone: it never returns to a value in a wait's
 *            life.
 * Ordering   the add publishes whatever was stored before `raise`; who loads the word, then looks
 *            at what it announces, then sleeps on the loaded value cannot miss a raise.
 * Progress   `load` and `raise` are wait-free, `wait` blocks for one slice at most, `waitAsync`
 *            never.
 * Invariant  a wake-up lost by the engine costs one slice, since every sleep ends after one.
 */

/** The longest blocking sleep: what a lost wake-up can cost, in milliseconds. */
export const BLOCKING_SLICE_MS = 50;

/**
 * A word on which threads sleep until something is announced. A sleep says nothing about what was
 * announced, and may end without: callers loop, as `waitUntil` does.
 */
export interface Signal {
  /** Whether {@link wait} works on this thread. */
  readonly canBlock: boolean;
  /** Returns the word, the value to sleep on. May be stale as soon as it is returned. */
  load(): number;
  /** Changes the word, then wakes all that sleep on it, on every thread. */
  raise(): void;
  /**
   * Blocks the thread while the word is `expected`: for `timeoutMs`, one slice, or less. Throws
   * `CANNOT_BLOCK` where the thread may not block.
   */
  wait(expected: number, timeoutMs: number): SleepEnd;
  /** Sleeps as {@link wait} does, in a slice of its own length, without blocking the thread. */
  waitAsync(expected: number, timeoutMs: number): Promise<SleepEnd>;
  /** Ends all sleeps of this object, now and later, with 'closed'. Leaves no timer. */
  close(): void;
}

/**
 * Returns whether this thread may block, by trying on memory of its own: false on a page's main
 * thread and without shared memory, true in workers and on Node.
 */
export function canBlock(primitives: WaitPrimitives = Atomics): boolean {
  if (typeof SharedArrayBuffer === 'undefined') return false;
  try {
    primitives.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;
  }
}

/** A signal between threads, over one word of shared memory. */
export class SharedSignal implements Signal {
  readonly canBlock: boolean;
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #primitives: WaitPrimitives;
  readonly #async: AsyncWait;
  #closed = false;

  /** Opens the signal; `primitives` stand in for `Atomics` where an engine's are not to be used. */
  constructor(words: Int32Array, index: number, primitives: WaitPrimitives = Atomics) {
    // By its tag, since a buffer may come from another realm.
    const kind = Object.prototype.toString.call(words.buffer);
    assert(kind === '[object SharedArrayBuffer]', 'a shared signal lies in shared memory');
    this.canBlock = canBlock(primitives);
    this.#words = words;
    this.#index = index;
    this.#primitives = primitives;
    this.#async = new AsyncWait(words, index, primitives);
  }

  load(): number {
    return Atomics.load(this.#words, this.#index);
  }

  raise(): void {
    Atomics.add(this.#words, this.#index, 1);
    // All: a single wake-up may go to a thread that is being terminated.
    this.#primitives.notify(this.#words, this.#index);
  }

  wait(expected: number, timeoutMs: number): SleepEnd {
    assert(timeoutMs >= 0, 'a sleep has a length');
    if (!this.canBlock) throw cannotBlock();
    if (this.#closed) return 'closed';
    this.#primitives.wait(
      this.#words,
      this.#index,
      expected,
      Math.min(timeoutMs, BLOCKING_SLICE_MS),
    );
    // Not what the primitive says: a notify meant for an earlier value is an 'ok' too.
    return this.load() === expected ? 'timed-out' : 'changed';
  }

  waitAsync(expected: number, timeoutMs: number): Promise<SleepEnd> {
    assert(timeoutMs >= 0, 'a sleep has a length');
    return this.#async.sleep(expected, timeoutMs);
  }

  close(): void {
    this.#closed = true;
    this.#async.close();
  }
}

/**
 * A signal within one thread, over a word of unshared memory. Only this object knows its sleepers:
 * all code that raises the word or sleeps on it shares one.
 */
export class LocalSignal implements Signal {
  /** Never: nobody else could end the wait. */
  readonly canBlock = false;
  readonly #words: Int32Array;
  readonly #index: number;
  readonly #sleepers: Sleepers = new Sleepers();
  #closed = false;

  constructor(words: Int32Array, index: number) {
    this.#words = words;
    this.#index = index;
  }

  load(): number {
    return Atomics.load(this.#words, this.#index);
  }

  raise(): void {
    Atomics.add(this.#words, this.#index, 1);
    this.#sleepers.wakeAll('changed');
  }

  wait(): SleepEnd {
    throw cannotBlock();
  }

  waitAsync(expected: number, timeoutMs: number): Promise<SleepEnd> {
    assert(timeoutMs >= 0, 'a sleep has a length');
    if (this.#closed) return Promise.resolve('closed');
    if (this.load() !== expected) return Promise.resolve('changed');
    return this.#sleepers.sleep(timeoutMs);
  }

  close(): void {
    this.#closed = true;
    this.#sleepers.wakeAll('closed');
  }
}

/** Makes the error for a blocking wait on a thread that may not block. */
export function cannotBlock(): EscapementError {
  return new EscapementError('CANNOT_BLOCK', 'This thread may not block.', {
    allowed: 'blocking waits in workers and on Node, on a simulation of another thread',
    fix: 'Use the asynchronous wait here.',
  });
}

import { EscapementError } from './error.ts';
import { createInstant, elapsedNs, type Instant, type MonotonicClock } from './instant.ts';
import { cannotBlock, type Signal } from './signal.ts';

/*
 * Threads    any.
 * Memory     the signal's word; the condition reads what the word announces.
 * Ordering   the word is loaded before the condition looks, so what is raised after the look
 *            ends the sleep on the loaded value at once.
 * Progress   `waitUntil` blocks, in slices; `waitUntilAsync` does not.
 * Invariant  only the condition, the caller's clock and the signal's end decide; why a sleep ended
 *            does not, so spurious wake-ups are harmless and a lost one costs one slice.
 */

/** Why a wait ended without its condition. */
export type WaitFailure = 'timed-out' | 'closed';

/**
 * Blocks until `condition` returns something other than undefined, and returns that; it is asked
 * once more after the timeout. 0 ms asks once, `Infinity` waits for ever, and no wait ends before
 * `timeoutMs` on `clock`. Refuses negative timeouts and NaN with `VALUE_INVALID`, and any timeout
 * but 0 with `CANNOT_BLOCK` where the thread may not block.
 */
export function waitUntil<T extends NonNullable<unknown> | null>(
  signal: Signal,
  condition: () => T | undefined,
  timeoutMs: number,
  clock: MonotonicClock,
): T | WaitFailure {
  checkTimeoutMs(timeoutMs);
  if (timeoutMs !== 0 && !signal.canBlock) throw cannotBlock();
  const timeout = new Timeout(timeoutMs, clock);
  for (let closed = false; ; ) {
    const seen = signal.load();
    const value = condition();
    if (value !== undefined) return value;
    if (closed) return 'closed';
    const remainingMs = timeout.remainingMs();
    if (remainingMs <= 0) return 'timed-out';
    closed = signal.wait(seen, remainingMs) === 'closed';
  }
}

/** Waits as {@link waitUntil} does, without blocking the thread. Refusals reject the promise. */
export async function waitUntilAsync<T extends NonNullable<unknown> | null>(
  signal: Signal,
  condition: () => T | undefined,
  timeoutMs: number,
  clock: MonotonicClock,
): Promise<T | WaitFailure> {
  checkTimeoutMs(timeoutMs);
  const timeout = new Timeout(timeoutMs, clock);
  for (let closed = false; ; ) {
    const seen = signal.load();
    const value = condition();
    if (value !== undefined) return value;
    if (closed) return 'closed';
    const remainingMs = timeout.remainingMs();
    if (remainingMs <= 0) return 'timed-out';
    closed = (await signal.waitAsync(seen, remainingMs)) === 'closed';
  }
}

/** Refuses, with `VALUE_INVALID`, what is no timeout: NaN and negative numbers. */
function checkTimeoutMs(timeoutMs: number): void {
  if (typeof timeoutMs === 'number' && timeoutMs >= 0) return;
  throw new EscapementError('VALUE_INVALID', 'This is not a timeout.', {
    given: String(timeoutMs),
    allowed: 'milliseconds from 0, fractions and Infinity included',
  });
}

/** A span of time that runs from its making. Neither 0 nor Infinity reads the clock. */
class Timeout {
  readonly #timeoutMs: number;
  readonly #clock: MonotonicClock;
  readonly #start: Instant = createInstant();
  readonly #now: Instant = createInstant();
  readonly #timed: boolean;

  constructor(timeoutMs: number, clock: MonotonicClock) {
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#timed = timeoutMs > 0 && timeoutMs < Infinity;
    if (this.#timed) clock.read(this.#start);
  }

  remainingMs(): number {
    if (!this.#timed) return this.#timeoutMs;
    return this.#timeoutMs - elapsedNs(this.#clock.read(this.#now), this.#start) / 1e6;
  }
}

import { EscapementError } from './error.ts';
import { type Instant, instantFromMs, type MonotonicClock } from './instant.ts';

/** The parts of the global scope a clock is made from; give `globalThis`. */
export interface ClockScope {
  readonly process?: { readonly hrtime?: () => [number, number] } | undefined;
  readonly performance?: { now(): number } | undefined;
}

/**
 * Makes this thread's monotonic clock. On Node it is `process.hrtime`, whose zero is the process's:
 * all threads agree without calibration, and in optimised code a reading allocates nothing. In
 * browsers it is `performance.now`, whose zero is the thread's own. Throws where there is neither.
 */
export function createSystemClock(scope: ClockScope): MonotonicClock {
  const hrtime = scope.process?.hrtime;
  if (typeof hrtime === 'function') return new HrtimeClock(hrtime);
  const { performance } = scope;
  if (performance !== undefined) return new PerformanceClock(performance);
  throw new EscapementError('CLOCK_UNCALIBRATED', 'This engine has no monotonic clock.', {
    allowed: 'process.hrtime or performance.now',
  });
}

/** Returns whether every thread's clock of that kind has the same zero, as on Node. */
export function isProcessWide(scope: ClockScope): boolean {
  return typeof scope.process?.hrtime === 'function';
}

class HrtimeClock implements MonotonicClock {
  /**
   * `hrtime` returns an array, which optimised code never makes if `hrtime` is inlined where the
   * array is taken apart. Inside a larger function the engine's budget for that may be used up, so
   * this function is kept from being inlined itself: calls through a proxy never are.
   */
  readonly read: (out: Instant) => Instant;

  constructor(hrtime: () => [number, number]) {
    this.read = new Proxy((out: Instant): Instant => {
      // Taken apart by a pattern: with indices V8 keeps 32 bytes of it a call (on Node 20).
      const [seconds, nanos] = hrtime();
      out.seconds = seconds | 0;
      out.nanos = nanos | 0;
      return out;
    }, {});
  }
}

class PerformanceClock implements MonotonicClock {
  /** Taken once: while a system runs in development, `performance.now` is a trap. */
  readonly #now: () => number;

  constructor(performance: { now(): number }) {
    this.#now = performance.now.bind(performance);
  }

  read(out: Instant): Instant {
    return instantFromMs(out, this.#now());
  }
}

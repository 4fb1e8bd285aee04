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

class HrtimeClock implements MonotonicClock {
  readonly #hrtime: () => [number, number];

  constructor(hrtime: () => [number, number]) {
    this.#hrtime = hrtime;
  }

  read(out: Instant): Instant {
    const reading = this.#hrtime();
    out.seconds = reading[0];
    out.nanos = reading[1];
    return out;
  }
}

class PerformanceClock implements MonotonicClock {
  readonly #performance: { now(): number };

  constructor(performance: { now(): number }) {
    this.#performance = performance;
  }

  read(out: Instant): Instant {
    return instantFromMs(out, this.#performance.now());
  }
}

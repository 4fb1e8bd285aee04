import type { DueAnchor } from './due.ts';
import { createInstant, type Instant } from './instant.ts';

/**
 * What a reader needs to turn a clock reading into alpha. While `running`, alpha at reading R is
 * (R - due) / quantum, clamped to [0, 1], where due is `due` plus `dueFraction`; else it is
 * `alpha`, and no clock is read. Filled by the world clock, reused by its owner.
 */
export interface Anchor extends DueAnchor {
  /** The last completed tick. */
  tick: number;
  /** Raised by each reconfigure and each seek; ticks compare within one epoch. */
  epoch: number;
  /** Whether the clock runs by readings: `due` holds; else the three alpha fields hold. */
  running: boolean;
  /**
   * When `tick` was due, down to the whole nanosecond. At a slow speed this may lie before the
   * clock's zero. 0 while not running.
   */
  readonly due: Instant;
  /** Part of a nanosecond beyond `due`, in [0, 1). */
  dueFraction: number;
  /** Wall nanoseconds of one quantum at the present speed; infinite at speed 0. */
  quantumWallNs: number;
  /** Alpha while not running, in [0, 1]: the numerator over the denominator. 0 while running. */
  alpha: number;
  /** An integer; the fraction is exact (of given deltas: to 2^-52). */
  alphaNumerator: number;
  alphaDenominator: number;
}

/** Makes an anchor at tick 0 that does not run. */
export function createAnchor(): Anchor {
  return {
    tick: 0,
    epoch: 1,
    running: false,
    due: createInstant(),
    dueFraction: 0,
    quantumWallNs: 0,
    alpha: 0,
    alphaNumerator: 0,
    alphaDenominator: 1,
  };
}

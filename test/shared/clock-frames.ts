import type { ClockOptions } from '../../src/shared/clock-options.ts';
import { EscapementError } from '../../src/shared/error.ts';
import { createInstant, type Instant } from '../../src/shared/instant.ts';
import { WorldClock } from '../../src/shared/world-clock.ts';
import { instantOf } from './exact.ts';

/** Drives a world clock frame by frame in tests; readings are nanoseconds, as numbers. */

const reading = createInstant();

/** A clock with a quantum of `numerator / denominator` seconds. */
export function clockOf(
  numerator: number,
  denominator: number,
  options: Partial<ClockOptions> = {},
): WorldClock {
  return new WorldClock({ quantum: { numerator, denominator }, ...options });
}

/** A live clock of 100 Hz that ran one tick and stands at alpha 0.3, at 13 ms. */
export function clockAtAlpha(): WorldClock {
  const clock = clockOf(1, 100);
  frameAt(clock, 0);
  frameAt(clock, 13_000_000);
  return clock;
}

/** A reading in milliseconds. */
export function at(ms: number): Instant {
  return createInstant(Math.floor(ms / 1000), (ms % 1000) * 1e6);
}

/** The code of the error that `act` throws. */
export function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof EscapementError) return error.code;
    throw error;
  }
  return 'accepted';
}

/** One frame at a reading: every planned tick succeeds. Returns how many ran. */
export function frameAt(clock: WorldClock, ns: number): number {
  reading.seconds = Math.floor(ns / 1e9);
  reading.nanos = ns - reading.seconds * 1e9;
  return finish(clock, clock.plan(reading));
}

/** One frame of a given wall time. Returns how many ticks ran. */
export function advance(clock: WorldClock, wallSeconds: number): number {
  return finish(clock, clock.planDelta(wallSeconds));
}

/** Exactly `count` ticks. */
export function step(clock: WorldClock, count = 1): number {
  return finish(clock, clock.planTicks(count));
}

export function alphaAt(clock: WorldClock, ns: number): number {
  return clock.alphaAt(instantOf(BigInt(ns)));
}

/** Where a body that moves a unit a tick is shown: blended between its last two ticks. */
export function shownAt(clock: WorldClock, ns: number): number {
  return Math.max(0, clock.tick - 1) + alphaAt(clock, ns);
}

function finish(clock: WorldClock, planned: number): number {
  for (let i = 0; i < planned; i++) clock.complete();
  clock.settle();
  return planned;
}

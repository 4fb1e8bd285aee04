import { EscapementError } from '../shared/error.ts';
import { canCompileKernels } from '../shared/copier.ts';
import { copyInstant, createInstant, elapsedNs, type MonotonicClock } from '../shared/instant.ts';
import type { Hello, Tier } from '../shared/protocol.ts';
import { canBlock } from '../shared/signal.ts';

/** What this simulation runs on, and why. */
export interface Capabilities {
  readonly tier: Tier;
  /** Why it is this tier, in a sentence. */
  readonly reason: string;
  /** Whether the page is cross-origin isolated; undefined where the word means nothing. */
  readonly isolated: boolean | undefined;
  readonly sharedMemory: boolean;
  /** Whether WebAssembly kernels may be compiled; without, JavaScript loops do the same. */
  readonly kernels: boolean;
  /** Whether this thread may block in a wait. */
  readonly blocking: boolean;
  readonly pacing: 'blocking' | 'event-loop' | 'manual';
  /** How far this thread's clock may be off the simulation's, in nanoseconds. */
  readonly clockErrorNs: number;
  /**
   * The smallest step this thread's clock was seen to make at start, in nanoseconds: browsers round
   * it for privacy. Infinity when it made none within some milliseconds; undefined with `manual`
   * pacing, where time is given.
   */
  readonly clockResolutionNs: number | undefined;
}

/** A tier and why. */
export interface TierChoice {
  readonly tier: Tier;
  readonly reason: string;
}

/**
 * Chooses how a worker's ticks reach this thread. Throws TIER_UNAVAILABLE, saying what is missing.
 */
export function chooseTier(asked: Tier | 'auto', worker: Hello): TierChoice {
  if (asked === 'calling-thread') {
    throw new EscapementError('TIER_UNAVAILABLE', 'A worker cannot run on the calling thread.', {
      given: 'tier "calling-thread" with a worker factory',
      fix: 'Use startSimulation(inline(definition)).',
    });
  }
  const missing = missingForSharing(worker);
  if (asked === 'transfer') {
    return { tier: 'transfer', reason: 'Asked for by the option `tier`.' };
  }
  if (missing === undefined) {
    const reason =
      isolatedHere() === undefined
        ? 'Threads of one Node process share memory.'
        : 'Page and worker are cross-origin isolated, so they share memory.';
    return { tier: 'shared', reason };
  }
  if (asked === 'auto') return { tier: 'transfer', reason: missing };
  throw new EscapementError('NOT_ISOLATED', 'Shared memory is not to be had here.', {
    given: missing,
    fix:
      'Serve page and worker scripts with Cross-Origin-Opener-Policy: same-origin and ' +
      'Cross-Origin-Embedder-Policy: require-corp, or leave `tier` at "auto".',
  });
}

/** Returns `crossOriginIsolated`, or undefined where it does not exist. */
function isolatedHere(): boolean | undefined {
  return (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated;
}

function missingForSharing(worker: Hello): string | undefined {
  if (isolatedHere() === false) return 'The page is not cross-origin isolated.';
  if (typeof SharedArrayBuffer === 'undefined') return 'This engine has no SharedArrayBuffer.';
  if (worker.isolated === false) return 'The worker is not cross-origin isolated.';
  if (!worker.hasSharedMemory) return 'The worker has no SharedArrayBuffer.';
  return undefined;
}

/** Describes what was chosen. */
export function describeCapabilities(
  choice: TierChoice,
  pacing: Capabilities['pacing'],
  clockErrorNs: number,
  clockResolutionNs: number | undefined,
): Capabilities {
  return Object.freeze({
    ...choice,
    isolated: isolatedHere(),
    sharedMemory: typeof SharedArrayBuffer !== 'undefined',
    kernels: canCompileKernels(),
    blocking: canBlock(),
    pacing,
    clockErrorNs,
    clockResolutionNs,
  });
}

const RESOLUTION_STEPS = 8;
/** Some milliseconds of reading, all of which only a coarse clock takes. */
const RESOLUTION_READINGS = 50_000;

/** Returns the smallest step a clock makes, in nanoseconds; Infinity when it makes none. */
export function measureResolutionNs(clock: MonotonicClock): number {
  const last = clock.read(createInstant());
  const now = createInstant();
  let smallest = Number.POSITIVE_INFINITY;
  for (let steps = 0, i = 0; steps < RESOLUTION_STEPS && i < RESOLUTION_READINGS; i++) {
    const step = elapsedNs(clock.read(now), last);
    if (step === 0) continue;
    steps++;
    smallest = Math.min(smallest, step);
    copyInstant(last, now);
  }
  return smallest;
}

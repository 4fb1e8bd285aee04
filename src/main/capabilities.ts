import { EscapementError } from '../shared/error.ts';
import { canCompileKernels } from '../shared/copier.ts';
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
export function isolatedHere(): boolean | undefined {
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
): Capabilities {
  return Object.freeze({
    ...choice,
    isolated: isolatedHere(),
    sharedMemory: typeof SharedArrayBuffer !== 'undefined',
    kernels: canCompileKernels(),
    blocking: canBlock(),
    pacing,
    clockErrorNs,
  });
}

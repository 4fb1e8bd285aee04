import type { TickWaitReason } from '../shared/tick-wait.ts';
import type { ControlledSimulation } from './controlled-simulation.ts';

/** The longest single wait; a wait that nobody is there for any more ends within it. */
const SLICE_MS = 1000;

/** Where a wait for a tick to be reached ended, and why. */
export interface TickReached {
  readonly reason: 'reached' | Exclude<TickWaitReason, 'changed'>;
  readonly tick: number;
  readonly epoch: number;
}

/**
 * Waits until the clock has reached `target` in the epoch in force at the call. Resolves with the
 * reason: reached, or that the epoch changed, the simulation ended, or the time was over. Returns
 * `timed-out` as soon as `isWanted` says no.
 */
export async function waitTick(
  simulation: ControlledSimulation,
  target: number,
  timeoutMs: number,
  isWanted: () => boolean,
): Promise<TickReached> {
  const end = performance.now() + timeoutMs;
  let { tick, epoch } = simulation.clock.status();
  const asked = epoch;
  for (;;) {
    if (epoch !== asked) return { reason: 'epoch-changed', tick, epoch };
    if (tick >= target) return { reason: 'reached', tick, epoch };
    const leftMs = end - performance.now();
    if (leftMs <= 0 || !isWanted()) return { reason: 'timed-out', tick, epoch };
    const change = await simulation.waitForTickChange(tick, Math.min(leftMs, SLICE_MS));
    ({ tick, epoch } = change);
    const { reason } = change;
    if (reason !== 'changed' && reason !== 'timed-out') {
      return tick >= target && epoch === asked
        ? { reason: 'reached', tick, epoch }
        : { reason, tick, epoch };
    }
  }
}

import type { RegionHandle } from './handle.ts';
import type { MonotonicClock } from './instant.ts';

/** What this thread knows of a simulation that was started or opened on it. */
export interface LocalSimulation {
  /** The handle of the newest run. */
  handle: RegionHandle;
  /** The clock this thread reads for it. */
  readonly clock: MonotonicClock;
  /** The simulation's reading minus this thread's, in nanoseconds, and how far it may be off. */
  offsetNs: number;
  offsetErrorNs: number;
  /** Whether the simulation runs on this very thread. */
  readonly sameThread: boolean;
}

const simulations = new Map<string, LocalSimulation>();

/** Remembers a simulation on this thread, so that views opened here need no calibration. */
export function registerLocal(simulation: LocalSimulation): void {
  simulations.set(simulation.handle.id, simulation);
}

/** Forgets a simulation that has ended. */
export function unregisterLocal(id: string): void {
  simulations.delete(id);
}

/** Returns what this thread knows of a simulation, if anything. */
export function findLocal(id: string): LocalSimulation | undefined {
  return simulations.get(id);
}

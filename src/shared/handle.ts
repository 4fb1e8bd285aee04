import type { RegionOptions } from './layout.ts';
import type { RegionMemory } from './region.ts';
import type { Schema } from './schema.ts';
import type { SimulationTypes, Typed } from './simulation-types.ts';

/** Marks a {@link SimulationHandle}; raised when its shape changes. */
export const HANDLE_VERSION = 1;

/**
 * What another thread needs to read a simulation: plain data and the shared memory. Post it in a
 * message (never in the transfer list) and give it to `openView`.
 */
export interface SimulationHandle<T extends SimulationTypes = SimulationTypes> extends Typed<T> {
  readonly kind: 'escapement/simulation';
  readonly version: number;
  /** Names the simulation; the same over restarts. */
  readonly id: string;
  /** Counts the simulation's runs: each restart makes another region. */
  readonly run: number;
}

/** A handle with what the library alone looks at. */
export interface RegionHandle<T extends SimulationTypes = SimulationTypes>
  extends SimulationHandle<T> {
  readonly schema: Schema;
  readonly options: RegionOptions;
  readonly memory: RegionMemory;
}

import type { RegionOptions } from '#dist/shared/layout.js';
import type { RegionMemory } from '#dist/shared/region.js';
import type { Schema } from '#dist/shared/schema.js';

/** Words of the control memory; each alone on its line. */
export const PING = 0;
export const PONG = 16;
export const CONTROL_WORDS = 32;

/** What the follower's thread needs. */
export interface PingTask {
  readonly control: Int32Array;
  readonly schema: Schema;
  readonly options: RegionOptions;
  readonly memory: RegionMemory;
  readonly blocks: number;
  readonly trips: number;
}

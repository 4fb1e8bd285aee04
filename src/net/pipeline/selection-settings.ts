import type { AreaOfInterest, LevelOfDetail } from './definition.ts';

/** What of a pipeline's definition decides what is sent, and when. Taken as checked. */
export interface SelectionSettings {
  /** Bits of `Technique`. */
  readonly techniques: number;
  readonly intervalTicks: number;
  readonly maxEntitiesPerUpdate: number;
  readonly areaOfInterest: AreaOfInterest;
  readonly levelOfDetail: LevelOfDetail;
}

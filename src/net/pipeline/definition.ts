/** The techniques of a pipeline, as bits of {@link PipelineDefinition.techniques}. */
export const Technique: {
  /** Emit only on ticks that are multiples of `intervalTicks`. */
  readonly SendInterval: 1;
  /** Emit at most `maxEntitiesPerUpdate` ordinary upserts an update, in turn. */
  readonly Incremental: 2;
  /** Encode floats as tokens of a fixed count of bits. */
  readonly Quantization: 4;
  /** Encode directions as two octahedral components. */
  readonly OctHeading: 8;
  /** Leave out what equals the baseline. */
  readonly Delta: 16;
  /** Leave out the fields that equal the baseline. */
  readonly DeltaFieldMask: 32;
  /** Pack complete records bit by bit. */
  readonly BitPacking: 256;
} = {
  SendInterval: 1,
  Incremental: 2,
  Quantization: 4,
  OctHeading: 8,
  Delta: 16,
  DeltaFieldMask: 32,
  BitPacking: 256,
};

/** Three numbers: x, y, z. */
export type Triple = readonly [number, number, number];

/** The box that quantised positions of the reference record lie in; world units. */
export interface PositionBounds {
  readonly min: Triple;
  readonly max: Triple;
}

/** Which entities a client is told of. Both boundaries are inclusive. */
export interface AreaOfInterest {
  readonly mode: 'none' | 'radius' | 'fov';
  /** World units; 0 for `none`. */
  readonly radius: number;
  /** The full angle of the cone in degrees, up to 180; 0 unless the mode is `fov`. */
  readonly fovDegrees: number;
}

/** How often an entity is due by its distance from the source. Both boundaries are inclusive. */
export interface LevelOfDetail {
  readonly mode: 'none' | 'distance-bands';
  /** World units; all four are 0 for `none`. */
  readonly near: number;
  readonly medium: number;
  readonly mediumIntervalTicks: number;
  readonly farIntervalTicks: number;
}

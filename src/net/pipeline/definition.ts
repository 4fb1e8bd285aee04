import type { CodingEffort } from '../entropy/coding-effort.ts';
import type { RecordDefinition } from '../record/record-definition.ts';

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
  /** Own records only: code differences from the baseline in as few bits as they need. */
  readonly DeltaPacking: 65536;
  /** Own records only: code differences from the baseline by how likely they are. */
  readonly Entropy: 131072;
} = {
  SendInterval: 1,
  Incremental: 2,
  Quantization: 4,
  OctHeading: 8,
  Delta: 16,
  DeltaFieldMask: 32,
  BitPacking: 256,
  DeltaPacking: 65_536,
  Entropy: 131_072,
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

/** How much work `Entropy` does for few bytes; see {@link CodingEffort}. */
export type EntropyEffort = Exclude<CodingEffort, 'packed'>;

/** What a replication pipeline does. Floats are those of f32. */
export interface PipelineDefinition {
  /** A sum of {@link Technique} bits. */
  readonly techniques: number;
  /** A record of one's own; undefined: the reference record. */
  readonly record: RecordDefinition | undefined;
  /** For `SendInterval`: ticks from one update to the next. */
  readonly intervalTicks: number;
  /** For `Incremental`: the most ordinary upserts of an update. */
  readonly maxEntitiesPerUpdate: number;
  /** For `Quantization`: the box of positions of the reference record. */
  readonly positionBounds: PositionBounds;
  /** For `Entropy`: both ends must have the same. */
  readonly entropyEffort: EntropyEffort;
  readonly areaOfInterest: AreaOfInterest;
  readonly levelOfDetail: LevelOfDetail;
}

/** A {@link PipelineDefinition} of which everything may be left to its default. */
export type PipelineOptions = Partial<PipelineDefinition>;

/**
 * Returns a whole, frozen definition: no technique, the reference record, every tick, 512 entities
 * an update, positions within 400 of the origin, the effort `fast`, no area of interest, no level
 * of detail. Floats are rounded to f32. It checks nothing: see `validatePipelineDefinition`.
 */
export function resolveDefinition(options: PipelineOptions = {}): PipelineDefinition {
  const {
    techniques = 0,
    record,
    intervalTicks = 1,
    maxEntitiesPerUpdate = 512,
    positionBounds = { min: [-400, -400, -400], max: [400, 400, 400] },
    entropyEffort = 'fast',
    areaOfInterest = { mode: 'none', radius: 0, fovDegrees: 0 },
    levelOfDetail = NO_DETAIL,
  } = options;
  const { fround } = Math;
  return Object.freeze({
    techniques,
    record,
    intervalTicks,
    maxEntitiesPerUpdate,
    positionBounds: Object.freeze({
      min: roundTriple(positionBounds.min),
      max: roundTriple(positionBounds.max),
    }),
    entropyEffort,
    areaOfInterest: Object.freeze({
      mode: areaOfInterest.mode,
      radius: fround(areaOfInterest.radius),
      fovDegrees: fround(areaOfInterest.fovDegrees),
    }),
    levelOfDetail: Object.freeze({
      ...levelOfDetail,
      near: fround(levelOfDetail.near),
      medium: fround(levelOfDetail.medium),
    }),
  });
}

const NO_DETAIL: LevelOfDetail = {
  mode: 'none',
  near: 0,
  medium: 0,
  mediumIntervalTicks: 0,
  farIntervalTicks: 0,
};

function roundTriple([x, y, z]: Triple): Triple {
  return Object.freeze([Math.fround(x), Math.fround(y), Math.fround(z)] as const);
}

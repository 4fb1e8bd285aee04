import {
  type PipelineDefinition,
  type PipelineOptions,
  resolveDefinition,
  type Triple,
} from '../../../src/net/pipeline/definition.ts';
import { wordsOfHex } from './hex.ts';
import { kebab } from './read-vectors.ts';

/** A definition as the vectors write it: only what differs from the defaults. */
export interface VectorDefinition {
  readonly mask: number;
  readonly interval?: number;
  readonly cap?: number;
  readonly bounds?: readonly [string, string];
  readonly aoi?: { readonly mode: string; readonly radius: string; readonly fov: string };
  readonly lod?: {
    readonly mode: string;
    readonly near: string;
    readonly medium: string;
    readonly medium_interval: number;
    readonly far_interval: number;
  };
}

/** Returns the floats of hexadecimal digits, eight a float. */
export function floatsOfHex(digits: string): number[] {
  return [...new Float32Array(Uint32Array.from(wordsOfHex(digits)).buffer)];
}

/** Returns the definition that the vectors write; it need not be valid. */
export function definitionOf(plain: VectorDefinition): PipelineDefinition {
  const { mask, interval, cap, bounds, aoi, lod } = plain;
  const options: PipelineOptions = {
    techniques: mask,
    ...(interval === undefined ? {} : { intervalTicks: interval }),
    ...(cap === undefined ? {} : { maxEntitiesPerUpdate: cap }),
    ...(bounds === undefined
      ? {}
      : { positionBounds: { min: tripleOf(bounds[0]), max: tripleOf(bounds[1]) } }),
  };
  const modeOf = (label: string): never => kebab(label) as never;
  return resolveDefinition({
    ...options,
    ...(aoi === undefined
      ? {}
      : {
          areaOfInterest: {
            mode: modeOf(aoi.mode),
            radius: floatOf(aoi.radius),
            fovDegrees: floatOf(aoi.fov),
          },
        }),
    ...(lod === undefined
      ? {}
      : {
          levelOfDetail: {
            mode: modeOf(lod.mode),
            near: floatOf(lod.near),
            medium: floatOf(lod.medium),
            mediumIntervalTicks: lod.medium_interval,
            farIntervalTicks: lod.far_interval,
          },
        }),
  });
}

function floatOf(digits: string): number {
  return floatsOfHex(digits)[0] ?? Number.NaN;
}

function tripleOf(digits: string): Triple {
  const [x = Number.NaN, y = Number.NaN, z = Number.NaN] = floatsOfHex(digits);
  return [x, y, z];
}

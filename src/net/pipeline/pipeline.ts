import type { CodingEffort } from '../entropy/coding-effort.ts';
import { SpawnRoom } from '../entropy/spawn-room.ts';
import { referenceRecord } from '../record/reference-record.ts';
import type { RecordShape } from '../record/record-shape.ts';
import { type LayoutName, RecordLayout } from '../wire/record-layout.ts';
import { decodeSignature, schemaVersionOf } from './decode-signature.ts';
import {
  type PipelineDefinition,
  type PipelineOptions,
  resolveDefinition,
  Technique,
} from './definition.ts';
import { definitionError, type PipelineFault, representationError } from './validate-definition.ts';
import type { NetError } from '../net-error.ts';

/** A definition with all that follows from it. Made once, shared by all clients; never changes. */
export interface Pipeline {
  readonly definition: PipelineDefinition;
  readonly shape: RecordShape;
  /** The upper and the lower 32 bits of what both ends must agree on. */
  readonly signatureHigh: number;
  readonly signatureLow: number;
  readonly schemaVersion: number;
  /** The representation report: how a complete record lies on the wire, and its width. */
  readonly layout: LayoutName;
  /**
   * Bits of a complete record, with its id. With a `coding`, what they would be with `BitPacking`.
   */
  readonly recordBits: number;
  /** The places of the lanes on the wire. */
  readonly records: RecordLayout;
  /** Updates may be patches: some technique makes them. */
  readonly allowsPatch: boolean;
  /** How records are coded, in updates of either kind; undefined: they are not. */
  readonly coding: CodingEffort | undefined;
  /** With a `coding`: what new rows take at least. @internal */
  readonly spawnRoom: SpawnRoom | undefined;
  /** Patches have records with field masks. */
  readonly hasFieldMasks: boolean;
  /** What forbids to encode with it; decoding does not care. undefined: nothing. */
  readonly encodeError: NetError<PipelineFault> | undefined;
}

/**
 * Makes a pipeline for both ends. Throws PIPELINE_INVALID with the first rule that is broken as its
 * `fault`.
 */
export function definePipeline(options: PipelineOptions = {}): Pipeline {
  const pipeline = compilePipeline(resolveDefinition(options));
  if (pipeline.encodeError !== undefined) throw pipeline.encodeError;
  return pipeline;
}

/**
 * Makes a pipeline of a definition that may be good for decoding only. Throws PIPELINE_INVALID if
 * it is not even that.
 */
export function compilePipeline(definition: PipelineDefinition): Pipeline {
  const error = representationError(definition);
  if (error !== undefined) throw error;
  const { techniques, record, positionBounds, levelOfDetail } = definition;
  const has = (bits: number): boolean => (techniques & bits) !== 0;
  const shape = record?.shape ?? referenceShape(has, positionBounds);
  const coding = codingOf(definition);
  const packsBits = has(Technique.BitPacking) || coding !== undefined;
  const records = new RecordLayout(shape, layoutName(definition), packsBits);
  const signature = decodeSignature(definition);
  return Object.freeze({
    definition,
    shape,
    signatureHigh: signature.high,
    signatureLow: signature.low,
    schemaVersion: schemaVersionOf(definition),
    layout: records.name,
    recordBits: records.recordBits,
    records,
    allowsPatch: has(Technique.Incremental | Technique.Delta) || levelOfDetail.mode !== 'none',
    coding,
    spawnRoom: coding === undefined ? undefined : new SpawnRoom(shape.lanes, coding),
    hasFieldMasks: has(Technique.DeltaFieldMask) && coding === undefined,
    encodeError: definitionError(definition),
  });
}

/** As {@link compilePipeline}, but returns undefined for a definition that cannot be decoded. */
export function tryCompilePipeline(definition: PipelineDefinition): Pipeline | undefined {
  return representationError(definition) === undefined ? compilePipeline(definition) : undefined;
}

function referenceShape(
  has: (bits: number) => boolean,
  bounds: PipelineDefinition['positionBounds'],
): RecordShape {
  if (!has(Technique.Quantization)) return referenceRecord();
  return referenceRecord({ bounds, isOctahedral: has(Technique.OctHeading) });
}

const LAYOUTS: Readonly<Record<CodingEffort, LayoutName>> = {
  packed: 'delta-packed-own',
  fast: 'entropy-fast-own',
  strong: 'entropy-strong-own',
};

function codingOf({ techniques, entropyEffort }: PipelineDefinition): CodingEffort | undefined {
  if ((techniques & Technique.DeltaPacking) !== 0) return 'packed';
  return (techniques & Technique.Entropy) === 0 ? undefined : entropyEffort;
}

function layoutName(definition: PipelineDefinition): LayoutName {
  const { techniques, record } = definition;
  const isPacked = (techniques & Technique.BitPacking) !== 0;
  const coding = codingOf(definition);
  if (coding !== undefined) return LAYOUTS[coding];
  if (record !== undefined) return isPacked ? 'bit-packed-own' : 'own';
  if (isPacked) return 'bit-packed-quantized-oct-heading';
  if ((techniques & Technique.OctHeading) !== 0) return 'quantized-oct-heading';
  return (techniques & Technique.Quantization) !== 0 ? 'quantized' : 'raw';
}

import { Fnv64 } from '../../shared/hash.ts';
import { type PipelineDefinition, Technique } from './definition.ts';

/** Version of the header. */
export const PROTOCOL_VERSION = 1;

/** Versions of what follows the header. */
const SCHEMA_COMPLETE = 5;
/** With field masks. */
const SCHEMA_MASKED = 6;
/** Of own records. */
const SCHEMA_OWN = 7;

/** What decides how bytes are read; cadence, area and level do not. */
const READING: number =
  Technique.Incremental |
  Technique.Quantization |
  Technique.OctHeading |
  Technique.Delta |
  Technique.DeltaFieldMask |
  Technique.BitPacking |
  Technique.DeltaPacking |
  Technique.Entropy;

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

/** Returns the schema version of a definition's updates. */
export function schemaVersionOf({ techniques, record }: PipelineDefinition): number {
  if (record !== undefined) return SCHEMA_OWN;
  return (techniques & Technique.DeltaFieldMask) === 0 ? SCHEMA_COMPLETE : SCHEMA_MASKED;
}

/**
 * Returns the decode signature: the FNV-1a of 64 bits over everything that both ends must agree on.
 * Protocol u16, schema u16 and techniques u32; with `Quantization` the bounds as six f32; for an
 * own record the text of its fields; with `Entropy` the name of its effort.
 */
export function decodeSignature(definition: PipelineDefinition): Fnv64 {
  const { techniques, positionBounds, record, entropyEffort } = definition;
  const hash = new Fnv64();
  hash.u32(PROTOCOL_VERSION * 65_536 + schemaVersionOf(definition));
  hash.u32(techniques & READING);
  if ((techniques & Technique.Quantization) !== 0) {
    for (const bound of [...positionBounds.min, ...positionBounds.max]) {
      float[0] = bound;
      hash.u32(word[0] as number);
    }
  }
  if (record !== undefined) hash.string(record.text);
  if ((techniques & Technique.Entropy) !== 0) hash.string(entropyEffort);
  return hash;
}

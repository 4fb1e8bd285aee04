import { NetError } from '../net-error.ts';
import type { EntropyEffort, PipelineDefinition } from './definition.ts';
import { Technique } from './definition.ts';

/** A rule of a pipeline definition, by what breaks it. */
export type PipelineFault =
  | 'record-not-defined'
  | 'unsupported-techniques'
  | 'oct-needs-quantization'
  | 'bit-packing-needs-quantization-and-oct'
  | 'field-mask-needs-delta'
  | 'reference-technique-with-own-record'
  | 'delta-packing-needs-delta'
  | 'entropy-needs-delta'
  | 'delta-packing-with-entropy'
  | 'bit-packing-of-coded-records'
  | 'entropy-effort-unknown'
  | 'interest-needs-position'
  | 'interval-zero'
  | 'cap-zero'
  | 'bounds-not-finite'
  | 'bounds-without-extent'
  | 'aoi-mode-unknown'
  | 'aoi-none-with-settings'
  | 'radius-invalid'
  | 'radius-with-fov'
  | 'fov-radius-invalid'
  | 'fov-angle-invalid'
  | 'lod-mode-unknown'
  | 'lod-none-with-settings'
  | 'lod-needs-aoi'
  | 'lod-distance-invalid'
  | 'lod-near-not-below-medium'
  | 'lod-medium-not-below-radius'
  | 'lod-medium-interval-too-small'
  | 'lod-far-not-above-medium'
  | 'lod-interval-too-large';

const { SendInterval, Incremental, Quantization, OctHeading, Delta, DeltaFieldMask, BitPacking } =
  Technique;
const { DeltaPacking, Entropy } = Technique;

const COMMON = SendInterval | Incremental | Delta | DeltaFieldMask | BitPacking;
const OF_REFERENCE = Quantization | OctHeading;
const OF_OWN = DeltaPacking | Entropy;

const EFFORTS: ReadonlySet<unknown> = new Set<EntropyEffort>(['fast', 'strong']);

/** The longest that a far entity may wait, in ticks. */
const INTERVAL_MAX = 65_535;

/** What a rule allows and how to keep it; a line for each, as they are checked. */
const ADVICE: Readonly<Record<PipelineFault, readonly [string, string]>> = {
  'record-not-defined': ['what defineRecord() returns', 'Give it the fields.'],
  'unsupported-techniques': [
    'bits of Technique; DeltaPacking and Entropy only with an own record',
    'Leave out the bits that have no name, or give a record.',
  ],
  'oct-needs-quantization': ['OctHeading with Quantization', 'Add Quantization.'],
  'bit-packing-needs-quantization-and-oct': [
    'BitPacking with Quantization and OctHeading, or with an own record',
    'Add both.',
  ],
  'field-mask-needs-delta': ['DeltaFieldMask with Delta', 'Add Delta.'],
  'reference-technique-with-own-record': [
    'with an own record, no Quantization and no OctHeading: its fields say how they are sent',
    'Declare quantised() and direction() fields instead.',
  ],
  'delta-packing-needs-delta': ['DeltaPacking with Delta', 'Add Delta.'],
  'entropy-needs-delta': ['Entropy with Delta', 'Add Delta.'],
  'delta-packing-with-entropy': ['DeltaPacking or Entropy', 'Leave one of them out.'],
  'bit-packing-of-coded-records': [
    'BitPacking without DeltaPacking and Entropy, which pack all records in their own way',
    'Leave BitPacking out.',
  ],
  'entropy-effort-unknown': ['entropyEffort: fast, strong', 'Leave it out for fast.'],
  'interest-needs-position': [
    'an area of interest with a record that says where an entity is',
    'Give position to defineRecord(), or leave areaOfInterest out.',
  ],
  'interval-zero': ['intervalTicks: a whole number of ticks from 1', 'Or leave out SendInterval.'],
  'cap-zero': ['maxEntitiesPerUpdate: a whole number from 1', 'Or leave out Incremental.'],
  'bounds-not-finite': ['positionBounds of finite numbers', 'Give the box the world lies in.'],
  'bounds-without-extent': ['min below max on each axis', 'Give the box the world lies in.'],
  'aoi-mode-unknown': ['none, radius, fov', 'Choose one of them.'],
  'aoi-none-with-settings': ['radius 0 and fovDegrees 0 without a mode', 'Choose a mode.'],
  'radius-invalid': ['a finite radius above 0', 'Give the distance at which entities vanish.'],
  'radius-with-fov': ['fovDegrees 0 in mode radius', 'Take mode fov, or no angle.'],
  'fov-radius-invalid': ['a finite radius above 0', 'Give the distance at which entities vanish.'],
  'fov-angle-invalid': ['a full angle above 0 and up to 180 degrees', 'For more, take radius.'],
  'lod-mode-unknown': ['none, distance-bands', 'Choose one of them.'],
  'lod-none-with-settings': ['distances and intervals of 0 without a mode', 'Choose a mode.'],
  'lod-needs-aoi': ['distance bands within an area of interest', 'Give areaOfInterest.'],
  'lod-distance-invalid': ['finite distances above 0', 'Give near and medium.'],
  'lod-near-not-below-medium': ['near below medium', 'Move them apart.'],
  'lod-medium-not-below-radius': ['medium below the radius', 'Move them apart.'],
  'lod-medium-interval-too-small': ['mediumIntervalTicks from 2', 'Near ones go every tick.'],
  'lod-far-not-above-medium': ['farIntervalTicks above mediumIntervalTicks', 'Raise it.'],
  'lod-interval-too-large': [`farIntervalTicks up to ${INTERVAL_MAX}`, 'Lower it.'],
};

/** Throws PIPELINE_INVALID with the first rule that a definition breaks, as its `fault`. */
export function validatePipelineDefinition(definition: PipelineDefinition): void {
  const error = definitionError(definition);
  if (error !== undefined) throw error;
}

/** Returns the error of the first rule that a definition breaks; undefined if it breaks none. */
export function definitionError(
  definition: PipelineDefinition,
): NetError<PipelineFault> | undefined {
  const fault =
    techniquesFault(definition) ||
    paceFault(definition) ||
    boundsFault(definition) ||
    interestFault(definition) ||
    detailFault(definition);
  return fault === '' ? undefined : errorOf(fault, definition);
}

/**
 * As {@link definitionError}, but of what bytes depend on only: a receiver does not care for
 * intervals, caps, areas and levels.
 */
export function representationError(
  definition: PipelineDefinition,
): NetError<PipelineFault> | undefined {
  const fault = techniquesFault(definition) || boundsFault(definition);
  return fault === '' ? undefined : errorOf(fault, definition);
}

function techniquesFault(definition: PipelineDefinition): PipelineFault | '' {
  const { techniques, record } = definition;
  const own = record !== undefined;
  if (own && !(typeof record.text === 'string' && Array.isArray(record.shape?.fields))) {
    return 'record-not-defined';
  }
  const has = (bit: number): boolean => (techniques & bit) !== 0;
  const allowed = COMMON | OF_REFERENCE | (own ? OF_OWN : 0);
  if (!Number.isInteger(techniques) || (techniques & allowed) !== techniques) {
    return 'unsupported-techniques';
  }
  if (own && has(OF_REFERENCE)) return 'reference-technique-with-own-record';
  if (has(OctHeading) && !has(Quantization)) return 'oct-needs-quantization';
  if (!own && has(BitPacking) && !(has(Quantization) && has(OctHeading))) {
    return 'bit-packing-needs-quantization-and-oct';
  }
  if (has(DeltaFieldMask) && !has(Delta)) return 'field-mask-needs-delta';
  if (has(DeltaPacking) && !has(Delta)) return 'delta-packing-needs-delta';
  if (has(Entropy) && !has(Delta)) return 'entropy-needs-delta';
  return codingFault(definition);
}

function codingFault({ techniques, entropyEffort }: PipelineDefinition): PipelineFault | '' {
  if ((techniques & OF_OWN) === 0) return '';
  if ((techniques & OF_OWN) === OF_OWN) return 'delta-packing-with-entropy';
  if ((techniques & BitPacking) !== 0) return 'bit-packing-of-coded-records';
  if ((techniques & DeltaPacking) !== 0) return '';
  return EFFORTS.has(entropyEffort) ? '' : 'entropy-effort-unknown';
}

function paceFault(definition: PipelineDefinition): PipelineFault | '' {
  const { techniques, intervalTicks, maxEntitiesPerUpdate } = definition;
  if ((techniques & SendInterval) !== 0 && !isCount(intervalTicks)) return 'interval-zero';
  if ((techniques & Incremental) !== 0 && !isCount(maxEntitiesPerUpdate)) return 'cap-zero';
  return '';
}

function boundsFault({ techniques, positionBounds }: PipelineDefinition): PipelineFault | '' {
  if ((techniques & Quantization) === 0) return '';
  const { min, max } = positionBounds;
  if (![...min, ...max].every((bound) => Number.isFinite(bound))) return 'bounds-not-finite';
  return min.every((low, axis) => low < (max[axis] as number)) ? '' : 'bounds-without-extent';
}

function interestFault({ areaOfInterest, record }: PipelineDefinition): PipelineFault | '' {
  const { mode, radius, fovDegrees } = areaOfInterest;
  switch (mode) {
    case 'none':
      return radius === 0 && fovDegrees === 0 ? '' : 'aoi-none-with-settings';
    case 'radius':
      if (!isDistance(radius)) return 'radius-invalid';
      if (fovDegrees !== 0) return 'radius-with-fov';
      break;
    case 'fov':
      if (!isDistance(radius)) return 'fov-radius-invalid';
      if (!(fovDegrees > 0 && fovDegrees <= 180)) return 'fov-angle-invalid';
      break;
    default:
      return 'aoi-mode-unknown';
  }
  return record !== undefined && record.shape.position < 0 ? 'interest-needs-position' : '';
}

function detailFault({ levelOfDetail, areaOfInterest }: PipelineDefinition): PipelineFault | '' {
  const { mode, near, medium, mediumIntervalTicks, farIntervalTicks } = levelOfDetail;
  if (mode === 'none') {
    const isPlain =
      near === 0 && medium === 0 && mediumIntervalTicks === 0 && farIntervalTicks === 0;
    return isPlain ? '' : 'lod-none-with-settings';
  }
  if (mode !== 'distance-bands') return 'lod-mode-unknown';
  if (areaOfInterest.mode === 'none') return 'lod-needs-aoi';
  if (!isDistance(near) || !isDistance(medium)) return 'lod-distance-invalid';
  if (near >= medium) return 'lod-near-not-below-medium';
  if (medium >= areaOfInterest.radius) return 'lod-medium-not-below-radius';
  if (!(isCount(mediumIntervalTicks) && mediumIntervalTicks >= 2)) {
    return 'lod-medium-interval-too-small';
  }
  if (!(isCount(farIntervalTicks) && farIntervalTicks > mediumIntervalTicks)) {
    return 'lod-far-not-above-medium';
  }
  return farIntervalTicks <= INTERVAL_MAX ? '' : 'lod-interval-too-large';
}

function isDistance(value: number): boolean {
  return value > 0 && value < Number.POSITIVE_INFINITY;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function errorOf(fault: PipelineFault, definition: PipelineDefinition): NetError<PipelineFault> {
  const [allowed, fix] = ADVICE[fault];
  const { record, ...rest } = definition;
  return new NetError('PIPELINE_INVALID', fault, `A pipeline cannot be so: ${fault}.`, {
    given: `${JSON.stringify(rest)}${record === undefined ? '' : ' with an own record'}`,
    allowed,
    fix,
  });
}

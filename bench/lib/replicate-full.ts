import { defineRecord, direction, quantised, Technique, uint } from 'escapement/net';
import { WORLD_M } from './herd-motion.ts';
import type { ReplicationContender } from './replicate-contender.ts';
import { contenderOf } from './replicate-escapement.ts';

/** Apart on each axis: the corner of a cube of it is less than a centimetre from its middle. */
const STEP_M = 0.0115;

/** The fields of the reference record, as finely as the bench asks for. */
const record = defineRecord({
  fields: {
    classification: uint(8),
    position: quantised({ width: 3, min: 0, max: WORLD_M, precision: STEP_M }),
    heading: direction(8),
    hue: uint(8),
  },
  position: 'position',
});

/** All of it: an own record, field masks and entropy. */
export const escapementFull: ReplicationContender = contenderOf({
  record,
  techniques: Technique.Delta | Technique.DeltaFieldMask | Technique.Entropy,
});

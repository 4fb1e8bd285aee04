import { bytes } from '../../../src/net/record/bytes-field.ts';
import { direction } from '../../../src/net/record/direction-field.ts';
import { float32, quantised } from '../../../src/net/record/float-field.ts';
import { enumeration, int } from '../../../src/net/record/integer-field.ts';
import { orientation } from '../../../src/net/record/orientation-field.ts';
import { defineRecord } from '../../../src/net/record/record-definition.ts';

/** A record with a field of most kinds, for packets from outside. */
export const mixedRecord = defineRecord({
  fields: {
    place: quantised({ min: [-9, -9], max: [9, 9], precision: 0.1 }),
    speed: float32(),
    level: int(5),
    state: enumeration(['a', 'b', 'c']),
    facing: direction(7),
    turn: orientation(9),
    note: bytes(6),
  },
});

import { checkWhole, type FieldSpec, fieldSpec } from './field-spec.ts';
import { StrictOctahedralCodec } from './octahedral-codec.ts';

/**
 * Declares a direction in space, x y z, as two octahedral numbers of `bits` bits each, 3 to 16: at
 * 16 it is within 0.004 degrees, at 8 within 1. It comes out with length 1. Zero has no direction:
 * it is sent as +x and counted. NaN and infinity are refused. Throws SCHEMA_INVALID.
 */
export function direction(bits: number = 16): FieldSpec {
  checkWhole('field-bits-invalid', 'The bits of direction()', bits, 3, 16);
  return fieldSpec('direction', bits, new StrictOctahedralCodec(bits), 'finite', 'direction');
}

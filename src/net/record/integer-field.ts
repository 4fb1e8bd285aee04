import { checkWhole, type FieldSpec, fieldFault, fieldSpec } from './field-spec.ts';
import { IntegerCodec } from './integer-codec.ts';

/** Returns the bits that `count` different tokens take, at least 1. */
export function bitsFor(count: number): number {
  return Math.max(1, 32 - Math.clz32(count - 1));
}

/** Declares a whole number from 0 to 2^bits - 1; `bits` from 1 to 32. Throws SCHEMA_INVALID. */
export function uint(bits: number): FieldSpec {
  checkWhole('field-bits-invalid', 'The bits of uint()', bits, 1, 32);
  const codec = new IntegerCodec('u32', 0, 2 ** bits - 1, bits, 'linear');
  return fieldSpec('uint', bits, codec);
}

/**
 * Declares a whole number from -2^(bits - 1) to 2^(bits - 1) - 1; `bits` from 2 to 32. Throws
 * SCHEMA_INVALID.
 */
export function int(bits: number): FieldSpec {
  checkWhole('field-bits-invalid', 'The bits of int()', bits, 2, 32);
  const half = 2 ** (bits - 1);
  return fieldSpec('int', bits, new IntegerCodec('i32', -half, half - 1, bits, 'linear'));
}

/** Declares yes or no: 1 or 0, one bit. */
export function bool(): FieldSpec {
  return fieldSpec('bool', 1, new IntegerCodec('u32', 0, 1, 1, 'category'));
}

/**
 * Declares one of some values: the number of its place in the list, from 0, in as few bits as hold
 * all. The texts are part of the signature. Throws SCHEMA_INVALID unless there are 1 to 65536
 * different ones.
 */
export function enumeration(values: readonly string[]): FieldSpec {
  const isList = Array.isArray(values) && values.every((value) => typeof value === 'string');
  if (!isList || values.length < 1 || values.length > 65_536) {
    throw fieldFault(
      'field-values-invalid',
      'There is no such enumeration.',
      isList ? `${values.length} values` : values,
      'a list of 1 to 65536 texts',
      'Use interned() for names that are more, or that grow.',
    );
  }
  const seen = new Set<string>();
  const twice = values.find((value) => seen.size === seen.add(value).size);
  if (twice !== undefined) {
    const headline = 'An enumeration has a value twice.';
    const allowed = 'texts that differ';
    throw fieldFault('field-values-invalid', headline, twice, allowed, 'Take one of them out.');
  }
  const last = values.length - 1;
  const codec = new IntegerCodec('u32', 0, last, bitsFor(values.length), 'category');
  return fieldSpec('enumeration', values, codec);
}

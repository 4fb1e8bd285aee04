import { EscapementError } from '../shared/error.ts';
import {
  checkName,
  type FieldSchema,
  type FieldType,
  type ScalarType,
  scalarBytes,
} from '../shared/schema.ts';

/** Derives the fields of what is declared at `where`. Throws SCHEMA_INVALID. */
export function fieldsOf<F extends string>(
  fields: Readonly<Record<string, string>>,
  where: string,
  accepts: (type: string) => type is F,
): FieldSchema<F>[] {
  return Object.entries(fields).map(([name, type]) => {
    checkName(name, where);
    if (!accepts(type)) throw badWord(`${where}.${name}`, type, 'a number type');
    return { name, type };
  });
}

const FIELD_TYPES: readonly string[] = ['f32', 'f64', 'i32', 'u32', 'bool', 'entity'];

/** Says whether an input or an event can have a field of this type. */
export function isFieldType(type: string): type is FieldType {
  return FIELD_TYPES.includes(type);
}

/** Says whether a global can be of this type. */
export function isScalarType(type: string): type is ScalarType {
  return scalarBytes(type as ScalarType) !== undefined;
}

/** Makes the error for a word that is none of those allowed. */
export function badWord(where: string, given: unknown, allowed: string): EscapementError {
  return new EscapementError('SCHEMA_INVALID', `${where} has an unknown type.`, {
    given: JSON.stringify(given),
    allowed,
  });
}

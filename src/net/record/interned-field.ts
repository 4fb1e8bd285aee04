import { type FieldSpec, fieldFault, fieldSpec } from './field-spec.ts';
import { IntegerCodec } from './integer-codec.ts';
import { bitsFor } from './integer-field.ts';
import { NameTable } from './name-table.ts';

/**
 * Declares a name by its id in a {@link NameTable}. With a table: the table is sealed, its names
 * are part of the signature, and an id takes as few bits as hold all. With 16 or 32: ids of a table
 * that grows on both sides. Throws SCHEMA_INVALID.
 */
export function interned(names: NameTable | 16 | 32): FieldSpec {
  if (names instanceof NameTable && names.count > 0) {
    names.seal();
    const codec = new IntegerCodec('u32', 0, names.count - 1, bitsFor(names.count), 'category');
    return fieldSpec('interned', names.names, codec);
  }
  if (names !== 16 && names !== 32) {
    const given = names instanceof NameTable ? 'an empty table' : names;
    const allowed = 'a NameTable with names, or 16 or 32 bits for one that grows';
    const fix = 'Fill the table first, or give 16 or 32.';
    throw fieldFault('field-names-invalid', 'There are no such names.', given, allowed, fix);
  }
  return fieldSpec(
    'interned',
    names,
    new IntegerCodec('u32', 0, 2 ** names - 1, names, 'category'),
  );
}

import { NetError } from '../net-error.ts';
import type { FieldSpec } from './field-spec.ts';
import type { FieldShape, RecordShape } from './record-shape.ts';

/** The most fields of a record: a bit each in a mask, and one bit that says all. */
const FIELDS_MAX = 31;

/** A record of one's own: what {@link defineRecord} takes. */
export interface RecordOptions {
  /** The fields by name, in the order in which they are sent; 1 to 31. */
  readonly fields: Readonly<Record<string, FieldSpec>>;
  /**
   * The field that says where an entity is, `quantised` or `float32`, of two or three numbers. By
   * default none: then nothing depends on distance.
   */
  readonly position?: string;
}

/** A record of one's own, ready for a pipeline. */
export interface RecordDefinition {
  readonly shape: RecordShape;
  /** Everything that decides the bytes of a record. Part of the signature. */
  readonly text: string;
}

/** What is wrong with a record. */
export type RecordFault =
  | 'record-fields-invalid'
  | 'record-field-name-invalid'
  | 'record-field-not-declared'
  | 'record-position-invalid';

/**
 * Defines what an entity is in a replication. Throws SCHEMA_INVALID: for no fields or more than 31,
 * names that are no identifiers, fields that no function of ours declared, and a position that is
 * no place.
 */
export function defineRecord(options: RecordOptions): RecordDefinition {
  const entries = Object.entries(options.fields ?? {});
  if (entries.length < 1 || entries.length > FIELDS_MAX) {
    throw fault('record-fields-invalid', 'A record needs fields.', {
      given: `${entries.length} fields`,
      allowed: `1 to ${FIELDS_MAX}`,
      fix: 'Put several numbers into one field, or split the entities into two replications.',
    });
  }
  for (const [name, spec] of entries) checkField(name, spec);
  const { position } = options;
  const place = position === undefined ? -1 : entries.findIndex(([name]) => name === position);
  if (position !== undefined) checkPosition(position, entries[place]?.[1]);
  const text = JSON.stringify([...entries.map(([name, spec]) => [name, spec.text]), place]);
  return Object.freeze({ shape: shapeOf(entries, place), text });
}

/** Gives the fields and their lanes a place. */
export function shapeOf(
  entries: readonly (readonly [string, FieldSpec])[],
  position: number,
): RecordShape {
  let lane = 0;
  const fields = entries.map(([name, { codec, check, blend, turn }], index): FieldShape => {
    const field = Object.freeze({ name, index, codec, lane, check, blend, turn });
    lane += codec.lanes.length;
    return field;
  });
  const lanes = fields.flatMap(({ index, codec }) =>
    codec.lanes.map(({ kind, bits }) => Object.freeze({ field: index, kind, bits })),
  );
  return Object.freeze({ fields, lanes, position });
}

function checkField(name: string, spec: FieldSpec): void {
  if (!/^[A-Za-z][A-Za-z0-9]{0,63}$/.test(name)) {
    throw fault('record-field-name-invalid', 'A field cannot be called that.', {
      given: JSON.stringify(name),
      allowed: 'a letter, then letters and digits, 64 at most',
      fix: 'Call it what its column is called in the code, such as viewAngle.',
    });
  }
  if (typeof spec?.text === 'string' && typeof spec.codec?.encode === 'function') return;
  throw fault('record-field-not-declared', `The field ${name} is not declared.`, {
    given: Object.prototype.toString.call(spec),
    allowed: 'what quantised(), float32(), uint(), int(), bool(), enumeration() and such return',
    fix: 'Call one of these with its options, and give what it returns.',
  });
}

function checkPosition(name: string, spec: FieldSpec | undefined): void {
  const width = spec?.codec.width ?? 0;
  const isPlace = spec?.kind === 'quantised' || spec?.kind === 'float32';
  if (isPlace && (width === 2 || width === 3)) return;
  throw fault('record-position-invalid', 'That field says not where an entity is.', {
    given: spec === undefined ? `no field ${name}` : `${name}: ${spec.kind} of ${width} numbers`,
    allowed: 'the name of a quantised() or float32() field of two or three numbers',
    fix: 'Leave position out if nothing depends on distance.',
  });
}

function fault(
  fault: RecordFault,
  headline: string,
  detail: { given: string; allowed: string; fix: string },
): NetError<RecordFault> {
  return new NetError('SCHEMA_INVALID', fault, headline, detail);
}

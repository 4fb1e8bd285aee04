import { NetError } from '../net-error.ts';
import type { FieldCodec } from './field-codec.ts';
import type { FieldBlend, FieldCheck } from './record-shape.ts';

/** The kinds of fields that a record can have, by the function that declares them. */
export type FieldKind =
  | 'quantised'
  | 'float32'
  | 'uint'
  | 'int'
  | 'bool'
  | 'enumeration'
  | 'turn'
  | 'direction'
  | 'orientation'
  | 'bytes'
  | 'interned';

/** A field as it is declared, by one of the functions that are named in {@link FieldKind}. */
export interface FieldSpec {
  readonly kind: FieldKind;
  /** Everything that decides its bytes. Part of the signature, so that both ends must agree. */
  readonly text: string;
  readonly codec: FieldCodec;
  readonly check: FieldCheck;
  readonly blend: FieldBlend;
  /** For the blend `circular`: a full turn; 0 for others. */
  readonly turn: number;
}

/** What is wrong with a declaration. */
export type FieldFault =
  | 'field-width-invalid'
  | 'field-bits-invalid'
  | 'field-range-invalid'
  | 'field-precision-invalid'
  | 'field-values-invalid'
  | 'field-period-invalid'
  | 'field-length-invalid'
  | 'field-names-invalid';

/** Makes a frozen declaration; `settings` is all that decides its bytes. */
export function fieldSpec(
  kind: FieldKind,
  settings: unknown,
  codec: FieldCodec,
  check: FieldCheck = 'none',
  blend: FieldBlend = 'step',
  turn: number = 0,
): FieldSpec {
  const text = `${kind} ${JSON.stringify(settings)}`;
  return Object.freeze({ kind, text, codec, check, blend, turn });
}

/** Makes the error of a declaration that cannot be. */
export function fieldFault(
  fault: FieldFault,
  headline: string,
  given: unknown,
  allowed: string,
  fix: string,
): NetError<FieldFault> {
  return new NetError('SCHEMA_INVALID', fault, headline, {
    given: JSON.stringify(given, printable) ?? 'undefined',
    allowed,
    fix,
  });
}

/** JSON has no word for these, and would say null. */
function printable(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/** Returns a whole number within bounds, or throws the fault. */
export function checkWhole(
  fault: FieldFault,
  what: string,
  value: number,
  min: number,
  max: number,
): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const allowed = `a whole number from ${min} to ${max}`;
  throw fieldFault(fault, `${what} cannot be that.`, value, allowed, 'Choose one of these.');
}

/** Refuses a value that is not a number: to send another in its place would hide the fault. */
export function refuseNaN(row: number): never {
  throw new NetError('SNAPSHOT_INVALID', 'value-not-a-number', 'A value is not a number.', {
    given: `row ${row} of the snapshot`,
    allowed: 'numbers; those outside of a field are clamped and counted',
    fix: 'Find what computed it: a NaN stays one for good.',
  });
}

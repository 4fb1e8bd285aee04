import { EscapementError } from './error.ts';

/** How one number of a column is stored. `fixed` is Q16.16 in a signed 32-bit integer. */
export type ScalarType = 'f32' | 'f64' | 'i32' | 'u32' | 'u16' | 'u8' | 'fixed';

/** How a published channel is blended between two ticks. */
export type Blend = 'lerp' | 'angle' | 'slerp' | 'nlerp' | 'step' | 'fixed';

/** How one field of an input or an event is carried. `bool` is 0 or 1, `entity` a handle. */
export type FieldType = 'f32' | 'f64' | 'i32' | 'u32' | 'bool' | 'entity';

/** A value that can be a parameter: plain, and part of a run's identity. */
export type ParamValue = number | string | boolean;

/** How many numbers belong together and are blended as one. */
export type ElementWidth = 1 | 2 | 3 | 4;

/** Describes a component: `width` numbers of one scalar type per entity; a tag has none. */
export interface ComponentSpec<S extends ScalarType = ScalarType, W extends number = number> {
  readonly scalar: S;
  readonly width: W;
  readonly blend: Blend;
  /**
   * For a list: numbers of one of its elements, of which `width` holds several. Absent elsewhere:
   * the whole width is one element.
   */
  readonly element?: ElementWidth;
  /** For `angle`: the length of a full turn in the channel's unit. 0 elsewhere. */
  readonly period: number;
  /**
   * For a sparse component: the most entities that have it at once; its numbers lie packed, one row
   * for each of them. Absent for a dense one, which has a row for every slot.
   */
  readonly rows?: number;
}

/** A component with its name and its place among the published channels (-1: not published). */
export interface ComponentSchema extends ComponentSpec {
  readonly name: string;
  readonly channelIndex: number;
}

/** A field of a global, an input or an event. */
export interface FieldSchema<T extends string = FieldType> {
  readonly name: string;
  readonly type: T;
}

/** An input: `state` keeps the last value, `event` keeps each one in order. */
export interface InputSchema {
  readonly name: string;
  readonly as: 'state' | 'event';
  readonly fields: readonly FieldSchema[];
}

/** An event the simulation emits. */
export interface EventSchema {
  readonly name: string;
  readonly fields: readonly FieldSchema[];
}

/**
 * What both sides of a region must agree on, as plain data. The worker derives it from the
 * simulation's definition and sends it once; the memory layout follows from it alone.
 */
export interface Schema {
  readonly name: string;
  readonly capacity: number;
  readonly quantum: { readonly numerator: number; readonly denominator: number };
  readonly components: readonly ComponentSchema[];
  readonly globals: readonly FieldSchema<ScalarType>[];
  readonly inputs: readonly InputSchema[];
  readonly events: readonly EventSchema[];
  readonly params: Readonly<Record<string, ParamValue>>;
  /** Names of the systems in the order of registration; system k owns generator k + 1. */
  readonly systems: readonly string[];
  /** Whether the world keeps what changed in each tick, for the enter and exit lists of queries. */
  readonly changes: boolean;
}

/** The most components of one world. */
export const COMPONENTS_MAX = 256;

/** The most numbers one entity has in one component: that of a list of 256 quaternions. */
export const WIDTH_MAX = 1024;

/** The most entities one world can hold: an index takes at most 20 of a handle's 32 bits. */
export const CAPACITY_MAX: number = 2 ** 20;

const BYTES: Readonly<Record<ScalarType, number>> = {
  f32: 4,
  f64: 8,
  i32: 4,
  u32: 4,
  u16: 2,
  u8: 1,
  fixed: 4,
};

/** Returns the bytes of one number of a scalar type. */
export function scalarBytes(scalar: ScalarType): number {
  return BYTES[scalar];
}

/** Returns how many numbers of a component are blended as one. */
export function elementWidth(spec: ComponentSpec): number {
  return spec.element ?? spec.width;
}

/** Returns the bytes one entity takes in a column. */
export function strideBytes(spec: ComponentSpec): number {
  return BYTES[spec.scalar] * spec.width;
}

/** The typed array that views a column of a scalar type. */
export type ColumnOf<S extends ScalarType> = S extends 'f32'
  ? Float32Array
  : S extends 'f64'
    ? Float64Array
    : S extends 'i32' | 'fixed'
      ? Int32Array
      : S extends 'u32'
        ? Uint32Array
        : S extends 'u16'
          ? Uint16Array
          : S extends 'u8'
            ? Uint8Array
            : never;

/** Any typed array a column can be viewed as. */
export type Column =
  | Float32Array
  | Float64Array
  | Int32Array
  | Uint32Array
  | Uint16Array
  | Uint8Array;

/** Makes the typed array that views `length` numbers of a scalar type at `byteOffset`. */
export function viewColumn(
  buffer: ArrayBufferLike,
  scalar: ScalarType,
  byteOffset: number,
  length: number,
): Column {
  switch (scalar) {
    case 'f32':
      return new Float32Array(buffer, byteOffset, length);
    case 'f64':
      return new Float64Array(buffer, byteOffset, length);
    case 'i32':
    case 'fixed':
      return new Int32Array(buffer, byteOffset, length);
    case 'u32':
      return new Uint32Array(buffer, byteOffset, length);
    case 'u16':
      return new Uint16Array(buffer, byteOffset, length);
    case 'u8':
      return new Uint8Array(buffer, byteOffset, length);
  }
}

const NAME = /^[A-Za-z_$][\w$]*$/;

/** Refuses a name that is no plain identifier, saying where it stands. */
export function checkName(name: string, where: string): void {
  if (NAME.test(name)) return;
  throw new EscapementError('SCHEMA_INVALID', `A name in ${where} is not an identifier.`, {
    given: JSON.stringify(name),
    allowed: 'letters, digits, _ and $, not starting with a digit',
    fix: 'Rename it: the name becomes a property on both sides of the thread boundary.',
  });
}

/** Refuses a component spec whose parts do not fit together. */
export function checkComponent(name: string, spec: ComponentSpec): void {
  checkName(name, 'components');
  const fault = componentFault(spec);
  if (fault === undefined) return;
  throw new EscapementError('SCHEMA_INVALID', `Component "${name}" is not possible: ${fault}`, {
    given: JSON.stringify(spec),
    fix: 'Use vec2(), scalar(), angle(), quaternion(), fixed(), step(), tag(), list(), sparse().',
  });
}

function componentFault(spec: ComponentSpec): string | undefined {
  if (BYTES[spec.scalar] === undefined) return 'its scalar type is unknown.';
  const fault = widthFault(spec);
  if (fault !== undefined) return fault;
  const { rows } = spec;
  if (rows !== undefined && !(Number.isInteger(rows) && rows >= 1 && rows <= CAPACITY_MAX)) {
    return `its rows must be a whole number from 1 to ${CAPACITY_MAX}.`;
  }
  if (spec.width === 0) {
    if (rows !== undefined) return 'a tag has no rows, so it cannot be sparse.';
    return spec.blend === 'step' ? undefined : 'a tag has nothing to blend.';
  }
  const float = spec.scalar === 'f32' || spec.scalar === 'f64';
  switch (spec.blend) {
    case 'lerp':
      return float ? undefined : 'lerp needs f32 or f64; use step for integers.';
    case 'angle':
      if (!float) return 'angles are f32 or f64.';
      return spec.period > 0 && Number.isFinite(spec.period)
        ? undefined
        : 'the period of an angle must be a positive number.';
    case 'slerp':
    case 'nlerp':
      return float && elementWidth(spec) === 4
        ? undefined
        : `${spec.blend} needs four f32 or f64 (x, y, z, w).`;
    case 'fixed':
      return spec.scalar === 'fixed' ? undefined : 'the fixed blend needs the fixed scalar.';
    case 'step':
      return undefined;
    default:
      return 'its blend is unknown.';
  }
}

function widthFault({ width, element, rows }: ComponentSpec): string | undefined {
  if (element === undefined) {
    return [0, 1, 2, 3, 4].includes(width)
      ? undefined
      : 'its width must be 1, 2, 3 or 4, 0 for a tag.';
  }
  if (![1, 2, 3, 4].includes(element)) return 'its elements must have 1, 2, 3 or 4 numbers.';
  const count = width / element;
  if (!(Number.isInteger(count) && count >= 1 && width <= WIDTH_MAX)) {
    return `its elements must be at least one and have at most ${WIDTH_MAX} numbers together.`;
  }
  return rows === undefined ? undefined : 'a list cannot be sparse.';
}

/** Returns a schema with a run's own quantum and parameters in place of the declared ones. */
export function withRun(schema: Schema, run: Pick<Schema, 'quantum' | 'params'>): Schema {
  const { numerator, denominator } = run.quantum;
  return { ...schema, quantum: { numerator, denominator }, params: { ...run.params } };
}

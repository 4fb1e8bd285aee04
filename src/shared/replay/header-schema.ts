import { describeCause, EscapementError } from '../error.ts';
import { checkQuantum } from '../rational.ts';
import {
  CAPACITY_MAX,
  checkComponent,
  type ComponentSchema,
  COMPONENTS_MAX,
  type EventSchema,
  type FieldSchema,
  type FieldType,
  type InputSchema,
  type ParamValue,
  type ScalarType,
  type Schema,
  WIDTH_MAX,
} from '../schema.ts';
import { placeWorld } from '../world-map.ts';
import {
  badPart,
  flagAt,
  listAt,
  nameAt,
  namedListAt,
  numberAt,
  objectAt,
  textAt,
  wholeAt,
  wordAt,
} from './header-value.ts';

const SCALARS: readonly ScalarType[] = ['f32', 'f64', 'i32', 'u32', 'u16', 'u8', 'fixed'];
const FIELDS: readonly FieldType[] = ['f32', 'f64', 'i32', 'u32', 'bool', 'entity'];
const BLENDS = ['lerp', 'angle', 'slerp', 'nlerp', 'step', 'fixed'] as const;

/** A world of 4 GiB and more has no region. */
const WORLD_BYTES_MAX: number = 2 ** 32 - 1;

/**
 * Returns the schema that JSON names, built anew from the fields that are known. Takes memory for
 * what is in the JSON only, whatever sizes it speaks of. Throws REPLAY_INVALID for one that no
 * definition has.
 */
export function readSchema(path: string, value: unknown): Schema {
  const given = objectAt(path, value);
  const schema: Schema = {
    name: textAt(`${path}.name`, given['name']),
    capacity: wholeAt(`${path}.capacity`, given['capacity'], 0, CAPACITY_MAX),
    quantum: readQuantum(`${path}.quantum`, given['quantum']),
    components: readComponents(`${path}.components`, given['components']),
    globals: namedListAt(`${path}.globals`, given['globals'], (at, item) =>
      readField(at, item, SCALARS),
    ),
    inputs: namedListAt(`${path}.inputs`, given['inputs'], readInput),
    events: namedListAt(`${path}.events`, given['events'], readEvent),
    params: readParams(`${path}.params`, given['params']),
    systems: listAt(`${path}.systems`, given['systems'], textAt),
    changes: flagAt(`${path}.changes`, given['changes']),
  };
  const { bytes } = placeWorld(schema, 0);
  if (bytes <= WORLD_BYTES_MAX) return schema;
  throw badPart(path, `a world of ${bytes} bytes`, `at most ${WORLD_BYTES_MAX} bytes`);
}

/** Returns parameters by name. Throws REPLAY_INVALID for what is no parameter. */
export function readParams(path: string, value: unknown): Record<string, ParamValue> {
  const params: Record<string, ParamValue> = {};
  for (const [name, param] of Object.entries(objectAt(path, value))) {
    if (name === '__proto__') throw badPart(path, name, 'other names');
    params[name] = readParam(`${path}.${name.slice(0, 40)}`, param);
  }
  return params;
}

function readParam(path: string, value: unknown): ParamValue {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw badPart(path, value, 'a finite number, a text, true or false');
}

function readQuantum(path: string, value: unknown): Schema['quantum'] {
  const given = objectAt(path, value);
  const quantum = {
    numerator: numberAt(`${path}.numerator`, given['numerator']),
    denominator: numberAt(`${path}.denominator`, given['denominator']),
  };
  const reduced = faultless(path, () => checkQuantum(quantum));
  if (reduced.denominator === quantum.denominator) return quantum;
  throw badPart(path, `${quantum.numerator}/${quantum.denominator}`, 'lowest terms');
}

function readComponents(path: string, value: unknown): ComponentSchema[] {
  if (Array.isArray(value) && value.length > COMPONENTS_MAX) {
    throw badPart(path, `${value.length} components`, `at most ${COMPONENTS_MAX}`);
  }
  const components = namedListAt(path, value, readComponent);
  const published = components.filter(({ channelIndex }) => channelIndex >= 0);
  const channels = new Set(published.map(({ channelIndex }) => channelIndex));
  // Channels number 0, 1, 2, ...: as many different ones as there are, none above the last.
  const isDense = published.every(({ channelIndex }) => channelIndex < published.length);
  if (isDense && channels.size === published.length) return components;
  throw badPart(path, 'channels with gaps or twice', 'a channelIndex of 0, 1, 2, ... or -1');
}

function readComponent(path: string, value: unknown): ComponentSchema {
  const given = objectAt(path, value);
  const { element, rows } = given;
  const component: ComponentSchema = {
    scalar: wordAt(`${path}.scalar`, given['scalar'], SCALARS),
    width: wholeAt(`${path}.width`, given['width'], 0, WIDTH_MAX),
    blend: wordAt(`${path}.blend`, given['blend'], BLENDS),
    ...(element === undefined
      ? undefined
      : { element: wholeAt(`${path}.element`, element, 1, 4) as 1 | 2 | 3 | 4 }),
    period: numberAt(`${path}.period`, given['period']),
    ...(rows === undefined ? undefined : { rows: wholeAt(`${path}.rows`, rows, 1, CAPACITY_MAX) }),
    name: nameAt(`${path}.name`, given['name']),
    channelIndex: wholeAt(`${path}.channelIndex`, given['channelIndex'], -1, COMPONENTS_MAX - 1),
  };
  faultless(path, () => checkComponent(component.name, component));
  const hasColumn = component.width > 0 && component.rows === undefined;
  if (hasColumn || component.channelIndex < 0) return component;
  throw badPart(path, 'a channel', 'no channel: a tag and a sparse component have none');
}

function readField<T extends string>(
  path: string,
  value: unknown,
  types: readonly T[],
): FieldSchema<T> {
  const given = objectAt(path, value);
  return {
    name: nameAt(`${path}.name`, given['name']),
    type: wordAt(`${path}.type`, given['type'], types),
  };
}

function readFields(path: string, value: unknown): FieldSchema[] {
  return namedListAt(path, value, (at, item) => readField(at, item, FIELDS));
}

function readInput(path: string, value: unknown): InputSchema {
  const given = objectAt(path, value);
  return {
    name: nameAt(`${path}.name`, given['name']),
    as: wordAt(`${path}.as`, given['as'], ['state', 'event']),
    fields: readFields(`${path}.fields`, given['fields']),
  };
}

function readEvent(path: string, value: unknown): EventSchema {
  const given = objectAt(path, value);
  return {
    name: nameAt(`${path}.name`, given['name']),
    fields: readFields(`${path}.fields`, given['fields']),
  };
}

/** Runs a check of definitions, whose refusal becomes one of the file. */
function faultless<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    const { headline, detail } =
      cause instanceof EscapementError
        ? cause
        : { headline: describeCause(cause), detail: { allowed: undefined } };
    throw badPart(path, headline, detail.allowed ?? 'what a definition can have');
  }
}

import { EscapementError } from '../shared/error.ts';
import type { SubsystemLog } from '../shared/log.ts';
import type { Random } from '../shared/math/random.ts';
import { quantumOf, type QuantumOptions } from '../shared/rational.ts';
import {
  CAPACITY_MAX,
  checkComponent,
  checkName,
  type ComponentSchema,
  type FieldSchema,
  type FieldType,
  type ScalarType,
  type Schema,
  scalarBytes,
} from '../shared/schema.ts';
import type {
  EventValues,
  InputValues,
  Params,
  SimulationTypes,
  Typed,
  Widen,
} from '../shared/simulation-types.ts';
import type { Columns, World } from './world.ts';

/** What setup and queries are given. */
export interface SimulationContext<T extends SimulationTypes> {
  readonly world: World<T['components']>;
  /** Raw columns by component name; the same objects for the simulation's life. */
  readonly columns: Columns<T['components']>;
  /** Seeded generator whose state lies in the world. */
  readonly random: Random;
  readonly params: T['params'];
  readonly globals: { [K in keyof T['globals']]: number };
  readonly log: SubsystemLog;
}

/** What a system is given each tick. */
export interface TickContext<T extends SimulationTypes> extends SimulationContext<T> {
  /** The tick being made: 1 for the first. */
  readonly tick: number;
  /** Seconds of one quantum: constant, whatever the frame. */
  readonly dt: number;
  /** World time at the end of this tick, in seconds: tick x quantum. */
  readonly time: number;
  /** `state` inputs: the last value. `event` inputs: those this tick consumes, in order. */
  readonly inputs: {
    readonly [K in keyof T['inputs']]: T['inputs'][K]['as'] extends 'state'
      ? Readonly<InputValues<T['inputs'][K]>>
      : readonly Readonly<InputValues<T['inputs'][K]>>[];
  };
  /** Sends an event to the host. Returns false when the ring was full; that is counted. */
  readonly emit: {
    readonly [K in keyof T['events']]: (values: EventValues<T['events'][K]>) => boolean;
  };
}

/** A system: a function run once a tick, in the order of declaration. */
export interface SystemSpec<T extends SimulationTypes> {
  readonly name: string;
  readonly reads?: readonly (keyof T['components'] & string)[];
  readonly writes?: readonly (keyof T['components'] & string)[];
  /** Milliseconds it should take at most. */
  readonly budgetMs?: number;
  run(context: TickContext<T>): void;
}

/** State kept outside the world, such as a physics engine's. */
export interface ForeignState {
  save(): Uint8Array;
  restore(bytes: Uint8Array): void;
  hash(): number;
}

/** How ticks are paced on the worker: parked in `Atomics.wait`, or from its event loop. */
export type PacingKind = 'blocking' | 'event-loop';

/** Options of {@link defineSimulation}. */
export type SimulationOptions<
  C extends SimulationTypes['components'],
  Pub extends string,
  P extends Params,
  G extends SimulationTypes['globals'],
  I extends SimulationTypes['inputs'],
  E extends SimulationTypes['events'],
  Q extends SimulationTypes['queries'],
> = QuantumOptions & {
  readonly name?: string;
  /** Most entities alive at once. 0 is legal. */
  readonly capacity: number;
  readonly params?: P;
  readonly components: C;
  readonly globals?: G;
  /** Components whose columns readers see. */
  readonly publish: readonly Pub[];
  readonly inputs?: I;
  readonly events?: E;
  /** Makes the functions that the host may ask between ticks, once a run. Answers are cloned. */
  queries?(
    context: SimulationContext<TypesFrom<C, Pub, P, G, NoneDeclared, NoneDeclared, NoneDeclared>>,
  ): Q;
  /** `event-loop` when systems need timers, fetch or await between ticks. Default `blocking`. */
  readonly pacing?: PacingKind;
  readonly foreign?: ForeignState;
  /** Fills the world before the first tick. */
  setup?(
    context: SimulationContext<TypesFrom<C, Pub, P, G, I, E, NoneDeclared>>,
  ): void | Promise<void>;
  readonly systems: readonly SystemSpec<TypesFrom<C, Pub, P, G, I, E, NoneDeclared>>[];
};

/** No input, event, global or query. */
export type NoneDeclared = Readonly<Record<never, never>>;

/** A query whose argument types are no longer known. */
export type BoundQuery = (...args: readonly unknown[]) => unknown;

/** A checked simulation definition; give it to `runSimulation` or `inline`. */
export interface SimulationDefinition<T extends SimulationTypes = SimulationTypes>
  extends Typed<T> {
  readonly kind: 'escapement/definition';
  readonly schema: Schema;
  readonly pacing: PacingKind;
  readonly setup: ((context: SimulationContext<T>) => void | Promise<void>) | undefined;
  readonly systems: readonly SystemSpec<T>[];
  readonly queries:
    | ((context: SimulationContext<T>) => Readonly<Record<string, BoundQuery>>)
    | undefined;
  readonly foreign: ForeignState | undefined;
}

/**
 * Checks a simulation's description and derives the schema both threads share. Starts nothing.
 * Throws SCHEMA_INVALID or OPTION_INVALID, naming the part that is wrong.
 */
export function defineSimulation<
  C extends SimulationTypes['components'],
  Pub extends keyof C & string,
  P extends Params = NoneDeclared,
  G extends SimulationTypes['globals'] = NoneDeclared,
  I extends SimulationTypes['inputs'] = NoneDeclared,
  E extends SimulationTypes['events'] = NoneDeclared,
  Q extends SimulationTypes['queries'] = NoneDeclared,
>(
  options: SimulationOptions<C, Pub, P, G, I, E, Q>,
): SimulationDefinition<TypesFrom<C, Pub, P, G, I, E, Q>> {
  type T = TypesFrom<C, Pub, P, G, I, E, Q>;
  const names = new Set<string>();
  for (const system of options.systems) checkSystem(system, options.components, names);
  const definition: SimulationDefinition<T> = {
    kind: 'escapement/definition',
    schema: deriveSchema(options),
    pacing: options.pacing ?? 'blocking',
    setup: options.setup?.bind(options) as SimulationDefinition<T>['setup'],
    systems: [...options.systems] as unknown as SimulationDefinition<T>['systems'],
    queries: options.queries?.bind(options) as SimulationDefinition<T>['queries'],
    foreign: options.foreign,
  };
  return Object.freeze(definition);
}

/** The types a definition carries, from what was written in it. */
export interface TypesFrom<
  C extends SimulationTypes['components'],
  Pub extends string,
  P extends Params,
  G extends SimulationTypes['globals'],
  I extends SimulationTypes['inputs'],
  E extends SimulationTypes['events'],
  Q extends SimulationTypes['queries'],
> extends SimulationTypes {
  readonly params: Widen<P>;
  readonly components: C;
  readonly published: Pub;
  readonly globals: G;
  readonly inputs: I;
  readonly events: E;
  readonly queries: Q;
}

/** What the schema is derived from, whatever the types are. */
type SchemaSource = QuantumOptions & {
  readonly name?: string;
  readonly capacity: number;
  readonly params?: Params;
  readonly components: SimulationTypes['components'];
  readonly globals?: SimulationTypes['globals'];
  readonly publish: readonly string[];
  readonly inputs?: SimulationTypes['inputs'];
  readonly events?: SimulationTypes['events'];
};

function deriveSchema(options: SchemaSource): Schema {
  const { capacity } = options;
  if (!Number.isInteger(capacity) || capacity < 0 || capacity > CAPACITY_MAX) {
    throw new EscapementError('OPTION_INVALID', '`capacity` is out of range.', {
      given: String(capacity),
      allowed: `an integer from 0 to ${CAPACITY_MAX}`,
      fix: 'Declare the most entities that can be alive at once; memory is taken for all of them.',
    });
  }
  const published = options.publish;
  const components = Object.entries(options.components).map(([name, spec]): ComponentSchema => {
    checkComponent(name, spec);
    return { ...spec, name, channelIndex: published.indexOf(name) };
  });
  published.forEach((name, index) => {
    if (options.components[name] !== undefined && published.indexOf(name) === index) return;
    throw new EscapementError('SCHEMA_INVALID', '`publish` names no component, or one twice.', {
      given: JSON.stringify(name),
      allowed: Object.keys(options.components).join(', '),
    });
  });
  const { numerator, denominator } = quantumOf(options);
  return {
    name: options.name ?? 'simulation',
    capacity,
    quantum: { numerator, denominator },
    components,
    globals: fieldsOf(options.globals ?? {}, 'globals', isScalarType),
    inputs: Object.entries(options.inputs ?? {}).map(([name, { as, ...fields }]) => {
      checkName(name, 'inputs');
      if (as !== 'state' && as !== 'event') throw badWord(`inputs.${name}.as`, as, 'state, event');
      return { name, as, fields: fieldsOf(fields, `inputs.${name}`, isFieldType) };
    }),
    events: Object.entries(options.events ?? {}).map(([name, fields]) => {
      checkName(name, 'events');
      return { name, fields: fieldsOf(fields, `events.${name}`, isFieldType) };
    }),
    params: { ...options.params },
  };
}

function fieldsOf<F extends string>(
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

function isFieldType(type: string): type is FieldType {
  return FIELD_TYPES.includes(type);
}

function isScalarType(type: string): type is ScalarType {
  return scalarBytes(type as ScalarType) !== undefined;
}

function badWord(where: string, given: unknown, allowed: string): EscapementError {
  return new EscapementError('SCHEMA_INVALID', `${where} has an unknown type.`, {
    given: JSON.stringify(given),
    allowed,
  });
}

function checkSystem<T extends SimulationTypes>(
  system: SystemSpec<T>,
  components: T['components'],
  names: Set<string>,
): void {
  if (typeof system.name !== 'string' || system.name === '' || names.has(system.name)) {
    throw new EscapementError('SCHEMA_INVALID', 'A system needs a name of its own.', {
      given: JSON.stringify(system.name),
      allowed: `any text but ${[...names].join(', ') || 'the empty one'}`,
    });
  }
  names.add(system.name);
  if (typeof system.run !== 'function') {
    throw new EscapementError('SCHEMA_INVALID', `System "${system.name}" has no run function.`);
  }
  for (const name of [...(system.reads ?? []), ...(system.writes ?? [])]) {
    if (components[name] !== undefined) continue;
    throw new EscapementError('NAME_UNKNOWN', `System "${system.name}" names no component.`, {
      given: JSON.stringify(name),
      allowed: Object.keys(components).join(', '),
    });
  }
  const budget = system.budgetMs;
  if (budget !== undefined && !(budget > 0 && Number.isFinite(budget))) {
    throw new EscapementError('OPTION_INVALID', `System "${system.name}" has a bad budget.`, {
      given: String(budget),
      allowed: 'milliseconds above 0',
    });
  }
}

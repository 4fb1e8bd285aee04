import { EscapementError } from '../shared/error.ts';
import { quantumOf, type QuantumOptions } from '../shared/rational.ts';
import { checkName, type Schema } from '../shared/schema.ts';
import type { Params, SimulationTypes, Typed, Widen } from '../shared/simulation-types.ts';
import { checkCapacity, deriveComponents } from './component-schemas.ts';
import type { SimulationContext, SystemSpec } from './context.ts';
import { checkChurn } from './world-guard.ts';
import { scheduleSystems, type SystemSchedule } from './schedule.ts';
import { badWord, fieldsOf, isFieldType, isScalarType } from './field-schemas.ts';
import { checkSystem, nodeOf, type SystemCandidate } from './system-check.ts';

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
  /**
   * What its code is, in your own words: a version, a commit. Recordings carry it, and are replayed
   * by the same only. Default none.
   */
  readonly version?: string;
  /** Most entities alive at once. 0 is legal. */
  readonly capacity: number;
  readonly params?: P;
  readonly components: C;
  readonly globals?: G;
  /** Components whose columns readers see. */
  readonly publish: readonly Pub[];
  readonly inputs?: I;
  readonly events?: E;
  /**
   * Makes the functions that the host may ask between ticks, once a run. Answers are cloned. They
   * read: what one of them changes is in no recording, whose replay then differs from there on.
   */
  queries?(
    context: SimulationContext<TypesFrom<C, Pub, P, G, NoneDeclared, NoneDeclared, NoneDeclared>>,
  ): Q;
  /** `event-loop` when systems need timers, fetch or await between ticks. Default `blocking`. */
  readonly pacing?: PacingKind;
  readonly foreign?: ForeignState;
  /** Keeps what changed in each tick, for `refreshChanges` of queries. Default false. */
  readonly changes?: boolean;
  /** Components a frame may give and take before a warning; 0 never warns. Default 256. */
  readonly churnPerFrame?: number;
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
  /** What its code is; empty if its author did not say. */
  readonly version: string;
  readonly pacing: PacingKind;
  readonly setup: ((context: SimulationContext<T>) => void | Promise<void>) | undefined;
  /** In the order of registration: the id of one is its place here and 1. */
  readonly systems: readonly SystemSpec<T>[];
  /** The order in which they run. */
  readonly schedule: SystemSchedule;
  readonly queries:
    | ((context: SimulationContext<T>) => Readonly<Record<string, BoundQuery>>)
    | undefined;
  readonly foreign: ForeignState | undefined;
  readonly churnPerFrame: number | undefined;
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
  const schedule = scheduleSpecs(options.systems, Object.keys(options.components));
  const definition: SimulationDefinition<T> = {
    kind: 'escapement/definition',
    schema: deriveSchema(options),
    version: checkVersion(options.version),
    schedule,
    pacing: options.pacing ?? 'blocking',
    setup: options.setup?.bind(options) as SimulationDefinition<T>['setup'],
    systems: [...options.systems] as unknown as SimulationDefinition<T>['systems'],
    queries: options.queries?.bind(options) as SimulationDefinition<T>['queries'],
    foreign: options.foreign,
    churnPerFrame: checkChurn(options.churnPerFrame),
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
  readonly systems: readonly { readonly name: string }[];
  readonly changes?: boolean;
};

function deriveSchema(options: SchemaSource): Schema {
  const { capacity } = options;
  checkCapacity(capacity);
  const components = deriveComponents(options.components, options.publish);
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
    systems: options.systems.map(({ name }) => name),
    changes: options.changes ?? false,
  };
}

/** Bounded: every recording carries it. */
const VERSION_LENGTH_MAX = 256;

function checkVersion(version: unknown): string {
  if (version === undefined) return '';
  if (typeof version === 'string' && version.length <= VERSION_LENGTH_MAX) return version;
  throw new EscapementError('OPTION_INVALID', '`version` is not possible.', {
    given: typeof version === 'string' ? `${version.length} characters` : typeof version,
    allowed: `a text of at most ${VERSION_LENGTH_MAX} characters`,
  });
}

/** Checks every system in the order of registration and orders them all. */
function scheduleSpecs(
  systems: readonly SystemCandidate[],
  components: readonly string[],
): SystemSchedule {
  const names = new Set<string>();
  const nodes = systems.map((system, index) => {
    checkSystem(system, components, names);
    names.add(system.name as string);
    return nodeOf(system, index + 1);
  });
  return scheduleSystems(nodes);
}

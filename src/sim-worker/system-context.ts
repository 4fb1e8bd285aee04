import { EscapementError } from '../shared/error.ts';
import type { SubsystemLog } from '../shared/log.ts';
import type { Random } from '../shared/math/random.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { TickContext } from './context.ts';
import type { World } from './world.ts';

/** What every context of a run shares. */
export interface TickParts {
  readonly params: object;
  quantum: { readonly numerator: number; readonly denominator: number };
  readonly inputs: object;
  readonly emit: object;
  readonly log: SubsystemLog;
  /** The tick being made, or made last. */
  tick: number;
}

/** What a context has to know of a system. */
export interface DeclaredAccess {
  readonly name: string;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly period?: number;
}

type MutableContext = { -readonly [K in keyof TickContext<SimulationTypes>]: unknown };

/**
 * Makes the one context that every run of a system is given, so that a tick makes none. Its columns
 * are those that the system has declared.
 */
export function createContext(
  world: World,
  parts: TickParts,
  random: Random,
  spec: DeclaredAccess | undefined,
): MutableContext {
  return {
    world,
    commands: world.commands,
    columns: spec === undefined ? world.columns : declaredColumns(world, spec),
    random,
    params: parts.params,
    globals: world.globals,
    log: parts.log,
    tick: 0,
    dt: secondsBetweenRuns(spec?.period ?? 1, parts.quantum),
    time: 0,
    inputs: parts.inputs,
    emit: parts.emit,
  };
}

/** Returns the seconds from one run of a system to the next. */
export function secondsBetweenRuns(period: number, quantum: TickParts['quantum']): number {
  return (period * quantum.numerator) / quantum.denominator;
}

/** The columns a system may touch; a getter that throws stands for each of the others. */
function declaredColumns(world: World, spec: DeclaredAccess): object {
  const declared: readonly string[] = [...(spec.reads ?? []), ...(spec.writes ?? [])];
  const columns = {};
  for (const { name, column } of world.stores) {
    Object.defineProperty(
      columns,
      name,
      declared.includes(name)
        ? { value: column, enumerable: true }
        : { get: () => refuse(spec.name, name), enumerable: false },
    );
  }
  return Object.freeze(columns);
}

function refuse(system: string, component: string): never {
  throw new EscapementError(
    'ACCESS_UNDECLARED',
    `System "${system}" uses component "${component}", which it has not declared.`,
    {
      given: `columns.${component}`,
      fix: `Add "${component}" to \`reads\` or \`writes\` of "${system}".`,
    },
  );
}

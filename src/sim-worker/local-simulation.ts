import type { MonotonicClock } from '../shared/instant.ts';
import { computeLayout } from '../shared/layout.ts';
import type { Log } from '../shared/log.ts';
import { createRational, type Rational } from '../shared/rational.ts';
import { createRegion } from '../shared/region.ts';
import { resolveRun, type RunOptions } from '../shared/run-options.ts';
import { withRun } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { SimulationDefinition } from './definition.ts';
import { Simulation } from './simulation.ts';

/** What identifies a run: the same values give the same run. */
export type LocalRun<T extends SimulationTypes> = {
  readonly [K in 'params' | 'tickRateHz' | 'fixedDt' | 'seed']?: RunOptions<T>[K] | undefined;
};

/** What a simulation on the calling thread is given beside its run. */
export interface LocalParts {
  readonly log: Log;
  readonly clock: MonotonicClock;
  readonly development?: boolean | undefined;
  readonly profile?: boolean | undefined;
}

/** Words of the rings, which nobody is at the other end of. */
const RING_WORDS = 64;
/** Events have no reader here; the ring takes what a tick emits, and is then counted as full. */
const EVENT_WORDS = 4096;

/**
 * Builds a run of a definition in memory of its own: no views, nothing published. Its setup has not
 * run. Throws OPTION_INVALID and NAME_UNKNOWN for what is not possible.
 */
export function buildLocal<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  given: LocalRun<T>,
  parts: LocalParts,
): { readonly simulation: Simulation<T>; readonly quantum: Rational } {
  const run = resolveRun(withoutUndefined(given) as RunOptions, definition.schema);
  const schema = withRun(definition.schema, run);
  const layout = computeLayout(schema, {
    readers: 1,
    controllers: 1,
    followers: 0,
    commandWords: RING_WORDS,
    inputWords: RING_WORDS,
    eventWords: EVENT_WORDS,
    logWords: RING_WORDS,
  });
  const simulation = new Simulation<T>(definition, {
    region: createRegion(layout, false),
    schema,
    params: run.params,
    seed: run.seed,
    ...parts,
  });
  const { numerator, denominator } = schema.quantum;
  return { simulation, quantum: createRational(numerator, denominator) };
}

/** Drops what was not given, so that the defaults hold. */
function withoutUndefined<O extends object>(options: O): { [K in keyof O]?: NonNullable<O[K]> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof O]?: NonNullable<O[K]> };
}

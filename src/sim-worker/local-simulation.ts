import type { MonotonicClock } from '../shared/instant.ts';
import { computeLayout } from '../shared/layout.ts';
import { createLog, type Log } from '../shared/log.ts';
import {
  createRational,
  type GivenQuantum,
  givenQuantum,
  type Rational,
} from '../shared/rational.ts';
import { createRegion } from '../shared/region.ts';
import { checkIdentity } from '../shared/replay/replay-identity.ts';
import type { Replay } from '../shared/replay/replay.ts';
import { type ResolvedRun, resolveRun, type RunOptions } from '../shared/run-options.ts';
import { withRun } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
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
  return build(definition, run, parts);
}

/**
 * Builds the run that a recording is of, and runs its setup. Throws REPLAY_MISMATCH, naming what
 * differs, for a recording of another simulation.
 */
export async function buildReplay<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  { header }: Replay,
  { log, ...given }: GivenQuantum & { readonly log?: Log | undefined },
): Promise<{ readonly simulation: Simulation<T>; readonly log: Log | undefined }> {
  checkIdentity(header, definition, { quantum: givenQuantum(given) });
  const silent = createLog({ level: 'off', nowMs: () => 0, sink: () => undefined });
  const clock = createSystemClock(globalThis as ClockScope);
  const { params, seed } = header;
  const run = { quantum: header.schema.quantum, params, seed };
  const { simulation } = build<T>(definition, run, { log: log ?? silent, clock, profile: false });
  await simulation.setup();
  return { simulation, log: log === undefined ? silent : undefined };
}

function build<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  run: Pick<ResolvedRun, 'quantum' | 'params' | 'seed'>,
  parts: LocalParts,
): { readonly simulation: Simulation<T>; readonly quantum: Rational } {
  const schema = withRun(definition.schema, run);
  const layout = computeLayout(schema, {
    readers: 1,
    controllers: 1,
    followers: 0,
    commandWords: RING_WORDS,
    inputWords: RING_WORDS,
    eventWords: EVENT_WORDS,
    logWords: RING_WORDS,
    traceWords: 2,
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

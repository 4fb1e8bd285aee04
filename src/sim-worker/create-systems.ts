import type { MonotonicClock } from '../shared/instant.ts';
import { createLog, type Log, type LogRecord } from '../shared/log.ts';
import { quantumOf, type QuantumOptions } from '../shared/rational.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import type { ComponentSpecs } from './component-values.ts';
import type { NoneDeclared, TypesFrom } from './definition.ts';
import { SystemSet } from './system-set.ts';
import type { World } from './world.ts';

/** Types of the systems of a world that has no simulation around it. */
export type WorldTypes<C extends ComponentSpecs> = TypesFrom<
  C,
  never,
  NoneDeclared,
  NoneDeclared,
  NoneDeclared,
  NoneDeclared,
  NoneDeclared
>;

/** Options of {@link createSystems}. */
export type SystemsOptions = QuantumOptions & {
  /** Times the systems; the platform's monotonic clock by default. */
  readonly clock?: MonotonicClock;
  /** Where warnings go; nowhere by default. */
  readonly log?: Log;
  /** Whether the profiler starts enabled. Default true. */
  readonly profile?: boolean;
};

/**
 * Makes an empty set of systems over a world made by `createWorld`; a `GameLoop` drives it. The
 * quantum is what one tick stands for: `dt` and `time` of every system. Throws OPTION_INVALID.
 */
export function createSystems<C extends ComponentSpecs>(
  world: World<C>,
  options: SystemsOptions,
): SystemSet<WorldTypes<C>> {
  const log = options.log ?? createLog({ level: 'off', nowMs: () => 0, sink: discard });
  const parts = {
    params: Object.freeze({}),
    quantum: quantumOf(options),
    inputs: Object.freeze({}),
    emit: Object.freeze({}),
    log: log.for('simulation'),
    tick: 0,
  };
  return new SystemSet<WorldTypes<C>>(world, parts, {
    clock: options.clock ?? createSystemClock(globalThis as ClockScope),
    log: log.for('system'),
    profile: options.profile,
  });
}

function discard(_record: LogRecord): void {}

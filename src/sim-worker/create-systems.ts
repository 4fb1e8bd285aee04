import type { MonotonicClock } from '../shared/instant.ts';
import type { Log } from '../shared/log.ts';
import { quantumOf, type QuantumOptions } from '../shared/rational.ts';
import { type ClockScope, createSystemClock } from '../shared/system-clock.ts';
import type { ComponentSpecs } from './component-values.ts';
import { createConsoleLog } from './console-log.ts';
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
  /** Where events go; by default warnings go to the console. */
  readonly log?: Log;
  /** Checks each run of a system for what only development can afford. Default false. */
  readonly development?: boolean;
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
  const clock = options.clock ?? createSystemClock(globalThis as ClockScope);
  const log = options.log ?? createConsoleLog(clock);
  const parts = {
    params: Object.freeze({}),
    quantum: quantumOf(options),
    inputs: Object.freeze({}),
    emit: Object.freeze({}),
    log: log.for('simulation'),
    tick: 0,
  };
  return new SystemSet<WorldTypes<C>>(world, parts, {
    clock,
    log: log.for('system'),
    profile: options.profile,
    development: options.development === true ? log.for('alloc') : undefined,
  });
}

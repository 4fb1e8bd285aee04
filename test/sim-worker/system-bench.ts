import { createLog } from '../../src/shared/log.ts';
import type { SimulationTypes } from '../../src/shared/simulation-types.ts';
import type { ComponentSpecs } from '../../src/sim-worker/component-values.ts';
import type { StandaloneOptions } from '../../src/sim-worker/create-world.ts';
import { createWorld, type World } from '../../src/sim-worker/index.ts';
import { SystemSet } from '../../src/sim-worker/system-set.ts';
import { type LogBench, logBench } from './log-bench.ts';
import { HandClock } from './loop-stage.ts';

/** The types of a set over a world with these components. */
export interface Types<C extends ComponentSpecs> extends SimulationTypes {
  readonly components: C;
}

/** A set of systems over a world of its own, with a log and a clock by hand. */
export interface SystemBench<C extends ComponentSpecs> extends LogBench {
  readonly world: World<C>;
  readonly set: SystemSet<Types<C>>;
  readonly hand: HandClock;
  /** Schedules what is registered so far, and makes ticks 1 to `ticks`. */
  run(ticks: number): void;
}

/** Opens a set without systems; a quantum is 1/20 s. */
export function systemBench<C extends ComponentSpecs>(
  options: StandaloneOptions<C>,
  development = false,
): SystemBench<C> {
  const bench = logBench();
  const hand = new HandClock();
  const quiet = createLog({ level: 'off', nowMs: () => 0, sink: () => undefined });
  const world = createWorld<C>({ log: quiet, ...options });
  const parts = {
    params: {},
    quantum: { numerator: 1, denominator: 20 },
    inputs: {},
    emit: {},
    log: bench.log.for('simulation'),
    tick: 0,
  };
  const set = new SystemSet<Types<C>>(world, parts, {
    clock: hand,
    log: bench.log.for('system'),
    development: development ? bench.log.for('alloc') : undefined,
  });
  return {
    ...bench,
    world,
    set,
    hand,
    run(ticks) {
      set.use(set.schedule());
      for (let tick = 1; tick <= ticks; tick++) set.runTick(tick);
    },
  };
}

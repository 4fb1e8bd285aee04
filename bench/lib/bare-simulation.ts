import type { MonotonicClock } from '#dist/shared/instant.js';
import { computeLayout } from '#dist/shared/layout.js';
import { createLog } from '#dist/shared/log.js';
import { createRegion } from '#dist/shared/region.js';
import { withRun } from '#dist/shared/schema.js';
import { createSystemClock } from '#dist/shared/system-clock.js';
import type { SimulationDefinition } from '#dist/sim-worker/definition.js';
import { Simulation } from '#dist/sim-worker/simulation.js';
import type { SimulationTypes } from '#dist/shared/simulation-types.js';

const WORDS = 1024;

/** Sets a simulation up on this thread, with no driver: a tick is whoever calls `runTick`. */
export async function bareSimulation<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  params: Readonly<Record<string, number>>,
): Promise<Simulation<T>> {
  const { schema: declared } = definition;
  const schema = withRun(declared, {
    quantum: declared.quantum,
    params: { ...declared.params, ...params },
  });
  const layout = computeLayout(schema, {
    readers: 1,
    controllers: 1,
    followers: 0,
    commandWords: WORDS,
    inputWords: WORDS,
    eventWords: WORDS,
    logWords: WORDS,
    traceWords: WORDS,
  });
  const clock: MonotonicClock = createSystemClock(globalThis);
  const simulation = new Simulation<T>(definition, {
    region: createRegion(layout, true),
    schema,
    params: schema.params,
    seed: [0, 1],
    log: createLog({ level: 'off', nowMs: () => 0, sink: () => undefined }),
    clock,
  });
  await simulation.setup();
  return simulation;
}

import {
  consoleSink,
  type LogRecord,
  type RunningSimulation,
  type RunOptions,
  type SimulationTypes,
  startSimulation,
  type Typed,
  type TypesOf,
} from 'escapement';
import type { SimulationDefinition } from 'escapement/sim';

/** How ticks reach the page; `auto` takes the best that works. */
export type TierChoice = 'auto' | 'shared' | 'transfer' | 'calling-thread';

/** The two ways to get at a scene's module: run by a worker, or loaded into the page. */
export interface SceneModule<D extends Typed<SimulationTypes>> {
  createWorker(): Worker;
  loadDefinition(): Promise<SimulationDefinition<TypesOf<D>>>;
}

/** The panel shows what goes over its budget, in red; the console need not repeat it. */
function logSink(record: LogRecord): void {
  // A summary of events that were held back names theirs as a field.
  const event = String(record.fields['event'] ?? record.event);
  if (!event.startsWith('budget_')) consoleSink(record);
}

/** Starts a scene over the tier that was asked for. */
export async function launch<D extends Typed<SimulationTypes>>(
  tier: TierChoice,
  options: RunOptions<TypesOf<D>>,
  module: SceneModule<D>,
): Promise<RunningSimulation<TypesOf<D>>> {
  if (tier !== 'calling-thread') {
    return startSimulation<D>(() => module.createWorker(), { ...options, tier, logSink });
  }
  const { inline } = await import('escapement/sim');
  return startSimulation(inline(await module.loadDefinition()), { ...options, logSink });
}

import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { SimulationDefinition } from './definition.ts';

/** Names the systems that declare to write a component, in the order in which they run. */
export function writersOf<T extends SimulationTypes>(
  { systems, schedule }: SimulationDefinition<T>,
  component: string,
): string[] {
  return schedule.order.flatMap((id) => {
    const system = systems[id - 1];
    return system?.writes?.includes(component) === true ? [system.name] : [];
  });
}

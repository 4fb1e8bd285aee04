import { EscapementError } from '../shared/error.ts';
import type { RegionHandle, SimulationHandle } from '../shared/handle.ts';
import { checkHandle } from '../shared/run-watch.ts';
import type { SimulationTypes, Typed, TypesOf } from '../shared/simulation-types.ts';
import { RegionView } from './region-view.ts';
import type { View, ViewOptions } from './view.ts';

/**
 * Opens a reader of a simulation on this thread. Cheap to use, not to make: it claims one of the
 * region's readers. In a worker it may block for a few milliseconds to compare clocks. Throws
 * READERS_EXHAUSTED, LAYOUT_MISMATCH, and VALUE_INVALID for what is no handle.
 */
export function openView<D extends Typed<SimulationTypes>>(
  handle: D & SimulationHandle<TypesOf<D>>,
  options: ViewOptions = {},
): View<TypesOf<D>> {
  checkHandle(handle);
  if (options.slackMs !== undefined && !(options.slackMs >= 0)) {
    throw new EscapementError('OPTION_INVALID', '`slackMs` is not possible.', {
      given: String(options.slackMs),
      allowed: 'milliseconds of at least 0',
    });
  }
  return new RegionView<TypesOf<D>>(handle as unknown as RegionHandle<TypesOf<D>>, options);
}

import { EscapementError } from '../shared/error.ts';
import { HANDLE_VERSION, type RegionHandle, type SimulationHandle } from '../shared/handle.ts';
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

function checkHandle(handle: unknown): void {
  const given = handle as Partial<SimulationHandle> | null;
  if (given?.kind === 'escapement/simulation' && given.version === HANDLE_VERSION) return;
  throw new EscapementError('VALUE_INVALID', 'This is no handle of a simulation.', {
    given: given?.kind === 'escapement/simulation' ? `version ${given.version}` : typeof handle,
    allowed: `what sim.share() returns (version ${HANDLE_VERSION})`,
    fix: 'Post sim.share() to this thread in a message and open the view on it there.',
  });
}

import { EscapementError } from '../shared/error.ts';
import type { RegionHandle, SimulationHandle } from '../shared/handle.ts';
import { checkHandle } from '../shared/run-watch.ts';
import type { SimulationTypes, Typed, TypesOf } from '../shared/simulation-types.ts';
import { RegionView } from './region-view.ts';
import type { View, ViewOptions } from './view.ts';

/**
 * Opens a reader of a simulation on this thread. Cheap to use, not to make: it claims one of the
 * region's readers. In a worker it may block for a few milliseconds to compare clocks. Throws
 * READERS_EXHAUSTED, LAYOUT_MISMATCH, VALUE_INVALID for what is no handle, OPTION_INVALID and
 * NAME_UNKNOWN for options that are not possible.
 */
export function openView<D extends Typed<SimulationTypes>>(
  handle: D & SimulationHandle<TypesOf<D>>,
  options: ViewOptions<TypesOf<D>> = {},
): View<TypesOf<D>> {
  checkHandle(handle);
  checkMs('slackMs', options.slackMs);
  checkMs('leadMs', options.leadMs);
  if (options.slackMs !== undefined && options.leadMs !== undefined) {
    throw new EscapementError('OPTION_INVALID', 'A view stands behind the clock or ahead of it.', {
      given: `slackMs ${options.slackMs}, leadMs ${options.leadMs}`,
      allowed: 'one of `slackMs` and `leadMs`',
    });
  }
  const { latest, slackMs, leadMs, channels } = options;
  if (latest === true && [slackMs, leadMs, channels].some((option) => option !== undefined)) {
    throw new EscapementError('OPTION_INVALID', 'A view of the latest tick stands nowhere else.', {
      given: '`latest`, and one of `slackMs`, `leadMs` and `channels`',
      allowed: '`latest` alone',
    });
  }
  if (!['auto', 'off', undefined].includes(options.kernels)) {
    throw new EscapementError('OPTION_INVALID', '`kernels` is not possible.', {
      given: String(options.kernels),
      allowed: 'auto, off',
    });
  }
  return new RegionView<TypesOf<D>>(handle as unknown as RegionHandle<TypesOf<D>>, options);
}

function checkMs(name: string, ms: number | undefined): void {
  if (ms === undefined || (ms >= 0 && Number.isFinite(ms))) return;
  throw new EscapementError('OPTION_INVALID', `\`${name}\` is not possible.`, {
    given: String(ms),
    allowed: 'milliseconds of at least 0',
  });
}

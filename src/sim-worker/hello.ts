import { type Hello, PROTOCOL_VERSION } from '../shared/protocol.ts';
import { canBlock } from '../shared/signal.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { SimulationDefinition } from './definition.ts';

/** Describes a definition and the thread it would run on. */
export function describeHello<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
): Hello {
  const scope = globalThis as { crossOriginIsolated?: boolean };
  return {
    kind: 'escapement/hello',
    version: PROTOCOL_VERSION,
    schema: definition.schema,
    identity: definition.version,
    pacing: definition.pacing,
    isolated: scope.crossOriginIsolated,
    hasSharedMemory: typeof SharedArrayBuffer !== 'undefined',
    canBlock: canBlock(),
  };
}

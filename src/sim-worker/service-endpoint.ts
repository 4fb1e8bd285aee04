import type { Endpoint } from 'comlink';
import { EscapementError } from '../shared/error.ts';
import type { MessageListener, WorkerScope } from './worker-scope.ts';

/** Presents a worker's channel to Comlink; `handled` is called after each of its messages. */
export function serviceEndpoint(scope: WorkerScope, handled: () => void): Endpoint {
  const listeners = new Set<(event: { data: unknown }) => void>();
  const receive: MessageListener = (data) => {
    if (!isComlinkMessage(data)) return;
    for (const listener of listeners) listener({ data });
    handled();
  };
  scope.listen(receive);
  return {
    postMessage: (message: unknown, transfer?: readonly unknown[]) => scope.post(message, transfer),
    addEventListener: (_type: string, listener: unknown) => {
      listeners.add(listener as (event: { data: unknown }) => void);
    },
    removeEventListener: (_type: string, listener: unknown) => {
      listeners.delete(listener as (event: { data: unknown }) => void);
    },
  } as Endpoint;
}

const COMLINK_TYPES: readonly unknown[] = [
  'GET',
  'SET',
  'APPLY',
  'CONSTRUCT',
  'ENDPOINT',
  'RELEASE',
];

/** Whether a message is Comlink's: a user may post others to the same worker. */
function isComlinkMessage(data: unknown): boolean {
  const { id, type } = (data ?? {}) as { id?: unknown; type?: unknown };
  return typeof id === 'string' && COMLINK_TYPES.includes(type);
}

/** The property under which an {@link EscapementError} crosses as plain data. */
const WIRE_ERROR = 'escapementError';

/**
 * Runs `work` and turns whatever it throws into plain data that keeps the code: Comlink rebuilds
 * errors without it.
 */
export async function wireError<R>(work: () => R | Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (cause) {
    const error =
      cause instanceof EscapementError
        ? cause
        : new EscapementError('SIMULATION_FAILED', 'A call into the simulation threw.', {
            cause,
          });
    throw { [WIRE_ERROR]: error.toRecord() };
  }
}

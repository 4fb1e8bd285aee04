import { EscapementError } from '../shared/error.ts';

/** Receives one message. */
export type MessageListener = (data: unknown) => void;

/** This worker's side of the channel to its host, the same on Node and in browsers. */
export interface WorkerScope {
  post(message: unknown, transfer?: readonly unknown[]): void;
  listen(listener: MessageListener): void;
}

interface NodePort {
  postMessage(message: unknown, transfer?: readonly unknown[]): void;
  on(event: 'message', listener: MessageListener): void;
}

interface NodeProcess {
  getBuiltinModule?(name: string): { readonly parentPort: NodePort | null } | undefined;
}

/** Marks a thread whose channel is another's. By a symbol that every copy of this package knows. */
const WITHHELD: unique symbol = Symbol.for('escapement.scope-withheld');

/**
 * Keeps `runSimulation` from using this worker's channel: modules are loaded here for their
 * definitions alone.
 */
export function withholdScope(): void {
  (globalThis as { [WITHHELD]?: boolean })[WITHHELD] = true;
}

/**
 * Finds the channel to the host. On Node the module is asked for at run time, so that no bundler
 * tries to follow it into the browser. Returns undefined on a thread that is no worker, or whose
 * channel is another's; throws WORKER_UNSUITABLE in a shared worker.
 */
export function findWorkerScope(): WorkerScope | undefined {
  if ((globalThis as { [WITHHELD]?: boolean })[WITHHELD] === true) return undefined;
  const { process } = globalThis as { process?: NodeProcess };
  const port = process?.getBuiltinModule?.('node:worker_threads')?.parentPort;
  if (port) {
    return {
      post: (message, transfer) => port.postMessage(message, transfer),
      listen: (listener) => port.on('message', listener),
    };
  }
  const scope = globalThis as { WorkerGlobalScope?: unknown; SharedWorkerGlobalScope?: unknown };
  if (scope.WorkerGlobalScope !== undefined && scope.SharedWorkerGlobalScope === undefined) {
    return {
      post: (message, transfer = []) => postMessage(message, transfer),
      listen: (listener) => addEventListener('message', (event) => listener(event.data)),
    };
  }
  if (scope.SharedWorkerGlobalScope === undefined) return undefined;
  throw new EscapementError('WORKER_UNSUITABLE', 'runSimulation runs in a dedicated worker.', {
    given: 'a shared worker, which browsers never isolate',
    allowed: 'a Worker, or a Worker of node:worker_threads',
    fix: 'Make the worker with `new Worker(...)`.',
  });
}

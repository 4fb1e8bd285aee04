import type { AnyWorker } from 'escapement';
import type { EngineHello } from './plan.ts';

/** What of Node is used where the harness runs there; a browser has none of it. */
interface NodeProcess {
  readonly version: string;
  readonly argv: readonly string[];
  getBuiltinModule(name: string): NodeThreads;
}

interface NodeThreads {
  readonly Worker: new (url: URL) => NodeWorker;
  readonly parentPort: NodePort | null;
}

interface NodePort {
  on(event: 'message', listener: (data: unknown) => void): void;
  postMessage(data: unknown): void;
}

type NodeWorker = AnyWorker & NodePort & { terminate(): unknown };

const { process: node } = globalThis as { process?: NodeProcess };

function nodeThreads(): NodeThreads | undefined {
  return node?.getBuiltinModule('node:worker_threads');
}

/** A worker of either kind. */
export type EngineWorker = AnyWorker & { postMessage(data: unknown): void; terminate(): unknown };

/** Makes a worker of a compiled module beside this one. */
export function makeWorker(path: string): EngineWorker {
  const url = new URL(path, import.meta.url);
  const threads = nodeThreads();
  const made =
    threads === undefined ? new Worker(url, { type: 'module' }) : new threads.Worker(url);
  return made as EngineWorker;
}

/** Resolves with the first message that a worker posts. */
export function firstMessage(worker: EngineWorker): Promise<unknown> {
  return new Promise((resolve) => {
    if (node !== undefined) (worker as NodeWorker).on('message', resolve);
    else
      (worker as Worker).addEventListener('message', ({ data }) => resolve(data), { once: true });
  });
}

/** In a worker: posts a message to the thread that made it. */
export function postBack(data: unknown): void {
  const port = nodeThreads()?.parentPort;
  if (port !== undefined && port !== null) port.postMessage(data);
  else postMessage(data);
}

/** In a worker: calls back with each message of the thread that made it. */
export function onMessage(listener: (data: unknown) => void): void {
  const port = nodeThreads()?.parentPort;
  if (port !== undefined && port !== null) port.on('message', listener);
  else addEventListener('message', ({ data }) => listener(data));
}

/** Returns the address of the server that gives the jobs. */
export function findServer(): string {
  return node === undefined ? location.origin : (node.argv[2] as string);
}

/** Returns what the engine says of itself. */
export function describeEngine(): EngineHello {
  const waitAsync = typeof (Atomics as { waitAsync?: unknown }).waitAsync === 'function';
  if (node !== undefined) {
    return { agent: `Node ${node.version}`, isolated: true, waitAsync, threads: 0 };
  }
  return {
    agent: navigator.userAgent,
    isolated: crossOriginIsolated,
    waitAsync,
    threads: navigator.hardwareConcurrency,
  };
}

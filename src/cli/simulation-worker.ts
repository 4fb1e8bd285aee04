import { Worker, type WorkerOptions } from 'node:worker_threads';
import { EscapementError } from '../shared/error.ts';
import type { Hello } from '../shared/protocol.ts';
import { findModule, type ModuleFile } from './module-file.ts';

/** A worker that has loaded a simulation's module and said what it is. */
export interface LoadedWorker {
  readonly worker: Worker;
  readonly hello: Hello;
}

/**
 * Loads a module in a worker and waits until it has called `runSimulation`. Throws
 * `UsageError` when there is no such file or no way to load it here; rejects with the cause
 * when it does not load, throws, ends, or says nothing for `timeoutMs`.
 */
export async function loadSimulation(
  path: string,
  timeoutMs: number,
  options: WorkerOptions = {},
): Promise<LoadedWorker> {
  const file = findModule(path);
  const worker = openWorker(file, options);
  try {
    return { worker, hello: await hear(worker, file.path, timeoutMs) };
  } catch (cause) {
    await worker.terminate();
    throw cause;
  }
}

function openWorker({ url, loaders }: ModuleFile, options: WorkerOptions): Worker {
  if (loaders.length === 0) return new Worker(new URL(url), options);
  // A worker does not get the loader of its parent.
  const script =
    `Promise.all(${JSON.stringify(loaders)}.map((loader) => import(loader))).then((all) => {` +
    `for (const { register } of all) register(); return import(${JSON.stringify(url)}); })`;
  return new Worker(script, { ...options, eval: true, execArgv: [] });
}

function hear(worker: Worker, file: string, timeoutMs: number): Promise<Hello> {
  return new Promise<Hello>((resolveHello, reject) => {
    const timer = setTimeout(() => reject(silent(file, `${timeoutMs} ms`)), timeoutMs);
    const listen = (message: unknown): void => {
      if ((message as Hello | null)?.kind !== 'escapement/hello') return;
      clearTimeout(timer);
      worker.off('message', listen);
      resolveHello(message as Hello);
    };
    worker.on('message', listen);
    // These stay: whoever starts the simulation listens only a moment later.
    worker.on('error', (cause) => {
      clearTimeout(timer);
      reject(describeFailure(file, cause));
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      reject(silent(file, 'its end'));
    });
  });
}

function silent(file: string, until: string): EscapementError {
  return new EscapementError('START_TIMEOUT', 'The module loaded but started no simulation.', {
    given: `${file}, nothing heard until ${until}`,
    allowed: 'a module that calls runSimulation(definition) before any top-level await',
    fix: 'Call runSimulation at the top of the module, or raise --start-timeout.',
  });
}

function describeFailure(file: string, cause: unknown): EscapementError {
  return new EscapementError('WORKER_LOAD_FAILED', 'The module did not load.', {
    given: file,
    allowed: 'a module that Node can import, with everything it imports',
    fix: 'Mend what the cause names; import the module with node to see it alone.',
    cause,
  });
}

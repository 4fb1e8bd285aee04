import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { EscapementError } from '../shared/error.ts';
import type { Hello } from '../shared/protocol.ts';
import { checkModule, chooseLoading, type Loading } from './module-loading.ts';

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
  const file = checkModule(path, 'the path of a module that calls runSimulation(definition)');
  const worker = openWorker(file, chooseLoading(file), options);
  try {
    return { worker, hello: await hear(worker, file, timeoutMs) };
  } catch (cause) {
    await worker.terminate();
    throw cause;
  }
}

function openWorker(file: string, loading: Loading, options: WorkerOptions): Worker {
  const url = pathToFileURL(file);
  if (loading.kind === 'plain') return new Worker(url, options);
  const script =
    `import(${JSON.stringify(loading.register)})` +
    `.then(({ register }) => { register(); return import(${JSON.stringify(url.href)}); })`;
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

import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { EscapementError } from '../shared/error.ts';
import type { Hello } from '../shared/protocol.ts';
import { UsageError } from './usage-error.ts';

/** A worker that has loaded a simulation's module and said what it is. */
export interface LoadedWorker {
  readonly worker: Worker;
  readonly hello: Hello;
}

/** How a module can be loaded here. */
type Loading = { readonly kind: 'plain' } | { readonly kind: 'tsx'; readonly register: string };

/**
 * Loads a module in a worker and waits until it has called `runSimulation`. Throws
 * {@link UsageError} when there is no such file or no way to load it here; rejects with the cause
 * when it does not load, throws, ends, or says nothing for `timeoutMs`.
 */
export async function loadSimulation(
  path: string,
  timeoutMs: number,
  options: WorkerOptions = {},
): Promise<LoadedWorker> {
  const file = checkFile(path);
  const worker = openWorker(file, chooseLoading(file), options);
  try {
    return { worker, hello: await hear(worker, file, timeoutMs) };
  } catch (cause) {
    await worker.terminate();
    throw cause;
  }
}

function checkFile(path: string): string {
  const file = resolve(path);
  if (existsSync(file) && statSync(file).isFile()) return file;
  throw new UsageError('OPTION_INVALID', 'There is no such module.', {
    given: file,
    allowed: 'the path of a module that calls runSimulation(definition)',
    fix: 'Check the path, and that the module was built.',
  });
}

function chooseLoading(file: string): Loading {
  const stripsTypes = Boolean((process.features as { typescript?: unknown }).typescript);
  if (!/\.[cm]?ts$/.test(file) || stripsTypes) return { kind: 'plain' };
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  if (/\btsx\b/.test(flags)) {
    // A worker does not get the loader of its parent.
    return { kind: 'tsx', register: findTsx() };
  }
  throw new UsageError('OPTION_INVALID', 'This Node does not load TypeScript by itself.', {
    given: file,
    allowed: 'a JavaScript module, or a TypeScript module under tsx',
    fix: 'Build it first, or: node --import tsx node_modules/.bin/escapement run MODULE.ts',
  });
}

/** Finds tsx where `--import tsx` does: from the working directory. */
function findTsx(): string {
  const manifest = createRequire(join(process.cwd(), 'any.js')).resolve('tsx/package.json');
  return pathToFileURL(join(dirname(manifest), 'dist/esm/api/index.mjs')).href;
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

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

/** Returns the path of a compiled module of `test/threads/workers`. */
export function builtModule(name: string): string {
  return fileURLToPath(new URL(`../../build/test/threads/workers/${name}.js`, import.meta.url));
}

/** A worker of a test; its failure is the test's. */
export interface BuiltWorker<Report> {
  readonly worker: Worker;
  /** Its only message. Rejects when the worker fails or ends without one. */
  readonly report: Promise<Report>;
}

/** Starts a compiled module of `test/threads/workers` as a thread. */
export function startWorker<Data, Report = never>(name: string, data: Data): BuiltWorker<Report> {
  const worker = new Worker(builtModule(name), { workerData: data, execArgv: [] });
  const report = new Promise<Report>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`${name} ended with ${code}, no report`)));
  });
  // Whoever needs the report awaits it; a worker that is terminated has none.
  report.catch(() => {});
  return { worker, report };
}

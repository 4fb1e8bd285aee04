/** Runs in an engine: asks the server for jobs, does one after the other, and posts what came. */
import { controlTable, mathsTable } from './maths-table.ts';
import type { Hashes, Job, Outcome } from './plan.ts';
import { describeEngine, findServer } from './platform.ts';
import { traceScene, Unavailable } from './trace.ts';

const server = findServer();

async function post(path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${server}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return response.json();
}

function work(job: Job): Promise<Hashes> | Hashes {
  if (job.kind === 'maths') return mathsTable();
  if (job.kind === 'control') return controlTable();
  return traceScene(job);
}

async function attempt(job: Job): Promise<Outcome> {
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  try {
    return { hashes: await work(job), ms: elapsed() };
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    const failure = cause instanceof Unavailable ? { unavailable: text } : { error: text };
    return { hashes: {}, ms: elapsed(), ...failure };
  }
}

const jobs = (await post('/engines/hello', describeEngine())) as readonly Job[];
for (const job of jobs) await post('/engines/outcome', await attempt(job));

import { readAliases, resolveImports } from '../module-names.mjs';
import { inRoot } from '../paths.mjs';
import { ISOLATION_HEADERS, serve } from '../serve.mjs';
import { HARNESS } from './find.mjs';
import { launch } from './launch.mjs';

/**
 * @typedef {import('../../../test/engines/harness/plan.ts').Job} Job
 * @typedef {import('../../../test/engines/harness/plan.ts').Outcome} Outcome
 * @typedef {import('../../../test/engines/harness/plan.ts').EngineHello} EngineHello
 *
 * What an engine came to: an outcome for each job, those included that it did not get to.
 * @typedef {{ hello: EngineHello | undefined, outcomes: Outcome[], ms: number }} Session
 */

const PAGE = `<!doctype html><html lang="en"><title>engines</title>
<link rel="icon" href="data:,"><script type="module" src="/${HARNESS}"></script></html>
`;

/**
 * How long an engine may take, in milliseconds: to come up, and for a job, with so much a tick.
 * @typedef {{ startMs: number, jobMs: number, tickMs: number }} Limits
 */
const LIMITS = Object.freeze({ startMs: 90_000, jobMs: 60_000, tickMs: 25 });

/**
 * Has an engine do jobs: serves it the harness, starts it, collects what it posts, and ends it. An
 * engine that falls silent or ends fails what it had left to do.
 * @param {import('./find.mjs').Engine} engine
 * @param {readonly Job[]} jobs
 * @param {Limits} limits
 * @returns {Promise<Session>}
 */
export async function runSession(engine, jobs, limits = LIMITS) {
  const began = performance.now();
  /** @type {Outcome[]} */
  const outcomes = [];
  /** @type {EngineHello | undefined} */
  let hello;
  const watch = createWatch();
  const aliases = readAliases();
  const served = await serve({
    root: inRoot(),
    // Every worker asks for the same modules again.
    headersFor: () => ({ ...ISOLATION_HEADERS, 'Cache-Control': 'max-age=600' }),
    pages: (path) => (path === '/engines/page' ? PAGE : undefined),
    transform: (body, mediaType) =>
      mediaType.startsWith('text/javascript') ? resolveImports(body.toString(), aliases) : body,
    receive: (path, body) => {
      if (path === '/engines/hello') {
        hello = JSON.parse(body);
        watch.expect(limitOf(jobs[0], limits));
        return jobs;
      }
      if (path !== '/engines/outcome') return undefined;
      outcomes.push(JSON.parse(body));
      if (outcomes.length >= jobs.length) watch.finish('');
      else watch.expect(limitOf(jobs[outcomes.length], limits));
      return undefined;
    },
  });
  watch.expect(limits.startMs);
  const isNode = engine.id.startsWith('node');
  const launched = launch(engine, isNode ? served.origin : `${served.origin}/engines/page`);
  void launched.ended.then(watch.finish);
  const trouble = await watch.finished;
  await launched.close();
  await served.close();
  const cause = hello === undefined ? `no sign of life: ${trouble}` : trouble;
  for (let error = cause; outcomes.length < jobs.length; error = 'not run after that') {
    outcomes.push({ hashes: {}, ms: 0, error });
  }
  return { hello, outcomes, ms: performance.now() - began };
}

/**
 * @param {Job | undefined} job
 * @param {Limits} limits
 */
function limitOf(job, { jobMs, tickMs }) {
  return jobMs + (job?.kind === 'run' ? job.ticks * tickMs : 0);
}

/** Waits for an end, and brings it about when nothing has happened for too long. */
function createWatch() {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {(trouble: string) => void} */
  let resolveEnd = () => {};
  /** @type {Promise<string>} */
  const finished = new Promise((resolve) => {
    resolveEnd = resolve;
  });
  const finish = (/** @type {string} */ trouble) => {
    clearTimeout(timer);
    resolveEnd(trouble);
  };
  const expect = (/** @type {number} */ ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => finish(`nothing came for ${ms / 1000} s`), ms);
  };
  return { finished, finish, expect };
}

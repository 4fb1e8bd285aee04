import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap } from './lib/bootstrap.mjs';
import { compileOrExit } from './lib/build.mjs';
import { ENGINE_IDS, findEngine } from './lib/engines/find.mjs';
import {
  composePage,
  countResults,
  layOut,
  listControl,
  listNotes,
  listTrouble,
  tableBy,
} from './lib/engines/report.mjs';
import { runSession } from './lib/engines/session.mjs';
import { describeMachine } from './lib/machine.mjs';
import { inRoot } from './lib/paths.mjs';

/**
 * @typedef {import('./lib/engines/find.mjs').EngineId} EngineId
 * @typedef {import('./lib/engines/report.mjs').EngineResult} EngineResult
 * @typedef {import('../test/engines/harness/plan.ts').Hashes} Hashes
 * @typedef {import('../test/engines/harness/plan.ts').Job} Job
 * @typedef {import('../test/engines/harness/compare.ts').Golden} Golden
 * @typedef {'tiny' | 'normal' | 'full'} Size
 */

const USAGE = `npm run test:engines -- [options]
  runs the same scenes in every engine and compares the hashes of their states with those in
  test/engines/golden.json; installs the engines that are missing

  --tiny            100 ticks, in this Node and in Chromium
  --full            10,000 ticks, each scene in every way; writes docs/results/engines.md
  --engines A,B     of ${ENGINE_IDS.join(', ')}
  --scenes A,B      these alone
  --ways TEXT       those alone whose name holds the text
  --no-install      an engine that is not here is not run
  --built           what is built is taken as it is
  --update          writes the golden hashes anew, by this Node alone
`;

const GOLDEN = inRoot('test', 'engines', 'golden.json');
const TICKS = { tiny: 100, normal: 1000, full: 10_000 };

/** @type {Record<Size, readonly EngineId[]>} */
const ENGINES = {
  tiny: ['node', 'chromium'],
  normal: ['node20', 'node24', 'chromium', 'firefox', 'webkit'],
  full: ['node20', 'node24', 'chromium', 'firefox', 'webkit'],
};

/** `npm run test:engines`: the same run on every engine. */
async function main() {
  const options = readOptions();
  if (options === undefined) return 2;
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  await bootstrap();
  if (!options.built) await compileOrExit();
  const plan = await loadPlan();
  if (options.update) return update(plan.goldenJobs(TICKS.full));
  const { size, scenes, ways } = options;
  const jobs = plan.planJobs(size, TICKS[size]).filter((job) => {
    if (job.kind !== 'run') return true;
    return (scenes?.includes(job.scene) ?? true) && job.way.includes(ways);
  });
  /** @type {Map<string, Hashes>} */
  const controls = new Map();
  /** @type {EngineResult[]} */
  const results = [];
  for (const id of options.engines ?? ENGINES[size]) {
    results.push(await runEngine(id, jobs, options.mayInstall, controls));
  }
  return report(results, controls, options);
}

/** Reads the command line; says what is wrong with it, and returns undefined then. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        tiny: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        engines: { type: 'string' },
        scenes: { type: 'string' },
        ways: { type: 'string', default: '' },
        'no-install': { type: 'boolean', default: false },
        built: { type: 'boolean', default: false },
        update: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const engines = values.engines?.split(',');
    const unknown = engines?.find((id) => !ENGINE_IDS.some((known) => known === id));
    if (unknown !== undefined) {
      throw new Error(`There is no engine '${unknown}'. There are: ${ENGINE_IDS.join(', ')}.`);
    }
    return {
      size: /** @type {Size} */ (values.full ? 'full' : values.tiny ? 'tiny' : 'normal'),
      engines: /** @type {EngineId[] | undefined} */ (engines),
      scenes: values.scenes?.split(','),
      ways: values.ways,
      mayInstall: !values['no-install'],
      built: values.built,
      update: values.update,
      help: values.help,
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return undefined;
  }
}

/**
 * Has one engine do the jobs, and judges what came of each.
 * @param {EngineId} id
 * @param {readonly Job[]} jobs
 * @param {boolean} mayInstall
 * @param {Map<string, Hashes>} controls gets its own functions' hashes
 * @returns {Promise<EngineResult>}
 */
async function runEngine(id, jobs, mayInstall, controls) {
  const { judge } = await loadCompare();
  let engine;
  try {
    engine = await findEngine(id, mayInstall);
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error);
    process.stdout.write(`${id}: not run: ${missing}\n`);
    return { title: id, jobs: [], verdicts: [], ms: 0, missing };
  }
  const { title } = engine;
  const { hello, outcomes, ms } = await runSession(engine, jobs);
  const golden = readGolden();
  const verdicts = outcomes.map((outcome, k) =>
    judge(/** @type {Job} */ (jobs[k]), outcome, golden),
  );
  const place = jobs.findIndex((job) => job.kind === 'control');
  const own = outcomes[place]?.hashes;
  if (own !== undefined) controls.set(title, own);
  const jobMs = outcomes.map((outcome) => Math.round(outcome.ms));
  const result = { title, note: engine.note, jobs, verdicts, hello, ms, jobMs };
  const { passed, failed } = countResults([result]);
  process.stdout.write(
    `${title}: ${passed} the same, ${failed} not, ${(ms / 1000).toFixed(1)} s\n`,
  );
  return result;
}

/**
 * Prints what came of it all, leaves the counts in build/report, and returns the exit code. An
 * engine that is missing is a failure where it was asked for by name, and in CI.
 * @param {readonly EngineResult[]} results
 * @param {ReadonlyMap<string, Hashes>} controls
 * @param {NonNullable<ReturnType<typeof readOptions>>} options
 */
async function report(results, controls, { size, engines, scenes, ways }) {
  const { groupByHash } = await loadCompare();
  const { SCENE_NAMES, WAYS } = await loadPlan();
  const names = { scenes: ['maths', ...SCENE_NAMES], ways: WAYS.map(({ name }) => name) };
  const groups = groupByHash(controls);
  const counts = countResults(results);
  const missing = results.filter((result) => result.missing !== undefined).length;
  const isWanted = engines !== undefined || (process.env['CI'] ?? '') !== '';
  const failed = counts.failed + (isWanted ? missing : 0);
  const skipped = counts.skipped - (isWanted ? missing : 0);
  const blocks = [
    layOut(tableBy(results, 'scene', names.scenes)),
    layOut(tableBy(results, 'way', names.ways)),
    [...listNotes(results), ...listTrouble(results)],
    ['The functions of the engines themselves, for comparison:', ...listControl(groups)],
    [`engines: ${counts.passed} passed, ${failed} failed, ${skipped} not there`],
  ];
  const texts = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  process.stdout.write(`\n${texts.join('\n\n')}\n`);
  mkdirSync(inRoot('build', 'report'), { recursive: true });
  const file = inRoot('build', 'report', 'engines.json');
  writeFileSync(file, JSON.stringify({ ...counts, failed, skipped, results }, null, 2));
  if (size === 'full' && engines === undefined && scenes === undefined && ways === '') {
    const plan = { ticks: TICKS[size], ...names };
    const page = composePage(results, groups, plan, await describeMachine());
    mkdirSync(inRoot('docs', 'results'), { recursive: true });
    writeFileSync(inRoot('docs', 'results', 'engines.md'), page);
  }
  return failed === 0 && counts.passed > 0 ? 0 : 1;
}

/**
 * Writes the golden hashes by the Node that runs this, and no other engine.
 * @param {readonly Job[]} jobs
 */
async function update(jobs) {
  const { goldenKey } = await loadCompare();
  const { outcomes } = await runSession(await findEngine('node', false), jobs);
  /** @type {Record<string, Hashes>} */
  const golden = {};
  for (const [k, job] of jobs.entries()) {
    const { hashes = {}, error } = outcomes[k] ?? {};
    if (error !== undefined) {
      process.stderr.write(`No golden hashes: ${JSON.stringify(job)}: ${error}\n`);
      return 1;
    }
    golden[goldenKey(job) ?? job.kind] = hashes;
  }
  writeFileSync(GOLDEN, `${JSON.stringify(golden, null, 2)}\n`);
  process.stdout.write(`${Object.keys(golden).length} lists written to ${GOLDEN}\n`);
  return 0;
}

/** @returns {Golden} */
function readGolden() {
  return existsSync(GOLDEN) ? JSON.parse(readFileSync(GOLDEN, 'utf8')) : {};
}

/** @returns {Promise<typeof import('../test/engines/harness/plan.ts')>} */
function loadPlan() {
  return import(built('plan'));
}

/** @returns {Promise<typeof import('../test/engines/harness/compare.ts')>} */
function loadCompare() {
  return import(built('compare'));
}

/** @param {string} name */
function built(name) {
  const file = inRoot('build', 'test', 'engines', 'harness', `${name}.js`);
  return pathToFileURL(file).href;
}

process.exitCode = await main();

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchNames } from './lib/benches.mjs';
import { bootstrap } from './lib/bootstrap.mjs';
import { compile } from './lib/build.mjs';
import { runEngines } from './lib/engines/step.mjs';
import { describeMachine } from './lib/machine.mjs';
import { inRoot } from './lib/paths.mjs';
import { runNode } from './lib/process.mjs';
import { Steps } from './lib/steps.mjs';
import { runProject } from './lib/vitest.mjs';

/**
 * One line a bench printed.
 * @typedef {Record<string, unknown>} BenchLine
 */

/**
 * A step of a full run, with the commit that it ran on: a run may make some steps alone.
 * @typedef {ReturnType<Steps['totals']>['steps'][number] & {
 *   commit: string, changed: boolean, day: string,
 * }} DatedStep
 *
 * What the full runs leave behind.
 * @typedef {Awaited<ReturnType<typeof describeMachine>> & {
 *   passed: number, failed: number, steps: DatedStep[], benches: Record<string, BenchLine[]>,
 * }} FullResult
 */

const PARTS = ['unit', 'threads', 'browser', 'engines', 'proof', 'benches'];

const USAGE = `npm run full -- [options]
  all tests, the proof and all benches at full length: some hours

  --parts A,B   of ${PARTS.join(', ')}:
                these alone; in docs/results/full.md they replace what was there of the same name,
                the others stay with the commit they ran on
  --benches     the benches alone, at normal length; writes docs/results/benches.md
  --only A,B    of the benches these alone; what the others gave stays
`;

/**
 * `npm run full`: all tests, the proof and all benches at full length; with `--benches` the benches
 * alone, at normal length. The result goes to full.json and full.md (or benches.json and
 * benches.md) in docs/results, whether good or bad.
 */
async function main() {
  const options = readOptions();
  if (options === undefined) return 2;
  const { benchesOnly, parts, only } = options;
  await bootstrap();
  const machine = await describeMachine();
  const steps = new Steps('full');
  await steps.run('build and types', async () => {
    const { code, output } = await compile({ output: 'capture' });
    return { ok: code === 0, output };
  });
  if (!benchesOnly) await runTests(steps, parts);
  /** @type {Record<string, BenchLine[]>} */
  const benches = {};
  for (const name of parts.includes('benches') ? only : []) {
    await steps.run(`bench ${name}`, async () => {
      const { code, output } = await runNode(['scripts/bench.mjs', name, '--json'], {
        env: benchesOnly ? {} : { ESCAPEMENT_SIZE: 'full' },
        output: 'capture',
      });
      const lines = readLines(output);
      benches[name] = lines;
      // A bound that does not hold is a result as well, and a bad one.
      const holds = lines.every((line) => line['ok'] !== false);
      return { ok: code === 0 && lines.length > 0 && holds, output };
    });
  }
  const code = steps.finish();
  record(benchesOnly ? 'benches' : 'full', machine, steps, benches);
  return code;
}

/** Reads the command line; says what is wrong with it, and returns undefined then. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        parts: { type: 'string' },
        benches: { type: 'boolean', default: false },
        only: { type: 'string' },
      },
    });
    const parts = values.benches ? ['benches'] : (values.parts?.split(',') ?? PARTS);
    const only = values.only?.split(',') ?? benchNames();
    refuseUnknown('part', parts, PARTS);
    refuseUnknown('bench', only, benchNames());
    return { benchesOnly: values.benches, parts, only };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return undefined;
  }
}

/**
 * @param {string} kind
 * @param {readonly string[]} given
 * @param {readonly string[]} known
 */
function refuseUnknown(kind, given, known) {
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Error(`There is no ${kind} ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
}

/**
 * @param {Steps} steps
 * @param {readonly string[]} parts
 */
async function runTests(steps, parts) {
  const options = /** @type {const} */ ({ size: 'full', output: 'inherit' });
  /** @type {Record<string, () => Promise<import('./lib/steps.mjs').Outcome>>} */
  const actions = {
    unit: () => runProject('unit', options),
    threads: () => runProject('threads', options),
    browser: async () => {
      const { findBrowser } = await import('./lib/browser.mjs');
      return runProject('browser', {
        ...options,
        env: { ESCAPEMENT_BROWSER: await findBrowser() },
      });
    },
    engines: () => runEngines('full', 'inherit'),
    proof: async () => {
      const { code } = await runNode(['scripts/proof.mjs']);
      return { ok: code === 0 };
    },
  };
  for (const [title, action] of Object.entries(actions)) {
    if (parts.includes(title)) await steps.run(title, action);
  }
}

/**
 * Picks the JSON objects out of what a bench printed; the rest is its progress.
 * @param {string} output
 * @returns {BenchLine[]}
 */
function readLines(output) {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line));
}

/**
 * What was made replaces what earlier runs left under the same title; benches that are there no
 * more go.
 * @param {'full' | 'benches'} name
 * @param {Awaited<ReturnType<typeof describeMachine>>} machine
 * @param {Steps} steps
 * @param {Record<string, BenchLine[]>} benches
 */
function record(name, machine, steps, benches) {
  const { commit, changed } = machine;
  const day = new Date().toISOString().slice(0, 10);
  const made = steps.totals().steps.map((step) => ({ ...step, commit, changed, day }));
  const order = ['build and types', ...PARTS, ...benchNames().map((bench) => `bench ${bench}`)];
  const titles = made.map(({ title }) => title);
  const before = readLast(name);
  const all = [...(before?.steps.filter(({ title }) => !titles.includes(title)) ?? []), ...made]
    .filter(({ title }) => order.includes(title))
    .sort((a, b) => order.indexOf(a.title) - order.indexOf(b.title));
  const lines = Object.entries({ ...before?.benches, ...benches });
  write(name, {
    ...machine,
    passed: all.reduce((total, step) => total + step.passed, 0),
    failed: all.reduce((total, step) => total + step.failed, 0),
    steps: all,
    benches: Object.fromEntries(
      lines
        .filter(([bench]) => benchNames().includes(bench))
        .sort(([a], [b]) => order.indexOf(`bench ${a}`) - order.indexOf(`bench ${b}`)),
    ),
  });
}

/**
 * Returns what earlier runs left, if anything.
 * @param {'full' | 'benches'} name
 * @returns {FullResult | undefined}
 */
function readLast(name) {
  const path = inRoot('docs', 'results', `${name}.json`);
  if (!existsSync(path)) return undefined;
  const { steps, ...last } = JSON.parse(readFileSync(path, 'utf8'));
  // Steps had no commit of their own once.
  const { commit, changed } = last;
  return {
    ...last,
    steps: steps.map((/** @type {object} */ it) => ({ commit, changed, ...it })),
  };
}

/**
 * @param {'full' | 'benches'} name
 * @param {FullResult} result
 */
function write(name, result) {
  mkdirSync(inRoot('docs', 'results'), { recursive: true });
  const command = name === 'full' ? 'npm run full' : 'npm run full -- --benches';
  const lines = [
    name === 'full' ? '# The last full run' : '# The last run of the benches',
    '',
    `Written by \`${command}\`; \`${name}.json\` holds the same.`,
    '',
    `- Node ${result.node} on ${result.platform}, ${result.cpu}, ${result.memoryGiB} GiB`,
    `- ${result.passed} passed, ${result.failed} failed`,
    '',
    ...table(
      result.steps.map(({ title, ok, ms, passed, failed, skipped, commit, changed, day }) => ({
        step: title,
        result: ok ? 'ok' : 'FAILED',
        seconds: Math.round(ms / 1000),
        passed,
        failed,
        skipped,
        commit: `${commit.slice(0, 10)}${changed ? ' and changes' : ''}`,
        day,
      })),
    ),
    ...benchTables(result.benches),
  ];
  writeFileSync(inRoot('docs', 'results', `${name}.md`), `${lines.join('\n').trimEnd()}\n`);
  writeFileSync(inRoot('docs', 'results', `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/**
 * A heading and a table for each bench.
 * @param {Record<string, BenchLine[]>} benches
 */
function benchTables(benches) {
  return Object.entries(benches).flatMap(([name, lines]) => [
    '',
    `## ${name}`,
    '',
    ...table(lines),
  ]);
}

/** @param {readonly BenchLine[]} rows */
function table(rows) {
  const columns = [...new Set(rows.flatMap((cells) => Object.keys(cells)))];
  const row = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [
    row(columns),
    row(columns.map(() => '---')),
    ...rows.map((cells) => row(columns.map((column) => print(cells[column])))),
  ];
}

/** @param {unknown} value */
function print(value) {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return value === undefined ? '' : JSON.stringify(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

process.exitCode = await main();

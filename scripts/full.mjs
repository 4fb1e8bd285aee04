import { mkdirSync, writeFileSync } from 'node:fs';
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
 * What a full run leaves behind.
 * @typedef {Awaited<ReturnType<typeof describeMachine>> & ReturnType<Steps['totals']> & {
 *   benches: Record<string, BenchLine[]>,
 * }} FullResult
 */

/**
 * `npm run full`: all tests, the proof and all benches at full length, an hour and more; with
 * `--benches` the benches alone, at normal length. The result replaces full.json and full.md (or
 * benches.json and benches.md) in docs/results, whether good or bad.
 */
async function main() {
  await bootstrap();
  const steps = new Steps('full');
  await steps.run('build and types', async () => {
    const { code, output } = await compile({ output: 'capture' });
    return { ok: code === 0, output };
  });
  const benchesOnly = process.argv.includes('--benches');
  if (!benchesOnly) await runTests(steps);
  /** @type {Record<string, BenchLine[]>} */
  const benches = {};
  for (const name of benchNames()) {
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
  const name = benchesOnly ? 'benches' : 'full';
  record(name, { ...(await describeMachine()), ...steps.totals(), benches });
  return code;
}

/** @param {Steps} steps */
async function runTests(steps) {
  const options = /** @type {const} */ ({ size: 'full', output: 'inherit' });
  await steps.run('unit', () => runProject('unit', options));
  await steps.run('threads', () => runProject('threads', options));
  await steps.run('browser', async () => {
    const { findBrowser } = await import('./lib/browser.mjs');
    return runProject('browser', { ...options, env: { ESCAPEMENT_BROWSER: await findBrowser() } });
  });
  await steps.run('engines', () => runEngines('full', 'inherit'));
  await steps.run('proof', async () => {
    const { code } = await runNode(['scripts/proof.mjs']);
    return { ok: code === 0 };
  });
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
 * @param {'full' | 'benches'} name
 * @param {FullResult} result
 */
function record(name, result) {
  mkdirSync(inRoot('docs', 'results'), { recursive: true });
  const command = name === 'full' ? 'npm run full' : 'npm run full -- --benches';
  const lines = [
    name === 'full' ? '# The last full run' : '# The last run of the benches',
    '',
    `Written by \`${command}\`; \`${name}.json\` holds the same.`,
    '',
    `- commit ${result.commit}${result.changed ? ' with uncommitted changes' : ''}`,
    `- Node ${result.node} on ${result.platform}, ${result.cpu}, ${result.memoryGiB} GiB`,
    `- ${result.passed} passed, ${result.failed} failed`,
    '',
    ...table(
      result.steps.map(({ title, ok, ms, passed, failed, skipped }) => ({
        step: title,
        result: ok ? 'ok' : 'FAILED',
        seconds: Math.round(ms / 1000),
        passed,
        failed,
        skipped,
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

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { inRoot } from './paths.mjs';
import { runBin } from './process.mjs';

/**
 * What is read of vitest's JSON report.
 * @typedef {{ status: string, assertionResults: { status: string }[] }} FileResult
 * @typedef {{
 *   numPassedTests: number,
 *   numFailedTests: number,
 *   numPendingTests: number,
 *   testResults: FileResult[],
 * }} Report
 *
 * How long the tests are, where their output goes, and what else they find in the environment.
 * @typedef {{
 *   size: 'tiny' | 'normal' | 'full',
 *   output: import('./process.mjs').Output,
 *   env?: NodeJS.ProcessEnv,
 * }} ProjectOptions
 */

/** What each group of tests consists of: projects of vitest.config.ts. */
const PROJECTS = {
  unit: ['unit', 'heap'],
  threads: ['threads', 'untimed'],
  browser: ['browser'],
};

/**
 * Runs a group of tests to its end and counts what it executed. A test file that could not even
 * be loaded counts as one failure, and so does a run that ended badly without naming one.
 * @param {keyof typeof PROJECTS} group
 * @param {ProjectOptions} options
 * @returns {Promise<import('./steps.mjs').Outcome>}
 */
export async function runProject(group, { size, output, env }) {
  const report = inRoot('build', 'report', `vitest-${group}-${size}.json`);
  mkdirSync(inRoot('build', 'report'), { recursive: true });
  rmSync(report, { force: true });
  const projects = PROJECTS[group].map((name) => `--project=${name}`);
  const args = ['run', ...projects, '--reporter=default', '--reporter=json'];
  const ended = await runBin('vitest', 'vitest', [...args, `--outputFile.json=${report}`], {
    env: { ESCAPEMENT_SIZE: size, ...env },
    output,
    timeoutMs: (size === 'full' ? 240 : 30) * 60_000,
  });
  if (!existsSync(report)) return { ok: false, output: ended.output };
  /** @type {Report} */
  const counts = JSON.parse(readFileSync(report, 'utf8'));
  const broken = counts.testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = counts.numFailedTests + broken;
  const ok = ended.code === 0 && failed === 0 && counts.numPassedTests > 0;
  return {
    ok,
    output: ended.output,
    passed: counts.numPassedTests,
    failed,
    skipped: counts.numPendingTests,
  };
}

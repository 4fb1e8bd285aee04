import { existsSync, readFileSync, rmSync } from 'node:fs';
import { inRoot } from '../paths.mjs';
import { runNode } from '../process.mjs';

/** How long the engines may take together, in minutes, with what has to be installed. */
const PATIENCE_MINUTES = { tiny: 10, normal: 30, full: 240 };

/**
 * Runs scripts/engines.mjs on what is built, and counts what it compared.
 * @param {'tiny' | 'normal' | 'full'} size
 * @param {import('../process.mjs').Output} output
 * @returns {Promise<import('../steps.mjs').Outcome>}
 */
export async function runEngines(size, output) {
  const report = inRoot('build', 'report', 'engines.json');
  rmSync(report, { force: true });
  const args = size === 'normal' ? [] : [`--${size}`];
  const ended = await runNode(['scripts/engines.mjs', '--built', ...args], {
    output,
    timeoutMs: PATIENCE_MINUTES[size] * 60_000,
  });
  if (!existsSync(report)) return { ok: false, output: ended.output };
  const { passed, failed, skipped } = JSON.parse(readFileSync(report, 'utf8'));
  return { ok: ended.code === 0, output: ended.output, passed, failed, skipped };
}

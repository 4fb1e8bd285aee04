import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';

const REPORTS = inRoot('build', 'report');

/**
 * What a step's action says: whether it succeeded, what it has to show (printed in full when it
 * failed), and how many tests it really executed. A step that names no tests counts as one.
 * @typedef {{
 *   ok: boolean,
 *   output?: string,
 *   passed?: number,
 *   failed?: number,
 *   skipped?: number,
 * }} Outcome
 *
 * A step that was run.
 * @typedef {Required<Outcome> & { title: string, ms: number }} Done
 */

/** Runs named steps one after another, prints a line for each, and keeps going after a failure. */
export class Steps {
  /** @type {Done[]} */
  #done = [];
  #name;

  /** @param {string} name the command these steps belong to: the name of its report file */
  constructor(name) {
    this.#name = name;
    rmSync(this.#reportFile(), { force: true });
  }

  /**
   * Runs one step. What its action throws is its failure, never the end of the others.
   * @param {string} title
   * @param {() => Promise<Outcome>} action
   * @returns {Promise<boolean>} whether it succeeded
   */
  async run(title, action) {
    const started = performance.now();
    /** @type {Outcome} */
    let outcome;
    try {
      outcome = await action();
    } catch (error) {
      outcome = { ok: false, output: error instanceof Error ? error.message : String(error) };
    }
    const { ok, output = '', passed = 0, failed = 0, skipped = 0 } = outcome;
    const counted = passed + failed > 0;
    const done = {
      title,
      ok,
      output,
      ms: performance.now() - started,
      passed: counted || !ok ? passed : 1,
      failed: ok ? 0 : Math.max(failed, 1),
      skipped,
    };
    this.#done.push(done);
    printLine(done);
    if (!ok && output !== '') process.stdout.write(`${output.trimEnd()}\n\n`);
    return ok;
  }

  /**
   * Prints every step once more with the totals, leaves them as JSON in build/report, and returns
   * the exit code.
   */
  finish() {
    const totals = this.totals();
    process.stdout.write(`\n${this.#name}\n`);
    for (const done of this.#done) printLine(done);
    process.stdout.write(`${totals.passed} passed, ${totals.failed} failed\n`);
    mkdirSync(REPORTS, { recursive: true });
    writeFileSync(this.#reportFile(), JSON.stringify(totals, null, 2));
    return totals.failed === 0 ? 0 : 1;
  }

  /** Returns what was counted so far, and the steps without their output. */
  totals() {
    return {
      passed: sum(this.#done.map((it) => it.passed)),
      failed: sum(this.#done.map((it) => it.failed)),
      steps: this.#done.map(({ title, ok, ms, passed, failed, skipped }) => {
        return { title, ok, ms, passed, failed, skipped };
      }),
    };
  }

  #reportFile() {
    return inRoot('build', 'report', `${this.#name}.json`);
  }
}

/** @param {Done} done */
function printLine({ title, ok, ms, passed, failed, skipped }) {
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  const tests = passed + failed > 1 ? `  ${passed} passed, ${failed} failed` : '';
  const left = skipped > 0 ? `, ${skipped} skipped` : '';
  process.stdout.write(
    `${ok ? 'ok    ' : 'FAILED'}  ${title.padEnd(22)} ${seconds.padStart(8)}${tests}${left}\n`,
  );
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

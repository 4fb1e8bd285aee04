import { spawn } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inRoot, ROOT } from './paths.mjs';

/** What is captured is printed later or read: no colours. */
const PLAIN_TEXT = Object.freeze({ NO_COLOR: '1', FORCE_COLOR: '0' });

/**
 * How a child ended. `output` is what it printed, both streams in order of arrival, where it was
 * captured.
 * @typedef {{ code: number, output: string }} Ended
 */

/**
 * Where a child's output goes: `inherit` to ours, `stderr` both streams to our standard error (so
 * that our standard output stays clean), `capture` into the result.
 * @typedef {'inherit' | 'stderr' | 'capture'} Output
 */

/**
 * How a child is run. `env` adds to our environment; `output` is `inherit` by default.
 * @typedef {{
 *   env?: NodeJS.ProcessEnv,
 *   output?: Output,
 *   timeoutMs?: number,
 *   shell?: boolean,
 * }} RunOptions
 */

/**
 * Runs a program to its end and says how it ended; it never throws. A program that cannot be
 * started or is still running after `timeoutMs` ends with a code other than 0 and says why.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} options
 * @returns {Promise<Ended>}
 */
export function run(command, args, options = {}) {
  const { output = 'inherit', timeoutMs, shell = false } = options;
  const { promise, finish } = ending();
  /** @type {string[]} */
  const printed = [];
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...(output === 'capture' ? PLAIN_TEXT : {}), ...options.env },
    shell,
    stdio: ['inherit', ...outputStdio(output)],
  });
  const onText = (/** @type {Buffer} */ text) => printed.push(text.toString());
  child.stdout?.on('data', onText);
  child.stderr?.on('data', onText);
  const note = (/** @type {string} */ text) => {
    if (output === 'capture') printed.push(`${text}\n`);
    else process.stderr.write(`${text}\n`);
  };
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          note(`${command} was still running after ${Math.round(timeoutMs / 1000)} s: ended`);
          child.kill('SIGKILL');
        }, timeoutMs);
  const end = (/** @type {number} */ code) => {
    clearTimeout(timer);
    finish({ code, output: printed.join('') });
  };
  child.once('error', (error) => {
    note(error.message);
    end(127);
  });
  child.once('close', (code) => end(code ?? 1));
  return promise;
}

function ending() {
  /** @type {(ended: Ended) => void} */
  let finish = () => {};
  /** @type {Promise<Ended>} */
  const promise = new Promise((resolve) => {
    finish = resolve;
  });
  return { promise, finish };
}

/**
 * @param {Output} output
 * @returns {['inherit' | 'pipe' | number, 'inherit' | 'pipe' | number]}
 */
function outputStdio(output) {
  if (output === 'capture') return ['pipe', 'pipe'];
  return output === 'stderr' ? [2, 2] : ['inherit', 'inherit'];
}

/**
 * Runs a Node program: a script of ours or a built one.
 * @param {readonly string[]} args what follows `node`
 * @param {RunOptions} options
 */
export function runNode(args, options = {}) {
  return run(process.execPath, args, options);
}

/**
 * Runs a command that an installed package brings (`tsc` of `typescript`), without a shell and on
 * the Node that runs us.
 * @param {string} packageName
 * @param {string} binName
 * @param {readonly string[]} args
 * @param {RunOptions} options
 */
export function runBin(packageName, binName, args, options = {}) {
  const directory = inRoot('node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : bin[binName];
  return runNode([join(directory, file), ...args], options);
}

/**
 * Returns the path of an executable on PATH, or undefined.
 * @param {string} name
 */
export function which(name) {
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    for (const suffix of suffixes) {
      const path = join(directory, name + suffix);
      if (directory !== '' && isExecutable(path)) return path;
    }
  }
  return undefined;
}

/**
 * Says whether this process may execute the file.
 * @param {string} path
 */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

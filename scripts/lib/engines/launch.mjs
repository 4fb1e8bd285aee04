import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../paths.mjs';

/** How much of an engine's last words is kept, in characters. */
const OUTPUT_KEPT = 2000;
/** How long an engine may take to end by itself once it is asked to, in milliseconds. */
const GRACE_MS = 3000;

/**
 * An engine that was started.
 * @typedef {{
 *   ended: Promise<string>,
 *   close: () => Promise<void>,
 * }} Launched `ended` resolves with its last words when it ends by itself; `close` ends it and
 * everything it started, and removes its directory.
 */

/** What is to be ended, whatever happens to this program. */
const launched = new Set();

/**
 * Starts an engine on an address. It gets a process group of its own, so that nothing of it stays.
 * @param {import('./find.mjs').Engine} engine
 * @param {string} url
 * @returns {Launched}
 */
export function launch(engine, url) {
  const directory = mkdtempSync(join(tmpdir(), 'escapement-engine-'));
  const { command, args, env } = engine.start(url, directory);
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  let output = '';
  const onText = (/** @type {Buffer} */ text) => {
    output = (output + text.toString()).slice(-OUTPUT_KEPT);
  };
  child.stdout.on('data', onText);
  child.stderr.on('data', onText);
  const signal = (/** @type {NodeJS.Signals} */ name) => {
    try {
      if (process.platform === 'win32' || child.pid === undefined) child.kill(name);
      else process.kill(-child.pid, name);
    } catch {
      // Nobody is left in the group.
    }
  };
  const endNow = () => signal('SIGKILL');
  launched.add(endNow);
  /** @type {Promise<string>} */
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, by) => {
      resolve(`it ended with ${by ?? `code ${code}`}\n${output}`.trim());
    });
  });
  const close = async () => {
    signal('SIGTERM');
    await within(ended, GRACE_MS);
    endNow();
    await within(ended, GRACE_MS);
    launched.delete(endNow);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  return { ended, close };
}

process.once('exit', endAll);
for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.once(name, () => {
    endAll();
    process.exit(1);
  });
}

function endAll() {
  for (const end of launched) end();
}

/**
 * @param {Promise<unknown>} promise
 * @param {number} ms
 */
async function within(promise, ms) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

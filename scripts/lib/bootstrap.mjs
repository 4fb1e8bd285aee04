import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inRoot } from './paths.mjs';
import { run, runNode } from './process.mjs';

/**
 * Makes sure that what package-lock.json names is installed: runs `npm ci` where node_modules is
 * missing or belongs to another lock file, and does nothing else otherwise. Everything it prints
 * goes to standard error. Ends the process with a message when the installation fails.
 * @param {string} directory where both lie, from the root
 */
export async function bootstrap(directory = '.') {
  const stamp = inRoot(directory, 'node_modules', '.escapement-installed');
  const lock = readFileSync(inRoot(directory, 'package-lock.json'), 'utf8');
  const wanted = createHash('sha256').update(lock).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  if (!installedAgrees(directory, lock)) await install(directory);
  writeFileSync(stamp, wanted);
}

/**
 * What is read of a lock file, and of npm's own note of what is installed: packages by their path.
 * @typedef {{ version: string, integrity?: string, optional?: boolean }} LockedPackage
 * @typedef {{ packages: Record<string, LockedPackage> }} Lock
 */

/**
 * Says whether npm's own note of what it put into node_modules matches the lock file, as it does
 * after somebody ran npm by hand. Packages for other platforms may be absent.
 * @param {string} directory
 * @param {string} lock
 */
function installedAgrees(directory, lock) {
  const note = inRoot(directory, 'node_modules', '.package-lock.json');
  if (!existsSync(note)) return false;
  /** @type {Lock} */
  const wanted = JSON.parse(lock);
  /** @type {Lock} */
  const installed = JSON.parse(readFileSync(note, 'utf8'));
  for (const [path, entry] of Object.entries(wanted.packages)) {
    if (path === '') continue;
    const found = installed.packages[path];
    if (found === undefined && entry.optional !== true) return false;
    if (found !== undefined && found.version !== entry.version) return false;
    if (found !== undefined && found.integrity !== entry.integrity) return false;
  }
  return Object.keys(installed.packages).every((path) => wanted.packages[path] !== undefined);
}

/** @param {string} directory */
async function install(directory) {
  const place = directory === '.' ? '' : ` of ${directory}`;
  process.stderr.write(`Installing dependencies${place} (npm ci) ...\n`);
  const prefix = directory === '.' ? [] : ['--prefix', directory];
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', ...prefix];
  const npm = process.env.npm_execpath;
  const { code, output } = npm?.endsWith('.js')
    ? await runNode([npm, ...args], { output: 'capture' })
    : await run('npm', args, { output: 'capture', shell: process.platform === 'win32' });
  if (code === 0) return;
  process.stderr.write(
    `${output}\nnpm ci failed with code ${code}; nothing else was started. Its output is above. ` +
      'It needs the network (or a filled npm cache) and write access to this directory; ' +
      'run the same command again once that is mended.\n',
  );
  process.exit(1);
}

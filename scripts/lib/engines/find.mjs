import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from '../browser.mjs';
import { canInstallPackages, installPackages } from '../debian.mjs';
import { inRoot } from '../paths.mjs';
import { isExecutable, run, which } from '../process.mjs';

/**
 * How an engine is started on an address, with a directory of its own to keep things in.
 * @typedef {{ command: string, args: readonly string[], env?: NodeJS.ProcessEnv }} Start
 *
 * An engine that is there.
 * @typedef {{
 *   id: EngineId,
 *   title: string,
 *   note?: string,
 *   start: (url: string, directory: string) => Start,
 * }} Engine `note` says what is unusual about how it is started.
 *
 * `node`: the one that runs this program, whatever its version.
 * @typedef {'node' | 'node20' | 'node24' | 'chromium' | 'firefox' | 'webkit'} EngineId
 */

/** The program that is started in Node; in a browser a page loads it. */
export const HARNESS = 'build/test/engines/harness/main.js';

/** Every engine there is a way to start. */
export const ENGINE_IDS = /** @type {const} */ ([
  'node',
  'node20',
  'node24',
  'chromium',
  'firefox',
  'webkit',
]);

/**
 * Finds an engine, or installs it where that can be done without asking: Node from npm into
 * build/engines, browsers as root on Debian. Throws what is missing and how to get it.
 * @param {EngineId} id
 * @param {boolean} mayInstall
 * @returns {Promise<Engine>}
 */
export async function findEngine(id, mayInstall) {
  switch (id) {
    case 'node':
      return nodeEngine(id, process.execPath);
    case 'node20':
      return nodeEngine(id, await findNode(20, mayInstall));
    case 'node24':
      return nodeEngine(id, await findNode(24, mayInstall));
    case 'chromium':
      return chromiumEngine(await findBrowser(mayInstall));
    case 'firefox':
      return firefoxEngine(await provide(FIREFOX, mayInstall));
    case 'webkit':
      return webkitEngine(await provide(WEBKIT, mayInstall), mayInstall);
  }
}

/**
 * @param {EngineId} id
 * @param {string} command
 * @returns {Promise<Engine>}
 */
async function nodeEngine(id, command) {
  const version = await versionOf(command);
  return { id, title: `Node ${version}`, start: (url) => ({ command, args: [HARNESS, url] }) };
}

/**
 * Returns the path of a Node of this major version: the running one, or the one from npm. That goes
 * into a directory with a package.json of its own, so that npm looks at no other.
 * @param {number} major
 * @param {boolean} mayInstall
 */
async function findNode(major, mayInstall) {
  if (process.version.startsWith(`v${major}.`)) return process.execPath;
  const directory = inRoot('build', 'engines', `node-${major}`);
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = join(directory, 'node_modules', 'node', 'bin', name);
  if (isExecutable(path)) return path;
  const command = `npm install --prefix build/engines/node-${major} node@${major}`;
  if (!mayInstall) throw new Error(`Node ${major} is not here; '${command}' gets it.`);
  process.stderr.write(`Installing Node ${major} (npm) ...\n`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts=false'];
  const ended = await run('npm', [...args, '--prefix', directory, `node@${major}`], {
    output: 'capture',
    shell: process.platform === 'win32',
    timeoutMs: 300_000,
  });
  if (isExecutable(path)) return path;
  throw new Error(`Node ${major} could not be installed by '${command}':\n${ended.output}`);
}

/**
 * @param {string} command
 * @returns {Promise<Engine>}
 */
async function chromiumEngine(command) {
  // No sandbox, which root cannot have; and no traffic of the browser's own.
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--disable-breakpad',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-background-networking',
    '--disable-background-timer-throttling',
    '--disable-renderer-backgrounding',
    '--disable-component-update',
    '--disable-sync',
  ];
  return {
    id: 'chromium',
    title: `Chromium ${await versionOf(command)}`,
    start: (url, directory) => ({ command, args: [...flags, `--user-data-dir=${directory}`, url] }),
  };
}

/** Settings of a Firefox that is to load one page and nothing else. */
const FIREFOX_SETTINGS = {
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.ipc.processPrelaunch.enabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'termsofuse.bypassNotification': true,
  'toolkit.telemetry.enabled': false,
};

/**
 * @param {string} command
 * @returns {Promise<Engine>}
 */
async function firefoxEngine(command) {
  return {
    id: 'firefox',
    title: `Firefox ${await versionOf(command)}`,
    start: (url, directory) => {
      const lines = Object.entries(FIREFOX_SETTINGS).map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
      );
      writeFileSync(join(directory, 'user.js'), lines.join(''));
      return {
        command,
        args: ['--headless', '--no-remote', '--profile', directory, url],
        env: { HOME: directory, MOZ_CRASHREPORTER_DISABLE: '1' },
      };
    },
  };
}

/**
 * WebKitGTK's own small browser. It draws on a display, and where there is none on one in memory.
 * @param {string} command
 * @param {boolean} mayInstall
 * @returns {Promise<Engine>}
 */
async function webkitEngine(command, mayInstall) {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const isDrawing = (DISPLAY ?? '') !== '' || (WAYLAND_DISPLAY ?? '') !== '';
  const xvfb = isDrawing ? undefined : await provide(XVFB, mayInstall);
  // Even its version is told only where there is a display.
  const asking = xvfb === undefined ? ['--version'] : ['-a', command, '--version'];
  const { output } = await run(xvfb ?? command, asking, { output: 'capture', timeoutMs: 30_000 });
  return {
    id: 'webkit',
    title: `WebKitGTK ${readVersion(output)}`,
    note:
      'started with JSC_useSharedArrayBuffer=1; without it, it has no SharedArrayBuffer, not ' +
      'even in an isolated page, and workers run by messages',
    start: (url, directory) => ({
      command: xvfb ?? command,
      args: xvfb === undefined ? ['--private', url] : ['-a', command, '--private', url],
      env: { HOME: directory, TMPDIR: directory, JSC_useSharedArrayBuffer: '1' },
    }),
  };
}

/**
 * A program that Debian has a package of.
 * @typedef {{
 *   title: string,
 *   variable?: string,
 *   names: readonly string[],
 *   places?: () => readonly string[],
 *   packages: readonly string[],
 * }} Program
 */

/** @type {Program} */
const FIREFOX = {
  title: 'Firefox',
  variable: 'FIREFOX_PATH',
  names: ['firefox-esr', 'firefox'],
  places: () => ['/Applications/Firefox.app/Contents/MacOS/firefox'],
  packages: ['firefox-esr'],
};

/** @type {Program} */
const WEBKIT = {
  title: "WebKitGTK's MiniBrowser",
  variable: 'MINIBROWSER_PATH',
  names: ['MiniBrowser'],
  places: minibrowserPlaces,
  packages: ['libwebkit2gtk-4.1-0'],
};

/** @type {Program} */
const XVFB = { title: 'xvfb-run', names: ['xvfb-run'], packages: ['xvfb', 'xauth'] };

/** Lists where distributions put it: below the library's own directory, by its version. */
function minibrowserPlaces() {
  const roots = ['/usr/libexec', '/usr/lib', '/usr/lib64'];
  const below = roots.flatMap((root) => [root, ...foldersOf(root, /-linux-gnu/)]);
  return below
    .flatMap((root) => foldersOf(root, /^webkit2?gtk-/))
    .map((folder) => join(folder, 'MiniBrowser'));
}

/**
 * @param {string} root
 * @param {RegExp} pattern
 */
function foldersOf(root, pattern) {
  if (!existsSync(root)) return [];
  const names = readdirSync(root).filter((name) => pattern.test(name));
  return names.map((name) => join(root, name));
}

/**
 * Returns the path of a program, installing it where that is possible and allowed.
 * @param {Program} program
 * @param {boolean} mayInstall
 */
async function provide(program, mayInstall) {
  const { title, variable, packages } = program;
  const named = variable === undefined ? undefined : process.env[variable];
  if (named !== undefined && named !== '') {
    if (isExecutable(named)) return named;
    throw new Error(`${variable} names '${named}', which is no program.`);
  }
  const found = locate(program);
  if (found !== undefined) return found;
  const how =
    `Install it (Debian: 'apt-get install ${packages.join(' ')}')` +
    (variable === undefined ? '.' : `, or set ${variable} to its executable.`);
  if (!mayInstall || !canInstallPackages()) throw new Error(`${title} was not found. ${how}`);
  const trouble = await installPackages(packages);
  const installed = locate(program);
  if (installed !== undefined) return installed;
  throw new Error(`Installing ${packages.join(', ')} did not help. ${how}\n${trouble}`);
}

/** @param {Program} program */
function locate({ names, places }) {
  const onPath = names.map((name) => which(name)).find((path) => path !== undefined);
  return onPath ?? places?.().find((path) => isExecutable(path));
}

/** @param {string} command */
async function versionOf(command) {
  const asked = await run(command, ['--version'], { output: 'capture', timeoutMs: 30_000 });
  return readVersion(asked.output);
}

/** @param {string} output */
function readVersion(output) {
  return /\d+\.\d+[\w.]*/.exec(output)?.[0] ?? 'of an unknown version';
}

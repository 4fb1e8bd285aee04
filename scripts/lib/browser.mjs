import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canInstallPackages, installPackages } from './debian.mjs';
import { isExecutable, run, which } from './process.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

const MAC_APPLICATIONS = ['Google Chrome', 'Chromium', 'Microsoft Edge'];

const WINDOWS_PROGRAMS = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
];

/**
 * Returns the path of a Chromium or Chrome that runs: the one CHROME_PATH names, one on PATH or in
 * the platform's usual places, or Playwright's own. Where there is none it installs Debian's
 * chromium, as root on Debian, unless it may not; elsewhere it throws and says what to do. It never
 * returns undefined.
 * @param {boolean} [mayInstall]
 */
export async function findBrowser(mayInstall = true) {
  const named = process.env.CHROME_PATH;
  if (named !== undefined && named !== '') {
    if (await isUsable(named)) return named;
    throw new Error(`CHROME_PATH names '${named}', which is no browser that starts.`);
  }
  const found = await findInstalled();
  if (found !== undefined) return found;
  if (!mayInstall || !canInstallPackages()) {
    throw new Error(`No Chromium or Chrome was found. ${HOW_TO_GET_ONE}`);
  }
  const trouble = await installPackages(['chromium']);
  const installed = await findInstalled();
  if (installed !== undefined) return installed;
  throw new Error(`Installing chromium did not help. ${HOW_TO_GET_ONE}\n${trouble}`);
}

const HOW_TO_GET_ONE =
  "Install one (Debian: 'apt-get install chromium', or 'npx playwright-core install chromium'), " +
  'or set CHROME_PATH to the executable of one.';

async function findInstalled() {
  for (const candidate of await candidates()) {
    if (await isUsable(candidate)) return candidate;
  }
  return undefined;
}

/** @returns {Promise<string[]>} */
async function candidates() {
  const { chromium } = await import('playwright-core');
  return [
    ...NAMES.flatMap((name) => which(name) ?? []),
    ...usualPlaces(),
    chromium.executablePath(),
  ];
}

/** @returns {string[]} */
function usualPlaces() {
  if (process.platform === 'darwin') {
    return MAC_APPLICATIONS.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);
  }
  if (process.platform !== 'win32') return [];
  const { PROGRAMFILES, LOCALAPPDATA } = process.env;
  const roots = [PROGRAMFILES, process.env['PROGRAMFILES(X86)'], LOCALAPPDATA];
  return roots.flatMap((root) =>
    root === undefined ? [] : WINDOWS_PROGRAMS.map((parts) => join(root, ...parts)),
  );
}

/**
 * A file that is there is not enough: some systems put a script in a browser's place that only says
 * where to get one. On Windows asking for the version opens a window, so being there must do.
 * @param {string} path
 */
async function isUsable(path) {
  if (process.platform === 'win32') return existsSync(path);
  if (!isExecutable(path)) return false;
  const asked = await run(path, ['--version'], { output: 'capture', timeoutMs: 20_000 });
  return asked.code === 0;
}

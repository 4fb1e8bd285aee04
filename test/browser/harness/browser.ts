import { chromium, type Browser, type Page } from 'playwright-core';
import { findBrowser } from '../../../scripts/lib/browser.mjs';

/**
 * WebGL in software, so that it is there on machines without a GPU; no sandbox, which root cannot
 * have; and no traffic of the browser's own.
 */
const FLAGS = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts a Chromium of its own for a test file: the one that `npm test` found, or the one
 * {@link findBrowser} finds. Rejects where there is none. The caller closes it.
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.ESCAPEMENT_BROWSER ?? (await findBrowser());
  return chromium.launch({ executablePath, args: FLAGS });
}

/** Collects what goes wrong in a page: uncaught errors, and whatever it logs as an error. */
export function collectFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return faults;
}

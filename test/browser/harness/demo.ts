import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { PageStats } from '../../../demo/page-hook.ts';
import { collectFaults } from './browser.ts';

/** A page that shows the demo, and what went wrong in it. */
export interface OpenDemo extends AsyncDisposable {
  readonly page: Page;
  readonly faults: readonly string[];
}

/** Opens the demo and waits for its first picture. */
export async function openDemo(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<OpenDemo> {
  const page = await browser.newPage({ viewport: { width: 900, height: 600 }, ...options });
  const faults = collectFaults(page);
  await page.goto(address);
  await page.evaluate(() => window.__escapement?.ready);
  return { page, faults, [Symbol.asyncDispose]: () => page.close() };
}

/** Reads the figures that the page offers. */
export function readPageStats(page: Page): Promise<PageStats> {
  return page.evaluate(() => {
    if (window.__escapement === undefined) throw new Error('the page offers no hook');
    return window.__escapement.stats();
  });
}

/** Waits until the figures are as they should be, and returns them. */
export async function waitForStats(
  page: Page,
  isWanted: (stats: PageStats) => boolean,
): Promise<PageStats> {
  for (;;) {
    const stats = await readPageStats(page);
    if (isWanted(stats)) return stats;
    await nextFrames(page, 1);
  }
}

/** Waits until so many more frames were drawn. */
export function nextFrames(page: Page, count: number): Promise<void> {
  return page.evaluate(async (wanted) => {
    for (let frame = 0; frame < wanted; frame++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, count);
}

/** Waits until every command has taken effect and is drawn. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(() => window.__escapement?.settled());
  await nextFrames(page, 2);
}

/** Reads x, y of the first bodies that were drawn last. */
export function readPositions(page: Page, count: number): Promise<number[]> {
  return page.evaluate((wanted) => window.__escapement?.positions(wanted) ?? [], count);
}

/** Pauses, and returns the figures of that. */
export async function pause(page: Page): Promise<PageStats> {
  await page.locator('#play').click();
  await waitForStats(page, ({ mode }) => mode === 'paused');
  await nextFrames(page, 2);
  return readPageStats(page);
}

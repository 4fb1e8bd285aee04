import { rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { collectFaults, launchBrowser } from './harness/browser.ts';
import { startTestServer, type TestServer } from './harness/server.ts';

const EXAMPLE = inRoot('examples/react-three-fiber');
const BUNDLE = inRoot('build/test/browser/react-example');

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  await build({
    root: EXAMPLE,
    configFile: `${EXAMPLE}/vite.config.ts`,
    logLevel: 'error',
    // As in development: there React mounts everything twice.
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { outDir: BUNDLE, emptyOutDir: true, minify: false },
  });
  browser = await launchBrowser();
  server = await startTestServer({ isolated: true, root: BUNDLE });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(BUNDLE, { recursive: true, force: true });
});

/** Counts the bright pixels of the canvas, right after it was drawn, and sums up what they are. */
function look(page: Page): Promise<{ readonly bright: number; readonly sum: number }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        // The canvas asked for its next frame in the last one: what asks now, comes after it.
        requestAnimationFrame(() => {
          const canvas = document.querySelector('canvas') as HTMLCanvasElement;
          const copy = new OffscreenCanvas(canvas.width, canvas.height);
          const context = copy.getContext('2d') as OffscreenCanvasRenderingContext2D;
          context.drawImage(canvas, 0, 0);
          const { data } = context.getImageData(0, 0, copy.width, copy.height);
          let bright = 0;
          let sum = 0;
          for (let i = 0; i < data.length; i += 4) {
            const light = Math.max(data[i] ?? 0, data[i + 1] ?? 0, data[i + 2] ?? 0);
            if (light > 150) bright++;
            sum = (Math.imul(sum, 31) + light) | 0;
          }
          resolve({ bright, sum });
        });
      }),
  );
}

/** Waits until cubes are seen, and then until they are seen elsewhere. */
async function expectMoving(page: Page): Promise<void> {
  await expect
    .poll(async () => (await look(page)).bright, { timeout: 60_000 })
    .toBeGreaterThan(300);
  const before = (await look(page)).sum;
  await expect.poll(async () => (await look(page)).sum, { timeout: 20_000 }).not.toBe(before);
}

it('the React example draws moving cubes, and one worker is left whatever unmounts', async () => {
  const page = await browser.newPage({ viewport: { width: 480, height: 320 } });
  const faults = collectFaults(page);
  let started = 0;
  page.on('worker', () => started++);
  await page.goto(`${server.origin}/index.html`);
  await page.waitForSelector('canvas');
  await expectMoving(page);
  expect(started).toBe(1);
  // These end one that runs, and some that are about to start.
  for (let i = 0; i < 3; i++) await page.evaluate(() => document.querySelector('button')?.click());
  await expectMoving(page);
  // Strict mode mounts twice; the canvas may take several clicks for one.
  expect(started).toBeGreaterThanOrEqual(3);
  await expect.poll(() => page.workers().length, { timeout: 20_000 }).toBe(1);
  // A busy machine may be too slow for the scene, which the simulation says as an error.
  expect(faults.filter((fault) => !fault.includes('budget_'))).toEqual([]);
  await page.screenshot({ path: inRoot('build/test/react-example.png') });
  await page.close();
});

import { rmSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { Decompressor, loadZstd } from '../../src/net/index.ts';
import { collectFaults, launchBrowser } from './harness/browser.ts';
import { startTestServer, type TestServer } from './harness/server.ts';

const PAGE = 'build/test/browser/pages/zstd.js';
const BUNDLE = 'build/test/browser/zstd-bundle';

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startTestServer({ isolated: false });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(inRoot(BUNDLE), { recursive: true, force: true });
});

/** Opens, here, what a page and its worker have packed; returns what came of each. */
async function openEnvelopesOf(module: string): Promise<string[]> {
  const page = await browser.newPage();
  const faults = collectFaults(page);
  await page.goto(server.pageFor(module));
  await page.waitForFunction(() => document.title !== 'test');
  expect(await page.title()).toBe('ready');
  const envelopes = (await page.evaluate(() => document.body.textContent ?? '')).split('\n');
  await page.close();
  expect(faults).toEqual([]);
  const decompressor = new Decompressor({ zstd: await loadZstd() });
  return envelopes.map((hex) => {
    const status = decompressor.decompress(Buffer.from(hex, 'hex'));
    const isRight = decompressor.output.every(
      (byte, at) => byte === (((at % 30) * 7 + (at >>> 9)) & 255),
    );
    return `${status}, ${decompressor.output.length} bytes, ${isRight ? 'right' : 'wrong'}`;
  });
}

const EXPECTED = ['zstd, 5000 bytes, right', 'zstd, 5000 bytes, right'];

test('what a page and a worker compress, without a bundler, is opened on Node', async () => {
  expect(await openEnvelopesOf(PAGE)).toEqual(EXPECTED);
});

test('so is what they compress when Vite has bundled them', async () => {
  await build({
    root: inRoot(),
    base: `/${BUNDLE}/`,
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
    build: {
      outDir: inRoot(BUNDLE),
      target: 'es2022',
      rolldownOptions: { input: inRoot(PAGE), output: { entryFileNames: 'zstd.js' } },
    },
  });
  expect(await openEnvelopesOf(`${BUNDLE}/zstd.js`)).toEqual(EXPECTED);
});

test('where the package cannot be fetched, loading fails by name', async () => {
  const page = await browser.newPage();
  await page.route('**/wasm-zstd/**', (route) => route.abort());
  await page.goto(server.pageFor(PAGE));
  await page.waitForFunction(() => document.title !== 'test');
  expect(await page.title()).toBe('PACKAGE_MISSING');
  await page.close();
});

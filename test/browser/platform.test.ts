import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectFaults, launchBrowser } from './harness/browser.ts';
import { startTestServer, type TestServer } from './harness/server.ts';

const PROBE = 'build/test/browser/pages/isolation.js';

let browser: Browser;
let isolated: TestServer;
let plain: TestServer;

beforeAll(async () => {
  browser = await launchBrowser();
  isolated = await startTestServer({ isolated: true });
  plain = await startTestServer({ isolated: false });
});

afterAll(async () => {
  await browser.close();
  await isolated.close();
  await plain.close();
});

test('a page served with the isolation headers is isolated and has shared memory', async () => {
  const page = await browser.newPage();
  await page.goto(isolated.pageFor());
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  expect(await page.evaluate(() => typeof SharedArrayBuffer)).toBe('function');
  await page.close();
});

test('a page served without them is not isolated and has none', async () => {
  const page = await browser.newPage();
  await page.goto(plain.pageFor());
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  expect(await page.evaluate(() => typeof SharedArrayBuffer)).toBe('undefined');
  await page.close();
});

test('a word that a worker stores is seen by the page that shares the memory', async () => {
  const page = await browser.newPage();
  const faults = collectFaults(page);
  await page.goto(isolated.pageFor(PROBE));
  await page.waitForFunction(() => document.title.startsWith('worker'));
  expect(await page.title()).toBe('worker isolated true, stored 42');
  expect(faults).toEqual([]);
  await page.close();
});

test('an isolated page cannot start a worker whose script lacks the embedder policy', async () => {
  const server = await startTestServer({ isolated: true, workerCoep: false });
  const page = await browser.newPage();
  await page.goto(server.pageFor(PROBE));
  await page.waitForFunction(() => document.title.startsWith('worker'));
  expect(await page.title()).toBe('worker refused');
  await page.close();
  await server.close();
});

test('every entry point loads in a page without a bundler', async () => {
  const page = await browser.newPage();
  const faults = collectFaults(page);
  await page.goto(plain.pageFor('build/test/browser/pages/package-names.js'));
  await page.waitForFunction(() => document.title !== 'test');
  expect(await page.title()).toBe('function function function function function function');
  expect(faults).toEqual([]);
  await page.close();
});

test('WebGL 2 draws what it was told to', async () => {
  const page = await browser.newPage();
  await page.goto(isolated.pageFor());
  const pixel = await page.evaluate(() => {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (gl === null) return [];
    gl.clearColor(0.2, 0.4, 0.6, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const rgba = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
    return [...rgba];
  });
  expect(pixel).toEqual([51, 102, 153, 255]);
  await page.close();
});

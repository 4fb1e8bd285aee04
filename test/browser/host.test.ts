import { readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { collectFaults, launchBrowser } from './harness/browser.ts';
import { startTestServer, type TestServer } from './harness/server.ts';
import type { Host } from './pages/host.ts';

const HOST = 'build/test/browser/pages/host.js';
const BUNDLE = 'build/test/browser/bundle';

type Scope = typeof globalThis & { readonly host: Host };

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

/** Opens the host page of a server, and hands its faults to whoever asks. */
async function openHost(
  server: TestServer,
  { module = HOST, prepare }: { module?: string; prepare?: () => void } = {},
): Promise<{ readonly page: Page; readonly faults: readonly string[] }> {
  const page = await browser.newPage();
  const faults = collectFaults(page);
  if (prepare !== undefined) await page.addInitScript(prepare);
  await page.goto(server.pageFor(module));
  await page.waitForFunction(() => document.title === 'ready');
  return { page, faults };
}

describe('SAB 55: the worker script lacks the embedder policy', () => {
  it('rejects the start, naming the header, and does not hang', async () => {
    const server = await startTestServer({ isolated: true, workerCoep: false });
    const { page } = await openHost(server);
    const outcome = await page.evaluate(() => (globalThis as Scope).host.start('auto'));
    expect(outcome.code).toBe('WORKER_LOAD_FAILED');
    expect(outcome.message).toContain('Cross-Origin-Embedder-Policy');
    expect(outcome.ms).toBeLessThan(2000);
    await page.close();
    await server.close();
  });

  it('shares memory with a worker that has it and is isolated itself', async () => {
    const { page, faults } = await openHost(isolated);
    const run = await page.evaluate(() => (globalThis as Scope).host.runTo(2, 'auto'));
    expect(run).toMatchObject({ tier: 'shared', workerIsolated: true });
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('SAB 59: a page may not block', () => {
  it('refuses the blocking wait with a code, and the promise works', async () => {
    const { page, faults } = await openHost(isolated);
    const run = await page.evaluate(() => (globalThis as Scope).host.runTo(5, 'shared'));
    expect(run.blocking).toBe(false);
    expect(run.blockingWait).toBe('CANNOT_BLOCK');
    expect(run.tick).toBeGreaterThanOrEqual(5);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('a clock that is followed', () => {
  it('is advanced by the page, followed on it, and leads a second worker', async () => {
    const { page, faults } = await openHost(isolated);
    const came = await page.evaluate(() => (globalThis as Scope).host.follow());
    expect(came.advanced).toEqual(Array.from({ length: 30 }, () => 2));
    expect([came.blockingWait, came.stepWait, came.taken]).toEqual(['CANNOT_BLOCK', 'due', 30]);
    expect([came.caughtUp, came.ledTick]).toEqual(['caught-up', 20]);
    // Clocks of three threads were compared for this; their zeros lie further apart.
    expect(came.apart).toBeLessThan(0.05);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('SAB 61: an engine without Atomics.waitAsync', () => {
  it('waits by polling, within two frames of each tick, without an error', async () => {
    const { page, faults } = await openHost(isolated, {
      prepare: () => {
        delete (Atomics as { waitAsync?: unknown }).waitAsync;
      },
    });
    const run = await page.evaluate(() => {
      if ('waitAsync' in Atomics) throw new Error('it is still there');
      return (globalThis as Scope).host.runTo(60, 'shared', true);
    });
    expect(run.workerHasWaitAsync).toBe(false);
    expect(run.tier).toBe('shared');
    // Woken at least every other tick: no wait was longer than two frames for long.
    expect(run.waits).toBeGreaterThanOrEqual(25);
    expect(faults).toEqual([]);
    await page.close();
  });
});

const TIERS = ['shared', 'transfer', 'calling-thread'] as const;

describe.each(TIERS)('the %s tier in a page', (tier) => {
  it('reaches tick 60 and shows it', async () => {
    const { page, faults } = await openHost(isolated);
    const run = await page.evaluate((asked) => (globalThis as Scope).host.runTo(60, asked), tier);
    expect(run.tier).toBe(tier);
    expect(run.tick).toBeGreaterThanOrEqual(60);
    expect(run.x).toBeGreaterThan(run.tick - 12);
    expect(run.x).toBeLessThanOrEqual(run.tick);
    expect(run.worstFrameMs).toBeLessThan(100);
    expect(faults).toEqual([]);
    await page.close();
  });
});

describe('a page that is not isolated', () => {
  it('takes the transfer tier by itself and says why', async () => {
    const { page, faults } = await openHost(plain);
    const run = await page.evaluate(() => (globalThis as Scope).host.runTo(60, 'auto'));
    expect(run).toMatchObject({ tier: 'transfer', workerIsolated: false });
    expect(run.reason).toBe('The page is not cross-origin isolated.');
    expect(run.x).toBeGreaterThan(40);
    expect(faults).toEqual([]);
    await page.close();
  });

  it('is refused shared memory when it asks for nothing else', async () => {
    const { page } = await openHost(plain);
    const outcome = await page.evaluate(() => (globalThis as Scope).host.start('shared'));
    expect(outcome.code).toBe('NOT_ISOLATED');
    expect(outcome.message).toContain('Cross-Origin-Opener-Policy');
    await page.close();
  });
});

describe('WRK 80: page and worker from a bundler', () => {
  beforeAll(async () => {
    await build({
      configFile: false,
      logLevel: 'error',
      root: inRoot(),
      base: './',
      resolve: {
        alias: [
          { find: /^escapement$/, replacement: inRoot('dist/main/index.js') },
          { find: /^escapement\/sim$/, replacement: inRoot('dist/sim-worker/index.js') },
          { find: /^escapement\/render$/, replacement: inRoot('dist/render/index.js') },
        ],
      },
      worker: { format: 'es' },
      build: {
        outDir: inRoot(BUNDLE),
        emptyOutDir: true,
        rollupOptions: { input: inRoot(HOST), output: { entryFileNames: 'host.js' } },
      },
    });
  });
  afterAll(() => rmSync(inRoot(BUNDLE), { recursive: true, force: true }));

  it('leaves the worker a script of its own that imports nothing', () => {
    const assets = inRoot(`${BUNDLE}/assets`);
    const scripts = readdirSync(assets).filter((name) => name.startsWith('counter.sim'));
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) {
      const code = readFileSync(`${assets}/${script}`, 'utf8');
      expect(code).toContain('escapement/hello');
      expect(code).not.toMatch(/\b(?:from|import)\s*\(?["'`]/);
    }
  });

  it.each(TIERS)('reaches tick 60 over the %s tier', async (tier) => {
    const { page, faults } = await openHost(isolated, { module: `${BUNDLE}/host.js` });
    const run = await page.evaluate((asked) => (globalThis as Scope).host.runTo(60, asked), tier);
    expect(run.tier).toBe(tier);
    expect(run.tick).toBeGreaterThanOrEqual(60);
    expect(faults).toEqual([]);
    await page.close();
  });
});

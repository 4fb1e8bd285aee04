import { chromium } from 'playwright-core';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { median } from './lib/measure.ts';
import { report, round, sized } from './lib/report.ts';
import type { Bench, Cost } from './pages/main-thread.ts';
import type { WayName } from './pages/ways.ts';

/**
 * What a page's thread spends on a frame while a simulation runs whose ticks cost 12 ms of every
 * 16.7: ours by both ways, against what one writes without it. Script only, from the messages to
 * three's `render` with its uploads. The GPU's own work is not in it: all instances are drawn once,
 * and then with none of their vertices.
 */
const BOUND = 1 / 20;
const FRAME_MS = 1000 / 60;
const WAYS: readonly WayName[] = ['posted', 'gpu', 'bulk', 'transferred', 'per-object', 'on-main'];

/**
 * WebGL in software, as on a machine without a GPU. The browser would slow down its frames while
 * that is late, so the page keeps to 60 Hz itself.
 */
const FLAGS = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-gpu-vsync',
  '--disable-frame-rate-limit',
];

/** As seen from build/bench. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = 'build/bench/pages/main-thread.js';
const BUNDLE = 'build/bench-page';

interface BrowserModule {
  readonly findBrowser: (mayInstall: boolean) => Promise<string>;
}

interface ServeModule {
  readonly ISOLATION_HEADERS: Readonly<Record<string, string>>;
  readonly serve: (options: {
    readonly root: string;
    readonly headersFor: () => Record<string, string>;
    readonly pages: (path: string) => string | undefined;
  }) => Promise<{ readonly origin: string; close(): Promise<void> }>;
}

async function script<M>(name: string): Promise<M> {
  return (await import(new URL(`../../scripts/lib/${name}`, import.meta.url).href)) as M;
}

/** Finds a browser. A tiny run does without where there is none, rather than install one. */
async function findBrowser(): Promise<string | undefined> {
  const named = process.env.ESCAPEMENT_BROWSER;
  if (named !== undefined) return named;
  const module = await script<BrowserModule>('browser.mjs');
  const isTiny = sized(true, false, false);
  try {
    return await module.findBrowser(!isTiny);
  } catch (cause) {
    if (!isTiny) throw cause;
    return undefined;
  }
}

async function bundle(): Promise<void> {
  const dist = (path: string): string => `${ROOT}dist/${path}/index.js`;
  await build({
    configFile: false,
    logLevel: 'error',
    root: ROOT,
    base: './',
    resolve: {
      alias: [
        { find: /^escapement$/, replacement: dist('main') },
        { find: /^escapement\/sim$/, replacement: dist('sim-worker') },
        { find: /^escapement\/render$/, replacement: dist('render') },
        { find: /^escapement\/three$/, replacement: dist('render/three') },
      ],
    },
    worker: { format: 'es' },
    build: {
      outDir: ROOT + BUNDLE,
      emptyOutDir: true,
      target: 'es2023',
      chunkSizeWarningLimit: 2000,
      rollupOptions: { input: ROOT + PAGE, output: { entryFileNames: 'page.js' } },
    },
  });
}

const HTML =
  '<!doctype html><html lang="en"><title>bench</title><link rel="icon" href="data:,">' +
  '<body></body><script type="module" src="/page.js"></script></html>\n';

/** Measures one way in a page of its own. */
type Measure = (way: WayName, bodies: number) => Promise<Cost>;

async function withPages(executablePath: string, work: (measure: Measure) => Promise<void>) {
  const { serve, ISOLATION_HEADERS } = await script<ServeModule>('serve.mjs');
  const served = await serve({
    root: ROOT + BUNDLE,
    headersFor: () => ({ ...ISOLATION_HEADERS }),
    pages: (path) => (path === '/' ? HTML : undefined),
  });
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  try {
    await work(async (way, bodies) => {
      // Small: what else the browser draws in software takes its time from the same cores.
      const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
      await page.goto(served.origin);
      await page.waitForFunction("document.title === 'ready'");
      const task = {
        way,
        bodies,
        warmUpMs: sized(100, 1500, 3000),
        framesMax: sized(5, 150, 600),
        msMax: sized(1000, 6000, 30_000),
      };
      const cost = await page.evaluate(
        (asked) =>
          (globalThis as typeof globalThis & { readonly bench: Bench }).bench.measure(asked),
        task,
      );
      await page.close();
      return cost;
    });
  } finally {
    await browser.close();
    await served.close();
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Costs of one way, over all rounds. */
interface Sum {
  readonly scriptMs: number[];
  readonly intervalMs: number[];
}

/** Measures all ways in turn, some rounds of it: what else the machine does meets each of them. */
async function measureAll(measure: Measure, bodies: number): Promise<ReadonlyMap<WayName, Sum>> {
  const sums = new Map(WAYS.map((way) => [way, { scriptMs: [], intervalMs: [] } as Sum]));
  for (let round = 0; round < sized(1, 3, 5); round++) {
    for (const [way, sum] of sums) {
      const { scriptMs, intervalMs, instances, isolated } = await measure(way, bodies);
      if (instances !== bodies) throw new Error(`${way} drew ${instances} of ${bodies} bodies`);
      if (!isolated) throw new Error('the page is not isolated: its clock is too coarse');
      sum.scriptMs.push(...scriptMs);
      sum.intervalMs.push(...intervalMs);
    }
  }
  return sums;
}

function print(sums: ReadonlyMap<WayName, Sum>, instances: number): void {
  const postedMs = median(sums.get('posted')?.scriptMs ?? []);
  for (const [way, { scriptMs, intervalMs }] of sums) {
    const scriptMsP50 = median(scriptMs);
    const ratio = scriptMsP50 / postedMs;
    const isBound = way === 'gpu' && instances === 100_000;
    report('main-thread', {
      way,
      instances,
      scriptMsP50: round(scriptMsP50),
      scriptMsMean: round(mean(scriptMs)),
      longFrameShare: round(scriptMs.filter((ms) => ms > FRAME_MS).length / scriptMs.length),
      ratioToPosted: round(ratio),
      intervalMsP50: round(median(intervalMs)),
      frames: scriptMs.length,
      ...(isBound ? { bound: BOUND, ok: ratio <= BOUND } : {}),
    });
  }
}

async function main(): Promise<void> {
  const executablePath = await findBrowser();
  if (executablePath === undefined) {
    report('main-thread', { left: 'out', why: 'there is no Chromium or Chrome on this machine' });
    return;
  }
  await bundle();
  await withPages(executablePath, async (measure) => {
    for (const bodies of sized([200], [10_000, 100_000], [10_000, 100_000])) {
      print(await measureAll(measure, bodies), bodies);
    }
  });
  rmSync(ROOT + BUNDLE, { recursive: true, force: true });
}

await main();

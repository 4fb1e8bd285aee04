import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectFaults, launchBrowser } from './harness/browser.ts';
import { startTestServer, type TestServer } from './harness/server.ts';
import type { Comparison, MaterialKind, ThreePage, WayName } from './pages/three.ts';

type Scope = typeof globalThis & { readonly threePage: ThreePage };

let browser: Browser;
let server: TestServer;
let page: Page;
let faults: readonly string[];

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startTestServer({ isolated: true });
  page = await browser.newPage();
  faults = collectFaults(page);
  await page.goto(server.pageFor('build/test/browser/pages/three.js'));
  await page.waitForFunction(() => document.title === 'ready');
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Across a throw at tick 5, a disappearance at 7 and a recycled slot at 9, skipping ticks too. */
const TIMES = [1.25, 1.5, 1.75, 2, 2.5, 4.5, 5.1, 5.5, 5.9, 6.5, 7.5, 8.5, 9.5, 12.25];

async function compare(comparison: Comparison) {
  return page.evaluate((asked) => (globalThis as Scope).threePage.compare(asked), comparison);
}

const WAYS: readonly WayName[] = ['gpu', 'bulk', 'culled'];

const MATERIALS: readonly MaterialKind[] = [
  'basic',
  'lambert',
  'phong',
  'standard',
  'physical',
  'toon',
  'normal',
  'matcap',
];

describe.each(WAYS)('instances of three by the %s way', (way) => {
  it('show at every alpha what one entity after another shows', async () => {
    const shown = await compare({ way, material: 'basic', shadows: false, times: TIMES });
    expect(shown.length).toBe(TIMES.length);
    for (const { differing, drawn, error } of shown) {
      expect(drawn).toBeGreaterThan(2000);
      expect(differing).toBeLessThanOrEqual(2);
      expect(error).toBe(0);
    }
    const alphas = shown.map(({ alpha, pairTick }) => pairTick + alpha);
    for (const [index, time] of TIMES.entries()) expect(alphas[index]).toBeCloseTo(time, 3);
    expect(faults).toEqual([]);
  });

  it('leave no pixel between the two places of a teleport', async () => {
    const times = [3.5, 4.5, 5.01, 5.25, 5.5, 5.75, 5.99, 6.5];
    const seen = await page.evaluate(
      (asked) => (globalThis as Scope).threePage.leap(asked.way, asked.times),
      { way, times },
    );
    for (const [index, columns] of seen.entries()) {
      const isLeft = (times[index] as number) < 5;
      expect(columns.length).toBeGreaterThan(5);
      expect(columns.every((column) => (isLeft ? column < 40 : column > 87))).toBe(true);
    }
  });
});

describe('instances that the GPU blends', () => {
  it.each(MATERIALS)('are lit and throw shadows with a %s material', async (material) => {
    const times = [1.25, 5.5, 9.5];
    for (const { differing, drawn, error } of await compare({
      way: 'gpu',
      material,
      shadows: true,
      times,
    })) {
      expect(drawn).toBeGreaterThan(10_000);
      expect(differing).toBeLessThanOrEqual(4);
      expect(error).toBe(0);
    }
    expect(faults).toEqual([]);
  });

  it('show what they should after frames that were not drawn', async () => {
    const undrawn = [1.5, 2.5, 5.5, 6.5, 7.5, 9.5];
    const shown = await compare({
      way: 'gpu',
      material: 'basic',
      shadows: false,
      times: [0.5, ...undrawn, 9.75, 10.5],
      undrawn,
    });
    expect(shown.map(({ differing }) => differing)).toEqual([0, 0, 0]);
  });

  it('come back with a lost context, within a frame', async () => {
    const shown = await compare({
      way: 'gpu',
      material: 'basic',
      shadows: false,
      times: [1.5, 2.5, 3.5, 3.6, 3.7, 4.5],
      loseAt: 3.5,
    });
    expect(shown.slice(-2).map(({ differing }) => differing)).toEqual([0, 0]);
  });

  it('upload nothing between two ticks, and a column a channel for a new one', async () => {
    const { counted, left } = await page.evaluate(() =>
      (globalThis as Scope).threePage.countUploads(),
    );
    // Ticks 1 and 2 make the buffers; at tick 9 the words of a recycled slot are new as well.
    expect(counted).toMatchObject({
      '1.1': 0,
      '1.5': 0,
      '1.9': 0,
      '2.1': 0,
      '2.5': 0,
      '3.1': 4,
      '3.5': 0,
      '4.5': 4,
      '7.5': 4,
      '8.5': 4,
      '9.5': 5,
      '9.6': 0,
    });
    expect(left).toBe(0);
  });

  it('say so when their frame was released before it was drawn', async () => {
    const code = await page.evaluate(() => (globalThis as Scope).threePage.drawReleased());
    expect(code).toBe('FRAME_RELEASED');
  });
});

describe('skinned bodies', () => {
  it('look the same by bones, by palettes of their own and as a crowd in one draw', async () => {
    const { single, together, error } = await page.evaluate(() =>
      (globalThis as Scope).threePage.drawCrowd(),
    );
    expect(single.drawn).toBeGreaterThan(10_000);
    expect(single.differing).toBeLessThanOrEqual(2);
    expect(together.differing).toBeLessThanOrEqual(4);
    expect(error).toBe(0);
    expect(faults).toEqual([]);
  });
});

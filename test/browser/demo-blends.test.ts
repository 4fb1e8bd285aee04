import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleDemo } from '../../scripts/lib/build.mjs';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { launchBrowser } from './harness/browser.ts';
import {
  nextFrames,
  openDemo,
  pause,
  readPageStats,
  readPositions,
  waitForStats,
} from './harness/demo.ts';
import { startTestServer, type TestServer } from './harness/server.ts';

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  const bundled = await bundleDemo('capture');
  if (bundled.code !== 0) throw new Error(bundled.output);
  browser = await launchBrowser();
  server = await startTestServer({ isolated: true, root: inRoot('build', 'demo') });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** The mean brightness, 0 to 255, of each cell of a grid over a part of the page. */
async function brightnessOf(page: Page, clip: Clip, columns: number): Promise<number[]> {
  const shot = (await page.screenshot({ clip })).toString('base64');
  const cells = { columns, rows: Math.max(1, Math.round((columns * clip.height) / clip.width)) };
  return page.evaluate(
    async ([address, { columns: across, rows }]) => {
      const image = await createImageBitmap(await (await fetch(address)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
      context.drawImage(image, 0, 0);
      const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
      const sums = Array.from({ length: across * rows }, () => 0);
      const counts = Array.from({ length: across * rows }, () => 0);
      for (let at = 0; at < width * height; at++) {
        const column = Math.floor(((at % width) * across) / width);
        const row = Math.floor((Math.floor(at / width) * rows) / height);
        const cell = row * across + column;
        const sum = data[4 * at]! + data[4 * at + 1]! + data[4 * at + 2]!;
        sums[cell] = sums[cell]! + sum / 3;
        counts[cell] = counts[cell]! + 1;
      }
      return sums.map((sum, cell) => sum / counts[cell]!);
    },
    [`data:image/png;base64,${shot}`, cells] as const,
  );
}

interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where the panel never is, below the labels of a split screen. */
const PICTURE: Clip = { x: 0, y: 60, width: 592, height: 400 };

function largestDifference(a: readonly number[], b: readonly number[]): number {
  return a.reduce((most, x, i) => Math.max(most, Math.abs(x - (b[i] as number))), 0);
}

test('every blend path draws the same flock', async () => {
  await using demo = await openDemo(browser, `${server.origin}/?blend=entity`);
  const { page } = demo;
  await pause(page);
  const pictures = new Map<string, { places: number[]; seen: number[] }>();
  for (const [path, title] of [
    ['entity', 'Entity'],
    ['javascript', 'Bulk'],
    ['simd', 'SIMD'],
    ['gpu', 'GPU'],
  ] as const) {
    await page.getByRole('radio', { name: title, exact: true }).check();
    await waitForStats(page, (stats) => stats.path === path);
    await nextFrames(page, 3);
    const seen = await brightnessOf(page, PICTURE, 16);
    pictures.set(path, { places: await readPositions(page, 10_000), seen });
  }
  const first = pictures.get('entity');
  if (first === undefined) throw new Error('no picture');
  expect(Math.max(...first.seen)).toBeGreaterThan(40);
  for (const path of ['javascript', 'simd', 'gpu']) {
    const { places, seen } = pictures.get(path) ?? first;
    if (path !== 'gpu') expect(places).toEqual(first.places);
    expect(largestDifference(seen, first.seen)).toBeLessThan(3);
  }
  expect(demo.faults).toEqual([]);
});

test('a split screen shows the blend beside the latest tick as it is', async () => {
  await using demo = await openDemo(browser, `${server.origin}/?scene=bounce&split`);
  const { page } = demo;
  await page.getByText('Raw: the latest tick').waitFor();
  const stats = await pause(page);
  const [left, right] = [
    await brightnessOf(page, { ...PICTURE, width: 296 }, 8),
    await brightnessOf(page, { ...PICTURE, x: 296, width: 296 }, 8),
  ];
  expect(Math.max(...left)).toBeGreaterThan(15);
  // The same bodies in both halves, a part of a tick apart.
  expect(largestDifference(left, right)).toBeLessThan(25);
  expect(stats.alpha).toBeGreaterThanOrEqual(0);
  await page.locator('.switch').click();
  await page.getByText('Raw: the latest tick').waitFor({ state: 'hidden' });
  expect(demo.faults).toEqual([]);
});

for (const { name, population, paths } of [
  { name: 'Cubes', population: 300, paths: ['entity', 'javascript', 'simd', 'gpu'] },
  { name: 'Figures', population: 200, paths: ['javascript', 'simd'] },
] as const) {
  test(`${name} move in space, and are drawn over every path they offer`, async () => {
    await using demo = await openDemo(
      browser,
      `${server.origin}/?scene=${name.toLowerCase()}&split`,
    );
    const { page } = demo;
    const before = await waitForStats(page, ({ pictureTick }) => pictureTick > 0);
    expect(before.entityCount).toBe(population);
    const offered = page.locator('#path input:enabled');
    expect(
      await offered.evaluateAll((all) => all.map((each) => each.getAttribute('value'))),
    ).toEqual([...paths]);
    for (const path of paths) {
      await page.locator(`#path input[value="${path}"]`).check();
      await waitForStats(page, (stats) => stats.path === path);
      await nextFrames(page, 3);
      for (const x of [0, 296]) {
        const seen = await brightnessOf(page, { ...PICTURE, x, width: 296 }, 8);
        expect(Math.max(...seen)).toBeGreaterThan(40);
      }
    }
    const { tick } = await readPageStats(page);
    expect(tick).toBeGreaterThan(before.tick);
    expect(demo.faults).toEqual([]);
  });
}

import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageStats } from '../../demo/page-hook.ts';
import { bundleDemo } from '../../scripts/lib/build.mjs';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { launchBrowser } from './harness/browser.ts';
import {
  nextFrames,
  openDemo,
  pause,
  readPageStats,
  readPositions,
  settle,
  waitForStats,
} from './harness/demo.ts';
import { startTestServer, type TestServer } from './harness/server.ts';

let browser: Browser;
let isolated: TestServer;
let plain: TestServer;

beforeAll(async () => {
  const bundled = await bundleDemo('capture');
  if (bundled.code !== 0) throw new Error(bundled.output);
  browser = await launchBrowser();
  const root = inRoot('build', 'demo');
  isolated = await startTestServer({ isolated: true, root });
  plain = await startTestServer({ isolated: false, root });
});

afterAll(async () => {
  await browser?.close();
  await isolated?.close();
  await plain?.close();
});

/** Moves a slider the way a hand does: every value is an `input`, the last one a `change`. */
function slide(page: Page, selector: string, value: number): Promise<void> {
  return page.locator(selector).evaluate((slider, to) => {
    (slider as HTMLInputElement).valueAsNumber = to;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    slider.dispatchEvent(new Event('change', { bubbles: true }));
  }, value);
}

/** Pictures the canvas where the panel does not cover it. */
async function pictureOf(page: Page): Promise<string> {
  const clip = { x: 0, y: 0, width: 560, height: 600 };
  return (await page.screenshot({ clip })).toString('base64');
}

test('ten thousand bodies fly for a second, drawn from shared memory itself', async () => {
  await using demo = await openDemo(browser, isolated.origin);
  const stats = await waitForStats(demo.page, ({ pictureTick }) => pictureTick >= 60);
  expect(stats).toMatchObject({ state: 'running', mode: 'live', tickRateHz: 60, speed: 1 });
  expect(stats.entityCount).toBe(10_000);
  expect(stats.uploadsInPlace).toBe(true);
  expect(await readPositions(demo.page, 20_000)).toHaveLength(20_000);
  expect(demo.faults).toEqual([]);
});

test('the panel shows the figures that the simulation has', async () => {
  await using demo = await openDemo(browser, isolated.origin);
  await waitForStats(demo.page, ({ realizedSpeed }) => realizedSpeed > 0);
  const { tick } = await pause(demo.page);
  const figure = (name: string): Promise<string> =>
    demo.page.locator(`[data-figure="${name}"]`).innerText();
  const shownTick = tick.toLocaleString('en');
  await demo.page.locator('[data-figure="tick"]').getByText(shownTick, { exact: true }).waitFor();
  expect(await figure('entities')).toBe('10,000');
  expect(await figure('time')).toMatch(/^\d+\.\d\d s$/);
  expect(await figure('alpha')).toMatch(/^[01]\.\d{3}$/);
  expect(await figure('slack')).toMatch(/^\d+\.\d\d ms$/);
  for (const pair of ['tick-time', 'lateness', 'frame-time']) {
    expect(await figure(pair)).toMatch(/^\d+\.\d\d \/ \d+\.\d\d ms$/);
  }
  expect(await figure('dropped')).toMatch(/^\d+$/);
});

test('the panel has a bar for each system and one for each of the last wake-ups', async () => {
  await using demo = await openDemo(browser, isolated.origin);
  await waitForStats(demo.page, ({ tick }) => tick > 40);
  const { page } = demo;
  await page.locator('.system-time').nth(2).getByText(/ms$/).waitFor();
  expect(await page.locator('.system-name').allInnerTexts()).toEqual([
    'look',
    'heed-pointer',
    'fly',
  ]);
  for (const time of await page.locator('.system-time').allInnerTexts()) {
    expect(time).toMatch(/^\d+\.\d\d \/ \d+\.\d\d ms$/);
  }
  const share = await page
    .locator('.system-bar')
    .first()
    .evaluate((bar) => {
      return Number.parseFloat(bar.style.getPropertyValue('--typical'));
    });
  expect(share).toBeGreaterThan(0);
  const painted = await page.locator('#wake-plot').evaluate((canvas) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const context = (canvas as HTMLCanvasElement).getContext('2d');
    const { data } = (context as CanvasRenderingContext2D).getImageData(0, 0, width, height);
    return data.some((value) => value > 0);
  });
  expect(painted).toBe(true);
  await demo.page.locator('#scene label', { hasText: 'Storm' }).click();
  await page.locator('.system-name').getByText('churn').waitFor();
  expect(await page.locator('.system-name').count()).toBe(4);
});

test('a pause freezes the tick and the picture, bit by bit', async () => {
  await using demo = await openDemo(browser, isolated.origin);
  const before = await pause(demo.page);
  const picture = await pictureOf(demo.page);
  await nextFrames(demo.page, 10);
  const after = await readPageStats(demo.page);
  expect([after.tick, after.alpha]).toEqual([before.tick, before.alpha]);
  expect(await pictureOf(demo.page)).toBe(picture);

  await demo.page.locator('#play').click();
  await waitForStats(demo.page, ({ pictureTick }) => pictureTick > before.tick + 5);
  expect(await pictureOf(demo.page)).not.toBe(picture);
  expect(demo.faults).toEqual([]);
});

test('a step adds one tick and moves the picture, from the button and from the key', async () => {
  await using demo = await openDemo(browser, isolated.origin);
  const { tick } = await pause(demo.page);
  const picture = await pictureOf(demo.page);
  await demo.page.locator('#step').click();
  await waitForStats(demo.page, ({ pictureTick }) => pictureTick > tick);
  await nextFrames(demo.page, 5);
  expect(await readPageStats(demo.page)).toMatchObject({ tick: tick + 1, pictureTick: tick + 1 });
  expect(await pictureOf(demo.page)).not.toBe(picture);
  await demo.page.keyboard.press('.');
  await waitForStats(demo.page, ({ pictureTick }) => pictureTick > tick + 1);
  await nextFrames(demo.page, 5);
  expect(await readPageStats(demo.page)).toMatchObject({ tick: tick + 2, pictureTick: tick + 2 });
});

test('the speed slider changes the realized speed, from a tenth to fourfold', async () => {
  await using demo = await openDemo(browser, isolated.origin);
  await slide(demo.page, '#population', 2);
  for (const speed of [0.1, 4]) {
    await slide(demo.page, '#speed', Math.log10(speed));
    const isThere = ({ realizedSpeed }: PageStats): boolean =>
      Math.abs(realizedSpeed / speed - 1) < 0.15;
    const stats = await waitForStats(demo.page, isThere);
    expect(stats.speed).toBe(speed);
    expect(await demo.page.locator('#speed-value').innerText()).toBe(`${speed}×`);
  }
  expect(demo.faults).toEqual([]);
});

test('population and tick rate start the scene again, and the picture moves over', async () => {
  await using demo = await openDemo(browser, isolated.origin);
  const before = await waitForStats(demo.page, ({ pictureTick }) => pictureTick > 30);
  await slide(demo.page, '#population', 3);
  const fewer = await waitForStats(demo.page, ({ entityCount }) => entityCount === 1000);
  expect(fewer.tick).toBeLessThan(before.tick);
  // Until its next frame the picture shows the old run: ticks do not tell the two apart.
  const drawn = async (): Promise<number> => (await readPositions(demo.page, 20_000)).length;
  await expect.poll(drawn, { timeout: 10_000 }).toBe(2000);

  await demo.page.getByRole('radio', { name: '20' }).check();
  const slower = await waitForStats(demo.page, ({ tickRateHz }) => Math.round(tickRateHz) === 20);
  expect(slower.entityCount).toBe(1000);
  await waitForStats(demo.page, ({ pictureTick }) => pictureTick > slower.tick + 5);
  expect(await readPositions(demo.page, 20_000)).toHaveLength(2000);
  expect(demo.faults).toEqual([]);
});

test('the flock flies the same way again, and another way with a pointer over it', async () => {
  await using demo = await openDemo(browser, isolated.origin, { reducedMotion: 'reduce' });
  const { page } = demo;
  const fly = async (): Promise<number[]> => {
    await page.keyboard.press('r');
    await waitForStats(page, ({ tick, pictureTick }) => tick === 0 && pictureTick === 0);
    await nextFrames(page, 2);
    for (let step = 0; step < 20; step++) await page.keyboard.press('.');
    await waitForStats(page, ({ pictureTick }) => pictureTick === 20);
    await nextFrames(page, 1);
    return readPositions(page, 10_000);
  };
  const alone = await fly();
  expect(await fly()).toEqual(alone);
  await page.mouse.move(300, 200);
  expect(await fly()).not.toEqual(alone);
  expect(demo.faults).toEqual([]);
});

test('a page without isolation runs over transferred buffers, and says why', async () => {
  await using demo = await openDemo(browser, plain.origin);
  const stats = await waitForStats(demo.page, ({ pictureTick }) => pictureTick >= 60);
  expect(stats.tier).toBe('transfer');
  expect(stats.tierReason).toBe('The page is not cross-origin isolated.');
  const why = demo.page.locator('[data-figure="why"]');
  await why.getByText(stats.tierReason).waitFor();
  expect(demo.faults).toEqual([]);
});

for (const tier of ['shared', 'transfer', 'calling-thread']) {
  test(`?tier=${tier} runs over that tier`, async () => {
    await using demo = await openDemo(browser, `${isolated.origin}/?tier=${tier}`);
    const stats = await waitForStats(demo.page, ({ pictureTick }) => pictureTick >= 30);
    expect(stats.tier).toBe(tier);
    expect(demo.faults).toEqual([]);
  });
}

test('the page changes scenes, each at its own population', async () => {
  await using demo = await openDemo(browser, isolated.origin);
  for (const [scene, population] of [
    ['Bounce', 200],
    ['Storm', 2000],
    ['Flock', 10_000],
  ] as const) {
    await demo.page.getByRole('radio', { name: scene }).check();
    await settle(demo.page);
    expect(await readPositions(demo.page, 20_000)).toHaveLength(2 * population);
    expect((await readPageStats(demo.page)).entityCount).toBe(population);
  }
  expect(demo.faults).toEqual([]);
});

test('a recording that is given plays: people come, walk where they walked, and go', async () => {
  await using demo = await openDemo(browser, isolated.origin, { reducedMotion: 'reduce' });
  const { page } = demo;
  const away = [Number.NaN, Number.NaN, Number.NaN];
  const frames = [
    [...away, ...away],
    [1, 2, 0, ...away],
    [3, 4, 0, 5, 6, 0],
    [...away, 7, 8, 0],
  ];
  const packed = gzipSync(new Uint8Array(Float32Array.from(frames.flat()).buffer));
  const shape = Buffer.from(JSON.stringify({ frames: frames.length, entities: 2 }));
  const data = { name: 'walk.f32.gz', mimeType: 'application/gzip', buffer: packed };
  await page.getByRole('radio', { name: 'Crowd' }).check();
  await page.locator('#recording-files').setInputFiles([data]);
  await page.getByText('Drop both.').waitFor();
  await settle(page);
  await page
    .locator('#recording-files')
    .setInputFiles([data, { name: 'walk.json', mimeType: 'application/json', buffer: shape }]);
  await page.locator('#recording').waitFor({ state: 'hidden' });
  await settle(page);
  expect(Math.round((await readPageStats(page)).tickRateHz)).toBe(25);

  const shown: number[][] = [];
  for (let tick = 1; tick <= 3; tick++) {
    await page.keyboard.press('.');
    await settle(page);
    const { entityCount, pictureTick } = await readPageStats(page);
    expect(pictureTick).toBe(tick);
    shown.push(await readPositions(page, entityCount));
  }
  // Paused at alpha 0: who is new stands where he is, who was there stands where he was.
  expect(shown).toEqual([
    [1, 2],
    [1, 2, 5, 6],
    [5, 6],
  ]);
  expect(demo.faults).toEqual([]);
});

test('a start that cannot be says so, with its code and what helps', async () => {
  const page = await browser.newPage();
  await page.goto(`${plain.origin}/?tier=shared`);
  const failure = page.getByRole('alert');
  await failure.getByText('NOT_ISOLATED').waitFor();
  expect(await failure.innerText()).toContain('Cross-Origin-Embedder-Policy: require-corp');
  await page.close();
});

test('a worker that does not load is shown within seconds', async () => {
  const page = await browser.newPage();
  await page.route(/\.sim-/, (route) => route.abort());
  await page.goto(isolated.origin);
  await page.getByRole('alert').getByText('WORKER_LOAD_FAILED').waitFor({ timeout: 5000 });
  await page.close();
});

test('nothing moves for a system that asks for less motion, until play is pressed', async () => {
  await using demo = await openDemo(browser, isolated.origin, { reducedMotion: 'reduce' });
  await nextFrames(demo.page, 5);
  expect(await readPageStats(demo.page)).toMatchObject({ mode: 'paused', tick: 0 });
  await demo.page.keyboard.press(' ');
  await waitForStats(demo.page, ({ pictureTick }) => pictureTick > 5);
});

test('on a phone the panel is a folded sheet that fits the screen', async () => {
  await using demo = await openDemo(browser, isolated.origin, {
    viewport: { width: 375, height: 667 },
  });
  const panel = demo.page.locator('.panel');
  const folded = await panel.boundingBox();
  await demo.page.locator('#fold').click();
  const open = await panel.boundingBox();
  expect(folded?.height).toBeLessThan(150);
  expect(open?.y).toBeGreaterThan(150);
  expect((open?.x ?? -1) >= 0 && (open?.x ?? 0) + (open?.width ?? 0) <= 375).toBe(true);
  expect(await demo.page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
});

import { createCanvas, loadImage } from '@napi-rs/canvas';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPixels } from '../../src/main/capture/pixel-hash.ts';
import { readPixels } from '../../src/main/capture/read-pixels.ts';
import { collectFaults, launchBrowser } from './harness/browser.ts';
import { startTestServer, type TestServer } from './harness/server.ts';
import type { Filming, PageFilm } from './pages/capture.ts';

const FRAMES = 10;

type Scope = typeof globalThis & { readonly filming: Filming };

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startTestServer({ isolated: true });
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Films in a page of its own. */
async function film(delayMsMax: number): Promise<PageFilm> {
  const page = await browser.newPage();
  const faults = collectFaults(page);
  await page.goto(server.pageFor('build/test/browser/pages/capture.js'));
  await page.waitForFunction(() => document.title === 'ready');
  const taken = await page.evaluate(
    ([frames, late]) => (globalThis as Scope).filming.film(frames, late),
    [FRAMES, delayMsMax] as const,
  );
  expect(faults).toEqual([]);
  await page.close();
  return taken;
}

test('a page films what WebGL draws: twice alike, as PNGs and as a video', async () => {
  const { manifest, pngs, video, codec } = await film(0);
  const again = await film(30);
  expect([again.manifest, again.pngs]).toEqual([manifest, pngs]);
  const { frames } = manifest;
  expect(frames.map(({ tick, alpha }) => [tick, alpha]).slice(0, 3)).toEqual([
    [0, '0'],
    [2, '201/400'],
    [5, '1/200'],
  ]);
  expect(new Set(frames.map(({ pixelHash }) => pixelHash)).size).toBe(FRAMES);
  for (const [k, png] of pngs.entries()) {
    const image = await loadImage(Buffer.from(png, 'base64'));
    const context = createCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const hash = await hashPixels(readPixels(context));
    expect([k, image.width, image.height, hash]).toEqual([k, 160, 100, frames[k]?.pixelHash]);
  }
  expect(['vp8', 'vp9']).toContain(codec);
  const source = new BufferSource(Buffer.from(video, 'base64'));
  const track = await new Input({ formats: ALL_FORMATS, source }).getPrimaryVideoTrack();
  if (track === null) throw new Error('the video has no track');
  const stamps: number[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) stamps.push(packet.timestamp);
  // WebM counts milliseconds.
  expect(stamps).toEqual(
    frames.map(({ index }) => Math.round((index * 1_001_000) / 24_000) / 1000),
  );
});

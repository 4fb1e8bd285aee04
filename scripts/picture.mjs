import { mkdirSync, writeFileSync } from 'node:fs';
import { bootstrap } from './lib/bootstrap.mjs';
import { findBrowser } from './lib/browser.mjs';
import { bundleDemo, compileOrExit } from './lib/build.mjs';
import { encodeIndexedPng } from './lib/indexed-png.mjs';
import { inRoot } from './lib/paths.mjs';
import { ISOLATION_HEADERS, serve } from './lib/serve.mjs';

const WIDTH = 1280;
const HEIGHT = 800;

/** Points of the way that the pointer goes, in parts of the page: once around its left half. */
const WAY = Array.from({ length: 24 }, (_, step) => {
  const turn = (step / 24) * 2 * Math.PI;
  return { x: 0.38 + 0.16 * Math.sin(turn), y: 0.5 - 0.22 * Math.cos(turn) };
});

/** What the README's picture may weigh. */
const BYTES_MAX = 390_000;
const PALETTE_SIZES = [256, 192, 128, 96, 64, 48];

/** `npm run picture`: takes the README's picture of the demo with a real browser. */
async function main() {
  await bootstrap();
  await compileOrExit();
  if ((await bundleDemo()).code !== 0) return 1;
  const pixels = await takePicture();
  for (const colours of PALETTE_SIZES) {
    const png = encodeIndexedPng(pixels, WIDTH, HEIGHT, colours);
    if (png.length > BYTES_MAX) continue;
    mkdirSync(inRoot('docs', 'images'), { recursive: true });
    writeFileSync(inRoot('docs', 'images', 'demo.png'), png);
    process.stdout.write(`docs/images/demo.png: ${png.length} bytes, ${colours} colours\n`);
    return 0;
  }
  process.stderr.write(`The picture is larger than ${BYTES_MAX} bytes with any palette.\n`);
  return 1;
}

/**
 * Shows the demo for some seconds while the pointer goes its way, and returns what is seen then,
 * four bytes a pixel.
 */
async function takePicture() {
  const { chromium } = await import('playwright-core');
  const root = inRoot('build', 'demo');
  const served = await serve({ root, headersFor: () => ISOLATION_HEADERS });
  const browser = await chromium.launch({
    executablePath: await findBrowser(),
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  try {
    const page = await browser.newPage({
      viewport: { width: WIDTH, height: HEIGHT },
      deviceScaleFactor: 1,
    });
    await page.goto(served.origin);
    await page.waitForFunction('window.__escapement?.frames > 0');
    for (const { x, y } of WAY) {
      await page.mouse.move(WIDTH * x, HEIGHT * y);
      await page.waitForTimeout(100);
    }
    const shot = await page.screenshot();
    const address = `data:image/png;base64,${shot.toString('base64')}`;
    const decoded = await page.evaluate(`(${DECODE})(${JSON.stringify(address)})`);
    return Buffer.from(String(decoded), 'base64');
  } finally {
    await browser.close();
    await served.close();
  }
}

/** Runs in the page: turns the address of a PNG into the bytes of its pixels, in base 64. */
const DECODE = `async (address) => {
  const image = await createImageBitmap(await (await fetch(address)).blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let text = '';
  for (let at = 0; at < data.length; at += 8192) {
    text += String.fromCharCode(...data.subarray(at, at + 8192));
  }
  return btoa(text);
}`;

process.exitCode = await main();

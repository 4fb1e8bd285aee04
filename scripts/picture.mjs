import { mkdirSync, statSync } from 'node:fs';
import { bootstrap } from './lib/bootstrap.mjs';
import { findBrowser } from './lib/browser.mjs';
import { bundleDemo, compileOrExit } from './lib/build.mjs';
import { inRoot } from './lib/paths.mjs';
import { ISOLATION_HEADERS, serve } from './lib/serve.mjs';

const WIDTH = 1280;
const HEIGHT = 800;

/** Points of the way that the pointer goes, in parts of the page; it ends beside the panel. */
const WAY = Array.from({ length: 60 }, (_, step) => {
  const turn = (step / 60) * 2 * Math.PI;
  return { x: 0.38 + 0.16 * Math.sin(turn), y: 0.5 - 0.22 * Math.cos(turn) };
});

/** `npm run picture`: takes the README's picture of the demo with a real browser. */
async function main() {
  await bootstrap();
  await compileOrExit();
  if ((await bundleDemo()).code !== 0) return 1;
  const root = inRoot('build', 'demo');
  const served = await serve({ root, headersFor: () => ISOLATION_HEADERS });
  const path = inRoot('docs', 'images', 'demo.png');
  mkdirSync(inRoot('docs', 'images'), { recursive: true });
  try {
    await takePicture(served.origin, path);
  } finally {
    await served.close();
  }
  process.stdout.write(`${path}: ${Math.ceil(statSync(path).size / 1000)} kB\n`);
  return 0;
}

/**
 * @param {string} address
 * @param {string} path
 */
async function takePicture(address, path) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: await findBrowser(),
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  try {
    const page = await browser.newPage({
      viewport: { width: WIDTH, height: HEIGHT },
      deviceScaleFactor: 1,
    });
    await page.goto(address);
    await page.waitForFunction('window.__escapement?.frames > 0');
    for (const { x, y } of WAY) {
      await page.mouse.move(WIDTH * x, HEIGHT * y);
      await page.waitForTimeout(100);
    }
    await page.screenshot({ path });
  } finally {
    await browser.close();
  }
}

process.exitCode = await main();

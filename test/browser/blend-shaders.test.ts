import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scaled } from '../scaled.ts';
import { collectFaults, launchBrowser } from './harness/browser.ts';
import { startTestServer, type TestServer } from './harness/server.ts';
import type { KindsHook, KindsPage } from './pages/kinds.ts';

const MODULE = 'build/test/browser/pages/kinds.js';

type Scope = typeof globalThis & { readonly kindsPage: KindsHook; kinds: KindsPage };

let browser: Browser;
let server: TestServer;
let page: Page;
let faults: readonly string[];

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startTestServer({ isolated: true });
  page = await browser.newPage();
  faults = collectFaults(page);
  await page.goto(server.pageFor(MODULE));
  await page.waitForFunction(() => document.title === 'ready');
  await page.evaluate(async () => {
    const scope = globalThis as Scope;
    scope.kinds = await scope.kindsPage.open();
  });
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

const TOLERANCE = 1e-5;

/** How far two values are apart, against their size, or around a circle of that period. */
function distance(a: number, b: number, period: number, size: number = 1): number {
  if (period === 0) return Math.abs(a - b) / Math.max(size, Math.abs(b));
  const way = Math.abs(a - b) % period;
  return Math.min(way, period - way) / period;
}

const STEPS = [1.3, 0.4, 0.3, 1, 1.72, 5.99, 0.01, 1, 1.5];

it('a shader blends every kind of channel as this thread does, snaps included', async () => {
  const worst = new Map<string, number>();
  const rounds = scaled({ tiny: 1, normal: 2, full: 20 });
  for (const ticks of Array.from({ length: rounds }, () => STEPS).flat()) {
    const readings = await page.evaluate((by) => (globalThis as Scope).kinds.readAll(by), ticks);
    expect(readings).toHaveLength(16);
    for (const { channel, gpu, here, period } of readings) {
      expect(gpu).toHaveLength(here.length);
      const isFixed = channel.startsWith('exact');
      const units = isFixed ? 65536 : 1;
      // A float holds 24 bits of what fixed numbers of this size were blended from.
      const size = isFixed ? 32768 : 1;
      const far = gpu.map((value, k) => distance(value, (here[k] as number) / units, period, size));
      worst.set(channel, Math.max(worst.get(channel) ?? 0, ...far));
    }
  }
  expect([...worst].filter(([, far]) => !(far <= TOLERANCE))).toEqual([]);
  // What cannot be off by a rounding is not off at all; a float holds 24 bits of a word.
  for (const name of ['floats', 'halves', 'bytes']) expect(worst.get(name)).toBe(0);
  expect(faults).toEqual([]);
});

/** The matrix of a rotation and a scale, column by column, with its position. */
function compose(at: readonly number[], q: readonly number[], scale: readonly number[]): number[] {
  const [x = 0, y = 0, z = 0, w = 1] = q;
  const [sx = 1, sy = 1, sz = 1] = scale;
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0].map((it) => it * sx),
    ...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0].map((it) => it * sy),
    ...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0].map((it) => it * sz),
    ...at,
    1,
  ];
}

it('a shader composes matrices in space and in the plane', async () => {
  const read = await page.evaluate(() => (globalThis as Scope).kinds.readMatrices(3.4));
  const { gpu, position, orientation, heading } = read;
  const expected = heading.flatMap((angle, i) => {
    const at = position.slice(3 * i, 3 * i + 3);
    const spin = [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];
    return [
      ...compose(at, orientation.slice(4 * i, 4 * i + 4), [2, 0.5, -3]),
      ...compose([at[0] as number, at[1] as number, 0], spin, [2, -0.5, 1]),
    ];
  });
  expect(gpu).toHaveLength(expected.length);
  const far = gpu.map((value, k) => distance(value, expected[k] as number, 0));
  expect(Math.max(...far)).toBeLessThan(TOLERANCE);
});

it('what a shader cannot have is refused with a code', async () => {
  expect(await page.evaluate(() => (globalThis as Scope).kinds.refusals())).toEqual({
    'no channel': 'OPTION_INVALID',
    'an unknown channel': 'NAME_UNKNOWN',
    'a channel twice': 'OPTION_INVALID',
    'too many channels': 'OPTION_INVALID',
    'shown by what is not there': 'NAME_UNKNOWN',
    'a program without the columns': 'VALUE_INVALID',
    'disposed columns': 'STATE_INVALID',
    'an unknown shape': 'OPTION_INVALID',
    'a narrow position': 'OPTION_INVALID',
    'a heading of three': 'OPTION_INVALID',
    'a position of other columns': 'NAME_UNKNOWN',
    'what is fitting': 'none',
  });
  expect(faults).toEqual([]);
});

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bounceAt } from '../../scenes/bounce.sim.ts';
import { scaled } from '../scaled.ts';
import { collectFaults, launchBrowser } from './harness/browser.ts';
import { countFaults, NO_FAULTS, type Place, teleporterPlaces } from './harness/discs.ts';
import { startTestServer, type TestServer } from './harness/server.ts';
import type { PixiPage, PixiPicture, PixiScene, PixiWay, SpriteKind } from './pages/pixi.ts';

const MODULE = 'build/test/browser/pages/pixi.js';
const BOUNCE = '/build/scenes/bounce.sim.js';
const TELEPORTER = '/build/test/browser/pages/teleporter.sim.js';
const SPRITES = '/build/test/browser/pages/sprites.sim.js';

type Scope = typeof globalThis & { readonly pixiPage: PixiPage; scene: PixiScene };

let browser: Browser;
let server: TestServer;
let page: Page;
let faults: readonly string[];

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startTestServer({ isolated: true });
});

afterEach(async () => {
  await page.evaluate(() => (globalThis as Partial<Scope>).scene?.close());
  expect(faults).toEqual([]);
  await page.close();
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

async function openPage(): Promise<void> {
  page = await browser.newPage();
  faults = collectFaults(page);
  await page.goto(server.pageFor(MODULE));
  await page.waitForFunction(() => document.title === 'ready');
}

/** Opens a page with a scene that stands at tick 0. */
async function openScene(
  script: string,
  kind: SpriteKind = 'disc',
  params: Record<string, number> = {},
): Promise<void> {
  await openPage();
  await page.evaluate(
    async ([address, look, given]) => {
      const scope = globalThis as Scope;
      scope.scene = await scope.pixiPage.open(address, look, given);
    },
    [script, kind, params] as const,
  );
}

/** Goes on by so many ticks and pictures that in one way. */
function shoot(ticks: number, way: PixiWay): Promise<PixiPicture> {
  return page.evaluate(
    async ([by, name]) => {
      const { scene } = globalThis as Scope;
      await scene.advance(by);
      return scene.shoot(name);
    },
    [ticks, way] as const,
  );
}

/** Where the teleporter's discs are in a picture. */
function placesIn({ pairTick, time }: PixiPicture): Place[] {
  return teleporterPlaces(pairTick, time * 60);
}

const WAYS: readonly PixiWay[] = ['bulk', 'gpu'];
const POPULATION = 30;
/** In ticks: between two, on one, and over many at once. */
const STEPS = [3.25, 0.5, 0.24, 1.26, 7.5, 1, 0.125, 120.375];

describe.each(WAYS)('pixi draws by the %s way', (way) => {
  it('bounce where the closed form says, within a pixel', async () => {
    await openScene(BOUNCE, 'disc', { population: POPULATION });
    for (const step of STEPS) {
      const picture = await shoot(step, way);
      const places = Array.from({ length: POPULATION }, (_, i) => bounceAt(picture.time, i));
      expect(picture.status).toBe('ok');
      expect(picture.lit.length).toBeGreaterThan(1000);
      expect(countFaults(picture, places)).toEqual(NO_FAULTS);
    }
  });

  it('nothing between two places of whoever did not walk from one to the other', async () => {
    await openScene(TELEPORTER);
    let between = 0;
    for (let i = 0; i < scaled({ tiny: 40, normal: 160, full: 2000 }); i++) {
      const picture = await shoot([0.375, 0.75, 1.625, 0.25, 3.5][i % 5] as number, way);
      expect(picture.lit.length).toBeGreaterThan(80);
      expect(countFaults(picture, placesIn(picture))).toEqual(NO_FAULTS);
      if (picture.alpha > 0.05 && picture.alpha < 0.95) between++;
    }
    expect(between).toBeGreaterThan(20);
  });

  it('each turn, size and colour as its own sprites would look', async () => {
    await openScene(SPRITES, 'flag');
    for (const step of [0, 1.25, 0.5, 2.75, 0.25, 0.5, 1.25, 1.25, 1, 0.75, 1.5, 4.25]) {
      const shown = await page.evaluate(
        async ([by, name]) => {
          const { scene } = globalThis as Scope;
          await scene.advance(by);
          return scene.compare(name);
        },
        [step, way] as const,
      );
      expect(shown.drawn).toBeGreaterThan(4000);
      // A middle of a pixel may lie on an edge: it falls to one side or to the other.
      expect(shown.differing).toBeLessThanOrEqual(shown.drawn / 200);
    }
  });

  it('another run after a restart, of which nothing of the last one is seen', async () => {
    await openScene(TELEPORTER);
    await shoot(21.5, way);
    await page.evaluate(() => (globalThis as Scope).scene.sim.restart());
    const fresh = await shoot(2.5, way);
    expect(fresh.pairTick).toBe(2);
    expect(countFaults(fresh, placesIn(fresh))).toEqual(NO_FAULTS);
  });

  it('the same picture after the context was lost', async () => {
    await openScene(TELEPORTER);
    const before = await shoot(21.5, way);
    await page.evaluate(() => (globalThis as Scope).scene.loseContext());
    expect((await shoot(0, way)).lit).toEqual(before.lit);
    const later = await shoot(1.25, way);
    expect(countFaults(later, placesIn(later))).toEqual(NO_FAULTS);
  });
});

describe('sprites that the GPU blends', () => {
  it('upload nothing between two ticks, and a column a channel for a new one', async () => {
    await openScene(BOUNCE, 'disc', { population: POPULATION });
    await shoot(5.25, 'gpu');
    expect((await shoot(0.25, 'gpu')).uploads).toBe(0);
    expect((await shoot(0.25, 'gpu')).uploads).toBe(0);
    // The third buffer is made with the next tick.
    await shoot(1, 'gpu');
    expect((await shoot(1, 'gpu')).uploads).toBe(1);
    expect((await shoot(0, 'gpu')).uploads).toBe(0);
    expect((await shoot(1, 'gpu')).uploads).toBe(1);
    expect((await shoot(7, 'gpu')).uploads).toBe(2);
  });

  it('say at once that WebGPU is not for them, and what is', async () => {
    await openPage();
    const { code, text } = await page.evaluate(
      (script) => (globalThis as Scope).pixiPage.refuse(script),
      SPRITES,
    );
    expect(code).toBe('OPTION_INVALID');
    expect(text).toContain("preference: 'webgl'");
    expect(text).toContain('BulkParticles');
  });
});

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bounceAt } from '../../scenes/bounce.sim.ts';
import { scaled } from '../scaled.ts';
import { collectFaults, launchBrowser } from './harness/browser.ts';
import { countFaults, NO_FAULTS, type Place, teleporterPlaces } from './harness/discs.ts';
import { startTestServer, type TestServer } from './harness/server.ts';
import type { Picture, Pictures, PictureScene } from './pages/pictures.ts';
import { PATH_NAMES, type PathName } from './pages/path-names.ts';

const MODULE = 'build/test/browser/pages/pictures.js';
const BOUNCE = '/build/scenes/bounce.sim.js';
const TELEPORTER = '/build/test/browser/pages/teleporter.sim.js';

type Scope = typeof globalThis & { readonly pictures: Pictures; scene: PictureScene };

let browser: Browser;
let server: TestServer;
let page: Page;
let faults: readonly string[];

beforeAll(async () => {
  browser = await launchBrowser();
  server = await startTestServer({ isolated: true });
});

afterEach(async () => {
  await page.evaluate(() => (globalThis as Scope).scene.close());
  expect(faults).toEqual([]);
  await page.close();
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Opens a page with a scene that stands at tick 0. */
async function openScene(
  script: string,
  params: Record<string, number> = {},
  prepare?: () => void,
): Promise<void> {
  page = await browser.newPage();
  if (prepare !== undefined) await page.addInitScript(prepare);
  faults = collectFaults(page);
  await page.goto(server.pageFor(MODULE));
  await page.waitForFunction(() => document.title === 'ready');
  await page.evaluate(
    async ([address, given]) => {
      const scope = globalThis as Scope;
      scope.scene = await scope.pictures.open(address, given);
    },
    [script, params] as const,
  );
}

/** Goes on by so many ticks and pictures that on each path. */
function shoot(ticks: number, paths: readonly PathName[] = PATH_NAMES): Promise<Picture[]> {
  return page.evaluate(
    async ([by, those]) => {
      const { scene } = globalThis as Scope;
      await scene.advance(by);
      return those.map((path) => scene.shoot(path));
    },
    [ticks, paths] as const,
  );
}

/** Where the teleporter's discs are in a picture. */
function placesIn({ pairTick, alpha }: Picture): Place[] {
  return teleporterPlaces(pairTick, Math.max(0, pairTick - 1 + alpha));
}

/** Steps that end at many alphas, some of them over many ticks, always the same ones. */
function steps(count: number): number[] {
  return Array.from({ length: count }, (_, k) => {
    const part = ((k * 37 + 11) % 64) / 64;
    if (k % 5 === 4) return part + 3 + ((k * 13) % 29);
    return k % 3 === 2 ? 1 : part / 2;
  });
}

describe.each(PATH_NAMES)('pictures of the blend path "%s"', (path) => {
  it('show bounce where its closed form says, to the pixel', async () => {
    const population = 7;
    await openScene(BOUNCE, { population });
    const alphas = new Set<number>();
    for (const ticks of steps(scaled({ tiny: 10, normal: 30, full: 200 }))) {
      const [picture] = (await shoot(ticks, [path])) as [Picture];
      const places = Array.from({ length: population }, (_, i) => bounceAt(picture.time, i));
      expect(countFaults(picture, places)).toEqual(NO_FAULTS);
      expect(picture.status).toBe('ok');
      alphas.add(picture.alpha);
    }
    expect(alphas.size).toBeGreaterThan(5);
  });

  it('show no pixel between two places that a body never walked between', async () => {
    await openScene(TELEPORTER);
    for (const ticks of steps(scaled({ tiny: 15, normal: 60, full: 400 }))) {
      const [picture] = (await shoot(ticks, [path])) as [Picture];
      const at = `tick ${picture.pairTick} alpha ${picture.alpha}`;
      expect({ at, ...countFaults(picture, placesIn(picture)) }).toEqual({
        at,
        ...NO_FAULTS,
      });
    }
  });
});

it('all blend paths agree, after a restart and a seek too', async () => {
  await openScene(TELEPORTER);
  const agree = async (): Promise<void> => {
    for (const ticks of [0, 0.5, 1.25, 27, 0.25, 14, 0.5]) {
      const pictures = await shoot(ticks);
      const [{ pairTick, places: flat = [] }] = pictures as [Picture];
      const places = Array.from({ length: flat.length / 2 }, (_, k): Place => {
        return [flat[2 * k] as number, flat[2 * k + 1] as number];
      });
      expect(places.length).toBeGreaterThan(1);
      for (const picture of pictures) {
        expect(countFaults(picture, places)).toEqual(NO_FAULTS);
        expect(picture.pairTick).toBe(pairTick);
      }
    }
  };
  await agree();
  await page.evaluate(() => (globalThis as Scope).scene.restart());
  await agree();
  await page.evaluate(() => (globalThis as Scope).scene.seekTick(3));
  await agree();
});

describe('the buffers of the GPU path', () => {
  it('take a tick in one upload from shared memory, and nothing without one', async () => {
    await openScene(BOUNCE, { population: 5 });
    const uploadsOf = async (ticks: number): Promise<number> => {
      const [before] = (await shoot(0, ['GPU'])) as [Picture];
      const [after] = (await shoot(ticks, ['GPU'])) as [Picture];
      return after.uploads - before.uploads;
    };
    await shoot(5.25, ['GPU']);
    expect(await uploadsOf(0)).toBe(0);
    expect(await uploadsOf(0.25)).toBe(0);
    expect(await uploadsOf(1)).toBe(1);
    expect(await uploadsOf(1)).toBe(1);
    expect(await uploadsOf(7)).toBe(2);
    const inPlace = await page.evaluate(() => (globalThis as Scope).scene.uploadsInPlace);
    expect(inPlace).toBe(true);
  });

  it('grow and shrink with the population, tick by tick', async () => {
    await openScene(TELEPORTER);
    for (const ticks of [23.5, ...Array<number>(20).fill(1)]) {
      const [picture] = (await shoot(ticks, ['GPU'])) as [Picture];
      const { pairTick } = picture;
      expect({ pairTick, ...countFaults(picture, placesIn(picture)) }).toEqual({
        pairTick,
        ...NO_FAULTS,
      });
    }
  });

  it('are filled over a copy where the browser refuses shared memory', async () => {
    await openScene(TELEPORTER, {}, () => {
      const { prototype } = WebGL2RenderingContext;
      type Upload = (...given: unknown[]) => void;
      const upload = Reflect.get(prototype, 'bufferSubData') as Upload;
      const refuse = function (this: unknown, ...given: unknown[]): void {
        const { buffer } = given[2] as Uint8Array;
        if (buffer instanceof SharedArrayBuffer) throw new TypeError('shared memory');
        Reflect.apply(upload, this, given);
      };
      Reflect.set(prototype, 'bufferSubData', refuse);
    });
    for (const ticks of [0.5, 1.25, 26, 2.5]) {
      const [picture] = (await shoot(ticks, ['GPU'])) as [Picture];
      expect(countFaults(picture, placesIn(picture))).toEqual(NO_FAULTS);
    }
    const inPlace = await page.evaluate(() => (globalThis as Scope).scene.uploadsInPlace);
    expect(inPlace).toBe(false);
  });

  it('are made anew when the context was lost, and show the same picture', async () => {
    await openScene(TELEPORTER);
    const [before] = (await shoot(21.5, ['GPU'])) as [Picture];
    await page.evaluate(() => (globalThis as Scope).scene.loseContext());
    const [after] = (await shoot(0, ['GPU'])) as [Picture];
    expect(after.lit).toEqual(before.lit);
    const [later] = (await shoot(1.25, ['GPU'])) as [Picture];
    expect(countFaults(later, placesIn(later))).toEqual(NO_FAULTS);
  });
});

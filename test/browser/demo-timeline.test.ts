import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleDemo } from '../../scripts/lib/build.mjs';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { MAGIC } from '../../src/shared/replay/format.ts';
import { MemorySink } from '../../src/shared/replay/memory-sink.ts';
import { readReplay } from '../../src/shared/replay/replay-reader.ts';
import type { ReplayHeader } from '../../src/shared/replay/replay.ts';
import { ReplayWriter } from '../../src/shared/replay/replay-writer.ts';
import { launchBrowser } from './harness/browser.ts';
import { openDemo, readPageStats, settle, waitForStats } from './harness/demo.ts';
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

const FACT = { hash: '#fact-hash', tick: '#fact-tick', verdict: '#fact-verdict' };

/** Records the scene that runs, for so many ticks at least, and replays it. */
async function record(page: Page, ticks: number): Promise<void> {
  await page.locator('#record').click();
  await page.locator('#timeline[data-state="recording"]').waitFor();
  const { tick } = await readPageStats(page);
  await waitForStats(page, (stats) => stats.tick >= tick + ticks);
  await page.locator('#record-stop').click();
  await page.locator('#timeline[data-state="replay"]').waitFor();
}

/** The ticks that a recording goes over. */
async function range(page: Page): Promise<[first: number, last: number]> {
  const slider = page.locator('#scrubber');
  const [least, most] = [await slider.getAttribute('min'), await slider.getAttribute('max')];
  return [Number(least), Number(most)];
}

/** Drags the thumb over several ticks to the last of them, as a hand does. */
async function scrub(page: Page, ticks: readonly number[]): Promise<void> {
  await page.locator('#scrubber').evaluate((slider, through) => {
    for (const tick of through) {
      (slider as HTMLInputElement).valueAsNumber = tick;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    }
    slider.dispatchEvent(new Event('change', { bubbles: true }));
  }, ticks);
}

/** Waits for the hash of a tick, and returns it; it was compared with the recorded one. */
async function hashAt(page: Page, tick: number): Promise<string> {
  const hash = page.locator(`${FACT.hash}[data-tick="${tick}"][data-state="good"]`);
  await hash.waitFor();
  await waitForStats(page, ({ pictureTick }) => pictureTick === tick);
  return hash.innerText();
}

/** Drops a file on the page. */
async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const content = Buffer.from(bytes).toString('base64');
  await page.evaluate(
    ([fileName, base64]) => {
      const data = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([data], fileName));
      dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, content] as const,
  );
}

/** Makes a recording of no tick. */
async function emptyFile(header: ReplayHeader): Promise<Uint8Array> {
  const sink = new MemorySink();
  await new ReplayWriter(sink, header).close(header.firstTick, 'stopped');
  return sink.bytes();
}

async function download(page: Page): Promise<[name: string, bytes: Buffer]> {
  const coming = page.waitForEvent('download');
  await page.locator('#replay-download').click();
  const file = await coming;
  return [file.suggestedFilename(), await readFile(await file.path())];
}

test('a run is recorded, scrubbed, saved, and replayed from the file', async () => {
  await using demo = await openDemo(browser, server.origin);
  const { page } = demo;
  await page.locator('#population').evaluate((slider) => {
    (slider as HTMLInputElement).valueAsNumber = Math.log10(2000);
    slider.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await waitForStats(page, ({ entityCount }) => entityCount === 2000);
  await page.mouse.move(200, 200);
  await record(page, 60);
  const [first, last] = await range(page);
  expect(last - first).toBeGreaterThanOrEqual(60);
  expect(await readPageStats(page)).toMatchObject({ mode: 'replay', tick: first });

  const middle = Math.floor((first + last) / 2);
  await scrub(page, [first + 5, last, middle]);
  const hash = await hashAt(page, middle);
  expect(hash).toMatch(/^[0-9a-f]{16}$/);
  await scrub(page, [first + 1, first]);
  expect(await hashAt(page, first)).not.toBe(hash);
  await scrub(page, [middle]);
  expect(await hashAt(page, middle)).toBe(hash);

  const [name, bytes] = await download(page);
  expect(name).toBe('flock-0.replay');
  expect([...bytes.subarray(0, MAGIC.length)]).toEqual([...MAGIC]);

  // Into another scene: the page turns to the one that the file is of.
  await page.locator('#scene label', { hasText: 'Bounce' }).click();
  await page.locator('#timeline[data-state="live"]').waitFor();
  await settle(page);
  await drop(page, name, bytes);
  await page.getByText(`flock-0.replay: ${last - first} ticks of Flock.`).waitFor();
  expect(await page.locator('#scene input:checked').getAttribute('value')).toBe('flock');
  expect(await page.locator('#population-value').innerText()).toBe('2,000');
  await page.locator('#replay-play').click();
  await hashAt(page, last);
  expect(await page.locator(FACT.verdict).innerText()).toMatch(/^\d+, all equal$/);
  await page.locator('#timeline[data-playing="false"]').waitFor();
  await scrub(page, [middle]);
  expect(await hashAt(page, middle)).toBe(hash);
  expect(demo.faults).toEqual([]);
});

test('keys go through a replay, and past no end of it', async () => {
  await using demo = await openDemo(browser, `${server.origin}/?scene=bounce`);
  const { page } = demo;
  await record(page, 20);
  const [first, last] = await range(page);
  for (const [key, tick] of [
    ['End', last],
    ['ArrowRight', last],
    ['ArrowLeft', last - 1],
    ['Home', first],
    ['ArrowLeft', first],
    ['ArrowRight', first + 1],
  ] as const) {
    await page.keyboard.press(key);
    await hashAt(page, tick);
  }
  await page.keyboard.press(' ');
  await waitForStats(page, ({ tick }) => tick === last);
  await page.locator('#timeline[data-playing="false"]').waitFor();
  await page.locator('#replay-play').click();
  await waitForStats(page, ({ tick }) => tick < last);
  expect(demo.faults).toEqual([]);
});

test('a replay refuses the pointer, and goes on live from where it is', async () => {
  await using demo = await openDemo(browser, server.origin);
  const { page } = demo;
  await record(page, 10);
  const [first] = await range(page);
  await page.mouse.move(150, 150);
  await page.mouse.down();
  await page.getByText('Refused: a replay takes its inputs from the recording.').waitFor();
  await page.mouse.up();
  await expect.poll(() => page.locator('#fact-refused').innerText()).not.toBe('0');
  await scrub(page, [first + 5]);
  await hashAt(page, first + 5);
  await page.locator('#replay-leave').click();
  await page.locator('#timeline[data-state="live"]').waitFor();
  const { tick } = await waitForStats(page, (stats) => stats.tick > first + 20);
  expect(tick).toBeLessThan(first + 1000);

  await page.locator('#replay-again').click();
  await page.locator('#timeline[data-state="replay"]').waitFor();
  await hashAt(page, first);
  await page.locator('#replay-close').click();
  await page.locator('#timeline[data-state="live"]').waitFor();
  await waitForStats(page, ({ mode, pictureTick }) => mode === 'live' && pictureTick > 0);
  expect(demo.faults).toEqual([]);
});

test('the engine of the cubes comes back with each tick that is sought', async () => {
  await using demo = await openDemo(browser, `${server.origin}/?scene=cubes`);
  const { page } = demo;
  await record(page, 90);
  const [first, last] = await range(page);
  const ticks = [last, first + 10, last - 3, first + 71, first + 10];
  const hashes: string[] = [];
  for (const tick of ticks) {
    await scrub(page, [tick]);
    hashes.push(await hashAt(page, tick));
  }
  expect(new Set(hashes).size).toBe(4);
  expect(hashes[4]).toBe(hashes[1]);
  expect(demo.faults).toEqual([]);
});

test('what is no recording, or none of this page, is refused with a message', async () => {
  await using demo = await openDemo(browser, `${server.origin}/?scene=bounce`);
  const { page } = demo;
  const toast = page.locator('#toast');
  await drop(page, 'noise.replay', new TextEncoder().encode('no recording at all'));
  await toast.getByText('REPLAY_INVALID').waitFor();
  expect(await toast.innerText()).toContain('noise.replay cannot be replayed.');

  await record(page, 5);
  const [, bytes] = await download(page);
  await page.locator('#replay-close').click();
  const { header } = readReplay(bytes);
  await drop(page, 'other.replay', await emptyFile({ ...header, identity: 'another build' }));
  await toast.getByText('REPLAY_MISMATCH').waitFor();
  const text = await toast.innerText();
  expect(text).toContain('other.replay cannot be replayed.');
  expect(text).toContain('version: recorded "another build", here ""');

  const schema = { ...header.schema, name: 'orrery' };
  await drop(page, 'stars.replay', await emptyFile({ ...header, schema }));
  await toast.getByText('It is of the simulation “orrery”').waitFor();

  await page.locator('#toast-close').click();
  await toast.waitFor({ state: 'hidden' });
  expect((await readPageStats(page)).state).toBe('running');
  expect(demo.faults).toEqual([]);
});

test('a recording whose run is replaced ends with it, and is kept', async () => {
  await using demo = await openDemo(browser, `${server.origin}/?scene=bounce`);
  const { page } = demo;
  await page.locator('#record').click();
  await page.locator('#timeline[data-state="recording"]').waitFor();
  const { tick } = await readPageStats(page);
  await waitForStats(page, (stats) => stats.tick > tick + 10);
  await page.locator('#scene label', { hasText: 'Storm' }).click();
  await page.locator('#toast').getByText('its run is over').waitFor();
  await page.locator('#replay-again').click();
  await page.locator('#timeline[data-state="replay"]').waitFor();
  expect(await page.locator('#scene input:checked').getAttribute('value')).toBe('bounce');
  expect(demo.faults).toEqual([]);
});

/** Has the crowd play two people, who walk at a speed. */
async function bringPeople(page: Page, speed: number): Promise<void> {
  const frames = 50;
  const walk = Array.from({ length: frames }, (_, frame) => [frame * speed, 1, 0, 2, frame, 0]);
  const buffer = gzipSync(new Uint8Array(Float32Array.from(walk.flat()).buffer));
  const shape = Buffer.from(JSON.stringify({ frames, entities: 2 }));
  await page.locator('#scene label', { hasText: 'Crowd' }).click();
  await page.locator('#recording-files').setInputFiles([
    { name: 'walk.f32.gz', mimeType: 'application/gzip', buffer },
    { name: 'walk.json', mimeType: 'application/json', buffer: shape },
  ]);
  await page.locator('#recording').waitFor({ state: 'hidden' });
  await settle(page);
}

test('a run of recorded people is replayed with them, and others make it diverge', async () => {
  let file: Buffer;
  {
    await using demo = await openDemo(browser, `${server.origin}/?scene=bounce`);
    const { page } = demo;
    await bringPeople(page, 1);
    await record(page, 30);
    const [first, last] = await range(page);
    for (const tick of [last, first + 3, first]) {
      await scrub(page, [tick]);
      await hashAt(page, tick);
    }
    [, file] = await download(page);
    expect(demo.faults).toEqual([]);
  }
  await using demo = await openDemo(browser, `${server.origin}/?scene=bounce`);
  const { page } = demo;
  await drop(page, 'crowd.replay', file);
  await page.locator('#toast').getByText('Drop the recorded people it shows first.').waitFor();
  await bringPeople(page, 2);
  await drop(page, 'crowd.replay', file);
  await page.locator('#timeline[data-state="replay"]').waitFor();
  const [first] = await range(page);
  await scrub(page, [first + 10]);
  const verdict = page.locator(FACT.verdict);
  await verdict.getByText(`diverged at tick ${first + 1}`, { exact: true }).waitFor();
  expect(await verdict.getAttribute('data-state')).toBe('bad');
  expect(await page.locator(FACT.hash).getAttribute('data-state')).toBe('bad');
  expect(demo.faults).toEqual([]);
});

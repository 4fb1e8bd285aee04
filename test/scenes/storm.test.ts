import type { Frame } from 'escapement/render';
import type { Entity, TypesOf } from 'escapement/sim';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JUMP, storm } from '../../scenes/storm.sim.ts';
import { scaled } from '../scaled.ts';
import { hashChannels, runScene } from './scene-run.ts';

/** The state of the scene's own 2000 bodies at tick 599; a missing age has no bits of its own. */
const GOLDEN = 'f2ffabb45df57cb5';
const runs = scaled({ tiny: 3, normal: 15, full: 200 });

/** Counts the rows that are not one body's own: between two of its ticks, or where it came. */
function countSmeared(frame: Frame<TypesOf<typeof storm>>): number {
  const xy = frame.blend('position');
  const out = [0, 0];
  let smeared = 0;
  for (let row = 0; row < frame.count; row++) {
    const status = frame.sample(frame.entities[row] as Entity, 'position', out);
    const x = xy[2 * row] as number;
    const y = xy[2 * row + 1] as number;
    // Owners differ by whole numbers in x. In y a body is `alpha` above the height of a tick;
    // blended across a jump it would be anywhere within 4096.
    const height = y - (status === 'snapped' ? 0 : frame.alpha);
    const isOwn =
      x === Math.round(x) &&
      Math.abs(height - Math.round(height)) < 0.005 &&
      y % JUMP <= frame.tick &&
      x === out[0] &&
      y === Math.fround(out[1] as number);
    if (!isOwn) smeared++;
  }
  return smeared;
}

test('nothing is blended across a spawn, a death or a jump, whatever is skipped', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1e6),
      fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 40, maxLength: 80 }),
      async (seed, gapsMs) => {
        const params = { population: 300, churn: 20, jumps: 10 };
        const run = await runScene(storm, { params, seed, maxTicksPerAdvance: 100 });
        const present = new Set<number>();
        let ms = 0;
        for (const gap of gapsMs) {
          ms += gap;
          run.frameAt(ms * 1e6);
          const frame = run.view.frame();
          for (const handle of frame.left) expect(present.delete(handle)).toBe(true);
          for (const handle of frame.entered) {
            expect(present.has(handle)).toBe(false);
            present.add(handle);
          }
          expect([...present].toSorted((a, b) => a - b)).toEqual(
            [...frame.entities].toSorted((a, b) => a - b),
          );
          expect(countSmeared(frame)).toBe(0);
          frame.release();
        }
        await run.close();
      },
    ),
    { numRuns: runs },
  );
});

test('an age is shown for those who have one, and no number for the others', async () => {
  const run = await runScene(storm, { params: { population: 300, churn: 5, jumps: 20 } });
  run.frameAt(500e6);
  const frame = run.view.frame();
  const ages = frame.blend('age');
  const out = [0];
  let none = 0;
  frame.entities.forEach((handle, row) => {
    const status = frame.sample(handle as never, 'age', out);
    if (status === 'no-component') {
      none++;
      expect(ages[row]).toBeNaN();
    } else {
      expect(ages[row]).toBe(Math.fround(out[0] as number));
    }
  });
  expect(none).toBeGreaterThan(50);
  expect(none).toBeLessThan(250);
  frame.release();
  await run.close();
});

test('ten seconds of storm are 600 ticks and one state', async () => {
  const run = await runScene(storm, { seed: 1 });
  for (let tick = 1; tick <= 600; tick++) run.frameAt((tick * 1e9) / 60);
  expect(run.sim.tick).toBe(600);
  expect(run.sim.stats().entityCount).toBe(2000);
  expect(hashChannels(run, ['position', 'kind'])).toBe(GOLDEN);
  await run.close();
});

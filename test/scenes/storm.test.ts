import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JUMP, storm } from '../../scenes/storm.sim.ts';
import { scaled } from '../scaled.ts';
import { runScene } from './scene-run.ts';

const runs = scaled({ tiny: 3, normal: 15, full: 200 });

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
          const xy = frame.blend('position');
          for (let row = 0; row < frame.count; row++) {
            const x = xy[2 * row] as number;
            const y = (xy[2 * row + 1] as number) % JUMP;
            // Owners differ by whole numbers in x, jumps by a great height in y.
            expect(x).toBe(Math.round(x));
            expect(y).toBeLessThanOrEqual(frame.tick);
          }
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

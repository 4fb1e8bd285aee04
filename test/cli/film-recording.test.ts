import { describe, expect, test } from 'vitest';
import { keyframePeriod } from '../../src/cli/film-recording.ts';
import { splitFrames } from '../../src/cli/frame-range.ts';
import { Dice } from '../sim-worker/dice.ts';

/** How far each begin lies behind the keyframe it starts from, where `begins[0]` has one too. */
function waste(begins: readonly number[], period: number): number[] {
  return begins.map((at) => at - Math.max(begins[0] as number, at - (at % period)));
}

describe('the keyframes of a film’s recording', () => {
  test('stand where its parts begin, when it begins with the run', () => {
    for (const jobs of [1, 2, 3, 8, 64]) {
      const begins = Array.from({ length: jobs }, (_, k) => 100 * k);
      const period = keyframePeriod(begins, 100 * jobs);
      expect([jobs, ...waste(begins, period)]).toEqual([jobs, ...begins.map(() => 0)]);
    }
    expect(keyframePeriod([0], 0)).toBe(1);
    expect(keyframePeriod([0, 4_000_000], 8_000_000)).toBe(1_000_000);
  });

  test('stand near them wherever it begins, and are at most four for each', () => {
    const dice = new Dice(7);
    for (let n = 0; n < 300; n++) {
      const begin = dice.below(100_000);
      const length = 40 + dice.below(5000);
      const jobs = 2 + dice.below(7);
      const parts = splitFrames({ first: 0, count: length }, jobs);
      const begins = parts.map(({ first }) => begin + first);
      const period = keyframePeriod(begins, begin + length);
      const behind = waste(begins, period).reduce((sum, ticks) => sum + ticks, 0);
      expect([n, period >= length / jobs / 4]).toEqual([n, true]);
      // A quarter of a part at most, a random keyframe half of that; the best of all does better.
      expect([n, behind < length / 4]).toEqual([n, true]);
    }
  });
});

test('frames are split into runs, as many as jobs but none empty', () => {
  expect(splitFrames({ first: 5, count: 7 }, 3)).toEqual([
    { first: 5, count: 2 },
    { first: 7, count: 2 },
    { first: 9, count: 3 },
  ]);
  expect(splitFrames({ first: 0, count: 2 }, 9)).toHaveLength(2);
});

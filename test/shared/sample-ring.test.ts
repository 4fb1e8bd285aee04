import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SampleRing } from '../../src/shared/sample-ring.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';

const runs = { numRuns: scaled({ tiny: 50, normal: 300, full: 5000 }) };

/** Few small ones, so that equal samples meet, and some beyond 32 bits. */
const samples = fc.oneof(fc.nat(5), fc.nat(2_000_000), fc.nat({ max: 2 ** 40 }));

const capacities = fc.constantFrom(1, 2, 3, 7, 32, 64);

function ringOf(capacity: number, recorded: readonly number[]): SampleRing {
  const ring = new SampleRing(capacity);
  for (const ns of recorded) ring.record(ns);
  return ring;
}

/** The least sample that at least `percent` in a hundred samples do not exceed: no index in it. */
function nearestRank(held: readonly number[], percent: number): number {
  const reached = held.filter(
    (sample) => held.filter((other) => other <= sample).length * 100 >= percent * held.length,
  );
  return held.length === 0 ? Number.NaN : Math.min(...reached);
}

function checkAgainst(ring: SampleRing, held: readonly number[], total: number): void {
  expect(ring.count).toBe(held.length);
  expect(ring.totalRecorded).toBe(total);
  expect(ring.last).toBe(held.at(-1) ?? Number.NaN);
  expect(ring.max()).toBe(held.length === 0 ? Number.NaN : Math.max(...held));
  expect(ring.mean()).toBe(held.reduce((sum, sample) => sum + sample, 0) / held.length);
  for (const percent of [0, 1, 50, 95, 99, 100]) {
    expect(ring.percentile(percent)).toBe(nearestRank(held, percent));
  }
}

describe('a sample ring', () => {
  test('equals an array that drops its first, whatever is recorded, asked and cleared', () => {
    const step = fc.oneof(
      { arbitrary: samples, weight: 20 },
      { arbitrary: fc.constantFrom('ask', 'clear', 'not a number'), weight: 4 },
    );
    const program = fc.array(step, { maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(capacities, program, (capacity, steps) => {
        const ring = new SampleRing(capacity);
        let held: number[] = [];
        let total = 0;
        for (const doing of steps) {
          if (typeof doing === 'number') {
            ring.record(doing);
            held = [...held, doing].slice(-capacity);
            total += 1;
          } else if (doing === 'clear') {
            ring.clear();
            held = [];
            total = 0;
          } else if (doing === 'ask') {
            checkAgainst(ring, held, total);
          } else {
            ring.record(Number.NaN);
          }
        }
        expect(ring.capacity).toBe(capacity);
        checkAgainst(ring, held, total);
      }),
      runs,
    );
  });

  test('gives every whole percentile by nearest rank, full or not', () => {
    const recorded = fc.array(samples, { minLength: 1, maxLength: 150, size: 'max' });
    fc.assert(
      fc.property(recorded, fc.nat(100), (all, percent) => {
        const held = all.slice(-100);
        expect(ringOf(100, all).percentile(percent)).toBe(nearestRank(held, percent));
      }),
      runs,
    );
  });

  test('of 1 to 100 in any order has the percentile p equal to p', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
    const ring = ringOf(512, hundred.toReversed());
    expect(hundred.map((percent) => ring.percentile(percent))).toEqual(hundred);
    expect(ring.percentile(0)).toBe(1);
    expect(ring.percentile(1000)).toBe(100);
  });

  test('knows nothing of nothing', () => {
    checkAgainst(new SampleRing(4), [], 0);
  });

  test('asserts that it holds a whole number of samples, one or more', () => {
    for (const capacity of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new SampleRing(capacity)).toThrow('a sample or more');
    }
  });

  test('leaves nothing on the heap when it records or is asked', () => {
    const ring = new SampleRing(64);
    let ns = 0;
    const record = (): void => ring.record((ns = (ns * 5 + 12_345) & 0x7fffff));
    expect(bytesLeft(50_000, record)).toBe(0);
    const above = new Float64Array(1);
    const ask = (): void => {
      record();
      if (ring.percentile(99) > ring.mean() && ring.max() >= ring.last) above[0] = ring.count;
    };
    expect(bytesLeft(5000, ask)).toBe(0);
    expect(above[0]).toBe(64);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type SystemSchedule,
  scheduleFault,
  scheduleSystems,
} from '../../src/sim-worker/schedule.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';

const runs = { numRuns: scaled({ tiny: 500, normal: 5000, full: 30_000 }) };

describe('the fault of a schedule', () => {
  const sound = (): SystemSchedule =>
    scheduleSystems(
      ['a', 'b', 'c'].map((name, place) => {
        return { id: place + 1, name, reads: [], writes: [], after: [] };
      }),
    );
  const built = (order: unknown, systemCount = 3): SystemSchedule => {
    return { order: order as number[], systemCount, warnings: [] };
  };

  test('is none for what scheduling returned, nor for any order of all ids', () => {
    expect(scheduleFault(sound(), 3)).toBe(undefined);
    expect(scheduleFault(built([3, 1, 2]), 3)).toBe(undefined);
    expect(scheduleFault(built([], 0), 0)).toBe(undefined);
  });

  test('is that it is stale when systems were registered since, until the counts agree', () => {
    for (const schedule of [sound(), built([1, 2, 3])]) {
      const fault = scheduleFault(schedule, 4);
      expect(fault?.message).toBe(
        'SCHEDULE_STALE: The schedule was made for another number of systems. ' +
          'Given: scheduled systems 3, current systems 4. Allowed: a schedule of 4 systems. ' +
          'Schedule the systems again, once all of them are registered.',
      );
      expect(scheduleFault(schedule, 4)).toBe(fault);
      expect(scheduleFault(schedule, 5)?.message).toContain('current systems 5');
      expect(scheduleFault(schedule, 3)).toBe(undefined);
    }
  });

  test('is that it is stale before it is that it is invalid', () => {
    const schedule = built([0]);
    expect(scheduleFault(schedule, 2)?.code).toBe('SCHEDULE_STALE');
    expect(scheduleFault(schedule, 3)?.code).toBe('SCHEDULE_INVALID');
  });

  test.each([
    ['0', [0, 1, 2], 'order[0] is 0'],
    ['an id out of range', [1, 2, 4], 'order[2] is 4'],
    ['a negative one', [1, -2, 3], 'order[1] is -2'],
    ['half an id', [1, 1.5, 3], 'order[1] is 1.5'],
    ['no number', [1, '2', 3], 'order[1] is 2'],
    ['a hole', Object.assign([], { 0: 1, 2: 3 }), 'order[1] is undefined'],
    ['an id twice', [1, 2, 1], 'order[2] is 1 once more'],
    ['too few', [1, 3], '2 entries, system 2 is left out'],
    ['too many', [1, 2, 3, 3], 'order[3] is 3 once more'],
    ['no list', new Uint8Array([1, 2, 3]), 'its order is no list'],
  ])('is that it is invalid for %s, as the same error each time', (_, order, given) => {
    const schedule = built(order);
    const fault = scheduleFault(schedule, 3);
    expect(fault?.message).toBe(
      `SCHEDULE_INVALID: The schedule does not run every system once. Given: ${given}. ` +
        'Allowed: every whole number from 1 to 3, once. ' +
        'Build another one, or take the schedule that scheduling the systems returns.',
    );
    expect(scheduleFault(schedule, 3)).toBe(fault);
  });

  test('is none exactly for the permutations of all ids', () => {
    const entry = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(1.5, Number.NaN));
    const permutation = fc.shuffledSubarray([1, 2, 3, 4], { minLength: 4 });
    const order = fc.oneof(permutation, fc.array(entry, { minLength: 2, maxLength: 5 }));
    fc.assert(
      fc.property(order, (entries) => {
        const isPermutation = [...entries].sort((a, b) => a - b).join() === '1,2,3,4';
        const fault = scheduleFault(built(entries, 4), 4);
        expect(fault?.code).toBe(isPermutation ? undefined : 'SCHEDULE_INVALID');
      }),
      runs,
    );
  });

  test('is looked for once in a schedule, which is frozen with its order from then on', () => {
    let looks = 0;
    const order = new Proxy([2, 1, 3], {
      get: (target, key, receiver) => {
        looks++;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    const schedule = built(order);
    expect(scheduleFault(schedule, 3)).toBe(undefined);
    expect(looks).toBeGreaterThanOrEqual(3);
    const once = looks;
    for (let frame = 0; frame < 10; frame++) scheduleFault(schedule, 3);
    expect(looks).toBe(once);
    expect(Object.isFrozen(schedule) && Object.isFrozen(order)).toBe(true);
  });

  test('leaves nothing on the heap, frame by frame, found or not', () => {
    const kept = [sound(), built([1, 2, 3]), built([0, 1, 2])];
    let faults = 0;
    const frame = (): void => {
      for (const schedule of kept) if (scheduleFault(schedule, 3) !== undefined) faults++;
      for (const schedule of kept) if (scheduleFault(schedule, 4) !== undefined) faults++;
    };
    expect(bytesLeft(10_000, frame)).toBe(0);
    expect(faults % 4).toBe(0);
  });
});

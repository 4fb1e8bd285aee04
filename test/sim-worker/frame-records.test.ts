import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FrameRecord } from '../../src/shared/profile-report.ts';
import { FrameRecords } from '../../src/sim-worker/frame-records.ts';
import { scaled } from '../scaled.ts';

const runs = { numRuns: scaled({ tiny: 30, normal: 200, full: 3000 }) };

describe('frame records', () => {
  test('are the last 32 frames in order, each failing for an allocation or an overrun', () => {
    const frame = fc.record({
      tick: fc.nat({ max: 2 ** 45 }),
      ticks: fc.nat(5),
      ns: fc.nat({ max: 2 ** 40 }),
      simAllocs: fc.constantFrom(0, 0, 0, 1, 7),
      simAllocBytes: fc.nat(4096),
      overruns: fc.constantFrom(0, 0, 0, 1, 2),
    });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 100, size: 'max' }), (frames) => {
        const records = new FrameRecords();
        for (const { ns, ticks, simAllocs, simAllocBytes, overruns, tick } of frames) {
          records.record(ns, ticks, simAllocs, simAllocBytes, overruns, tick);
        }
        const listed = frames.slice(-32).map(({ ns, ...rest }): FrameRecord => {
          const clean = rest.simAllocs === 0 && rest.overruns === 0;
          return { ...rest, ms: ns / 1e6, verdict: clean ? 'PASS' : 'FAIL' };
        });
        expect(records.list()).toEqual(listed);
        expect(records.count).toBe(listed.length);
        const total = frames.reduce((sum, { simAllocs }) => sum + simAllocs, 0);
        expect(records.simAllocsTotal).toBe(total);
      }),
      runs,
    );
  });
});

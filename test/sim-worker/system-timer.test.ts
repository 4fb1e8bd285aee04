import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLog, type LogRecord } from '../../src/shared/log.ts';
import {
  budgetNsOf,
  OVERRUN,
  type Overrun,
  reportOverrun,
  SystemTimer,
} from '../../src/sim-worker/system-timer.ts';
import { bytesLeft } from '../heap-growth.ts';
import { scaled } from '../scaled.ts';

const runs = { numRuns: scaled({ tiny: 50, normal: 300, full: 5000 }) };

const BUDGET_NS = 2_000_000;

interface Counts {
  readonly runs: number;
  readonly warns: number;
  readonly errors: number;
}

function countsOf({ runs, warns, errors }: SystemTimer): Counts {
  return { runs, warns, errors };
}

describe('a run', () => {
  test.each([
    { name: 'of no time', ns: 0, overrun: OVERRUN.none, warns: 0, errors: 0 },
    { name: 'of exactly its budget', ns: BUDGET_NS, overrun: OVERRUN.none, warns: 0, errors: 0 },
    { name: 'one ns over', ns: BUDGET_NS + 1, overrun: OVERRUN.warn, warns: 1, errors: 0 },
    { name: 'one ns below 3x', ns: 3 * BUDGET_NS - 1, overrun: OVERRUN.warn, warns: 1, errors: 0 },
    { name: 'of exactly 3x', ns: 3 * BUDGET_NS, overrun: OVERRUN.critical, warns: 1, errors: 1 },
    { name: 'far beyond', ns: 2 ** 40, overrun: OVERRUN.critical, warns: 1, errors: 1 },
  ])('$name makes $warns warnings and $errors errors', ({ ns, overrun, warns, errors }) => {
    const timer = new SystemTimer(1, 'steer', BUDGET_NS);
    expect(timer.record(ns)).toBe(overrun);
    expect(countsOf(timer)).toEqual({ runs: 1, warns, errors });
    expect(overrun).toBe(warns + errors);
    expect(timer.lastNs).toBe(ns);
  });

  test('of a system without a budget is never over', () => {
    const timer = new SystemTimer(1, 'steer');
    expect(timer.budgetNs).toBe(undefined);
    for (const ns of [0, 1, 2 ** 52]) expect(timer.record(ns)).toBe(OVERRUN.none);
    expect(countsOf(timer)).toEqual({ runs: 3, warns: 0, errors: 0 });
  });

  test('is held to the rule for every budget and every time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.nat(4000), { maxLength: 100, size: 'max' }),
        (budget, times) => {
          const timer = new SystemTimer(7, 'any', budget);
          const overruns = times.map((ns) => timer.record(ns));
          const over = times.map((ns) => Number(ns > budget) + Number(ns >= 3 * budget));
          expect(overruns).toEqual(over);
          expect(countsOf(timer)).toEqual({
            runs: times.length,
            warns: over.filter((events) => events >= 1).length,
            errors: over.filter((events) => events === 2).length,
          });
          expect(timer.lastNs).toBe(times.at(-1) ?? Number.NaN);
        },
      ),
      runs,
    );
  });

  test('leaves nothing on the heap, over its budget or not', () => {
    const timer = new SystemTimer(1, 'steer', BUDGET_NS);
    let ns = 0;
    const record = (): void => void timer.record((ns = (ns * 5 + 12_345) & 0x7fffff));
    expect(bytesLeft(50_000, record)).toBe(0);
    expect(timer.errors).toBeGreaterThan(0);
    expect(timer.warns).toBeGreaterThan(timer.errors);
    expect(timer.runs).toBeGreaterThan(timer.warns);
  });
});

describe('the window of a timer', () => {
  test('holds the last 64 runs while the counters count all of them', () => {
    const timer = new SystemTimer(1, 'steer', BUDGET_NS);
    timer.record(5 * BUDGET_NS);
    for (let run = 1; run < 64; run++) timer.record(run);
    expect(timer.window.count).toBe(64);
    expect(timer.window.percentile(99)).toBe(5 * BUDGET_NS);
    timer.record(64);
    expect(timer.window.count).toBe(64);
    expect(timer.window.percentile(99)).toBe(64);
    expect(timer.window.percentile(1)).toBe(1);
    expect(countsOf(timer)).toEqual({ runs: 65, warns: 1, errors: 1 });
  });
});

describe('a budget in nanoseconds', () => {
  test('is whole for every whole number of nanoseconds given as milliseconds', () => {
    const whole = fc.integer({ min: 1, max: 2 ** 40 });
    fc.assert(
      fc.property(whole, (ns) => {
        expect(budgetNsOf(ns / 1e6)).toBe(ns);
      }),
      runs,
    );
    expect(budgetNsOf(1.001)).toBe(1_001_000);
  });

  test('is at least 1, and none for what is not above 0', () => {
    expect(budgetNsOf(1e-9)).toBe(1);
    for (const bad of [0, -1, Number.NaN]) {
      expect(budgetNsOf(bad)).toBe(Number.NaN);
      expect(() => new SystemTimer(1, 'steer', budgetNsOf(bad))).toThrow('above 0 nanoseconds');
    }
  });
});

describe('reporting an overrun', () => {
  function logOf(timer: SystemTimer, overruns: readonly Overrun[], nowMs = [0]): LogRecord[] {
    const records: LogRecord[] = [];
    const log = createLog({
      nowMs: () => nowMs.shift() ?? 0,
      sink: (record) => void records.push(record),
    });
    for (const overrun of overruns) reportOverrun(log.for('system'), timer, overrun);
    return records;
  }

  function told(records: readonly LogRecord[]): string[] {
    return records.map(({ severity, subsystem, event }) => `${severity} ${subsystem}/${event}`);
  }

  test('logs nothing, the warning, or the warning and then the error', () => {
    const timer = new SystemTimer(3, 'steer', BUDGET_NS);
    expect(told(logOf(timer, [OVERRUN.none]))).toEqual([]);
    expect(told(logOf(timer, [OVERRUN.warn]))).toEqual(['warn system/budget_overrun']);
    expect(told(logOf(timer, [OVERRUN.critical]))).toEqual([
      'warn system/budget_overrun',
      'error system/budget_critical',
    ]);
  });

  test('tells which system, what it took, its budget and its window', () => {
    const timer = new SystemTimer(3, 'steer', BUDGET_NS);
    for (let run = 0; run < 30; run++) timer.record(1_500_000);
    const records = logOf(timer, [timer.record(6_000_001)]);
    const fields = {
      system: 'steer',
      id: 3,
      measured_ms: 6.000001,
      budget_ms: 2,
      p99_ms: 6.000001,
      window_samples: 31,
    };
    expect(records.map((record) => record.fields)).toEqual([fields, fields]);
  });

  test('is held back by the log while the counters go on', () => {
    const timer = new SystemTimer(3, 'steer', BUDGET_NS);
    const overruns = Array.from({ length: 5 }, () => timer.record(4 * BUDGET_NS));
    expect(told(logOf(timer, overruns))).toEqual([
      'warn system/budget_overrun',
      'error system/budget_critical',
    ]);
    expect(countsOf(timer)).toEqual({ runs: 5, warns: 5, errors: 5 });
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProfileReport, ReportBudgets, Verdict } from '../../src/shared/profile-report.ts';
import { buildBudgetReport } from '../../src/sim-worker/budget-report.ts';
import { type ProfiledSystem, Profiler } from '../../src/sim-worker/profiler.ts';
import { scaled } from '../scaled.ts';

const runs = { numRuns: scaled({ tiny: 30, normal: 200, full: 3000 }) };

/** One frame of one tick: what each system takes, in order, and what was allocated. */
function frame(profiler: Profiler, systemNs: readonly number[], simAllocs = 0): void {
  const tick = profiler.ticks.totalRecorded + 1;
  let overruns = 0;
  profiler.beginFrame();
  profiler.beginTick();
  systemNs.forEach((ns, index) => {
    profiler.beginSystem();
    overruns += profiler.recordSystem(index, ns);
  });
  const tickNs = systemNs.reduce((sum, ns) => sum + ns, 0);
  profiler.recordTick(tickNs);
  profiler.recordFrame(tickNs + 500, 1, simAllocs, 48 * simAllocs, overruns, tick);
}

function profilerOf(
  systems: readonly ProfiledSystem[],
  frames: readonly (readonly number[])[],
): Profiler {
  const profiler = new Profiler(systems);
  for (const systemNs of frames) frame(profiler, systemNs);
  return profiler;
}

/** Verdicts of ticks, frames, each system, then of all. */
function verdictsOf({ ticks, frames, systems, verdict }: ProfileReport): Verdict[] {
  return [ticks.verdict, frames.verdict, ...systems.map((system) => system.verdict), verdict];
}

function repeat(count: number, systemNs: readonly number[]): (readonly number[])[] {
  return Array.from({ length: count }, () => systemNs);
}

const MS = 1_000_000;
const STEER = { name: 'steer', budgetMs: 1 };
const FREE = { name: 'free' };

describe('the report', () => {
  test('of a healthy run holds its figures, in milliseconds, and passes', () => {
    const profiler = profilerOf([STEER, FREE], [...repeat(9, [MS / 2, MS]), [MS, 3 * MS]]);
    const report = buildBudgetReport(profiler);
    expect(report.enabled).toBe(true);
    expect(report.ticks).toEqual({
      count: 10,
      total: 10,
      meanMs: 1.75,
      p50Ms: 1.5,
      p95Ms: 4,
      p99Ms: 4,
      maxMs: 4,
      lastMs: 4,
      meanBudgetMs: null,
      p99BudgetMs: null,
      verdict: 'NO_BUDGET',
    });
    expect(report.frames).toEqual({
      count: 10,
      total: 10,
      meanMs: 1.7505,
      p50Ms: 1.5005,
      p95Ms: 4.0005,
      p99Ms: 4.0005,
      maxMs: 4.0005,
      lastMs: 4.0005,
      simAllocsLast: 0,
      simAllocsTotal: 0,
      verdict: 'PASS',
    });
    const common = { runs: 10, warns: 0, errors: 0, windowSamples: 10 };
    expect(report.systems).toEqual([
      {
        id: 1,
        name: 'steer',
        budgetMs: 1,
        p50Ms: 0.5,
        p95Ms: 1,
        p99Ms: 1,
        lastMs: 1,
        meanMs: 0.55,
        ...common,
        verdict: 'PASS',
      },
      {
        id: 2,
        name: 'free',
        budgetMs: null,
        p50Ms: 1,
        p95Ms: 3,
        p99Ms: 3,
        lastMs: 3,
        meanMs: 1.2,
        ...common,
        verdict: 'NO_BUDGET',
      },
    ]);
    expect(report.frameRecords.map(({ tick }) => tick)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(report.verdict).toBe('PASS');
  });

  test('fails a run without a frame, and a budget without a sample', () => {
    expect(verdictsOf(buildBudgetReport(new Profiler([])))).toEqual([
      'NO_BUDGET',
      'NO_SAMPLES',
      'FAIL',
    ]);
    const idle = profilerOf([FREE, STEER], [[1]]);
    expect(verdictsOf(buildBudgetReport(idle))).toEqual([
      'NO_BUDGET',
      'PASS',
      'NO_BUDGET',
      'NO_SAMPLES',
      'FAIL',
    ]);
  });

  test('fails the frame that allocated or in which a system went over, and so all', () => {
    const allocated = profilerOf([STEER], [[MS]]);
    frame(allocated, [MS], 2);
    expect(buildBudgetReport(allocated).frames.simAllocsLast).toBe(2);
    frame(allocated, [MS]);
    const report = buildBudgetReport(allocated);
    expect(report.frameRecords).toEqual([
      {
        tick: 1,
        ticks: 1,
        ms: 1.0005,
        simAllocs: 0,
        simAllocBytes: 0,
        overruns: 0,
        verdict: 'PASS',
      },
      {
        tick: 2,
        ticks: 1,
        ms: 1.0005,
        simAllocs: 2,
        simAllocBytes: 96,
        overruns: 0,
        verdict: 'FAIL',
      },
      {
        tick: 3,
        ticks: 1,
        ms: 1.0005,
        simAllocs: 0,
        simAllocBytes: 0,
        overruns: 0,
        verdict: 'PASS',
      },
    ]);
    expect([report.frames.simAllocsLast, report.frames.simAllocsTotal]).toEqual([0, 2]);
    expect(verdictsOf(report)).toEqual(['NO_BUDGET', 'FAIL', 'PASS', 'FAIL']);
    const overran = buildBudgetReport(profilerOf([STEER], [[MS], [MS + 1], [3 * MS]]));
    expect(overran.frameRecords.map(({ overruns, verdict }) => [overruns, verdict])).toEqual([
      [0, 'PASS'],
      [1, 'FAIL'],
      [2, 'FAIL'],
    ]);
  });

  test('forgives a frame that has left the 32, and a run that has left the 64', () => {
    const frames = [[9 * MS], ...repeat(31, [MS])];
    const profiler = profilerOf([STEER], frames);
    expect(verdictsOf(buildBudgetReport(profiler))).toEqual(['NO_BUDGET', 'FAIL', 'FAIL', 'FAIL']);
    frame(profiler, [MS]);
    expect(verdictsOf(buildBudgetReport(profiler))).toEqual(['NO_BUDGET', 'PASS', 'FAIL', 'FAIL']);
    for (let i = 0; i < 31; i++) frame(profiler, [MS]);
    expect(verdictsOf(buildBudgetReport(profiler))).toEqual(['NO_BUDGET', 'PASS', 'FAIL', 'FAIL']);
    frame(profiler, [MS]);
    const last = buildBudgetReport(profiler);
    expect(verdictsOf(last)).toEqual(['NO_BUDGET', 'PASS', 'PASS', 'PASS']);
    expect(last.systems[0]).toMatchObject({ runs: 65, warns: 1, errors: 1, windowSamples: 64 });
  });

  test('tells whether the profiler was on', () => {
    const profiler = new Profiler([]);
    profiler.disable();
    expect(buildBudgetReport(profiler).enabled).toBe(false);
  });
});

describe('budgets of a report', () => {
  function verdicts(systemNs: readonly number[], budgets: ReportBudgets): Verdict[] {
    return verdictsOf(buildBudgetReport(profilerOf([STEER, FREE], [systemNs]), budgets));
  }

  test('by system take the place of the declared ones', () => {
    const systems = [{ name: 'free', budgetMs: 2.007 }];
    expect(verdicts([MS, 2_007_000], { systems })).toEqual([
      'NO_BUDGET',
      'PASS',
      'NO_BUDGET',
      'PASS',
      'PASS',
    ]);
    expect(verdicts([MS, 2_007_001], { systems })).toEqual([
      'NO_BUDGET',
      'PASS',
      'NO_BUDGET',
      'FAIL',
      'FAIL',
    ]);
    expect(verdicts([MS, 1], { systems: [] })).toEqual([
      'NO_BUDGET',
      'PASS',
      'NO_BUDGET',
      'NO_BUDGET',
      'PASS',
    ]);
  });

  test('for a system that does not exist stand last without an entry, and fail', () => {
    const systems = [
      { name: 'gone', budgetMs: 3 },
      { name: 'steer', budgetMs: 2 },
    ];
    const report = buildBudgetReport(profilerOf([STEER, FREE], [[MS, MS]]), { systems });
    expect(report.systems.map(({ id, name, budgetMs }) => [id, name, budgetMs])).toEqual([
      [1, 'steer', 2],
      [2, 'free', null],
      [0, 'gone', 3],
    ]);
    expect(report.systems[2]).toMatchObject({ runs: 0, windowSamples: 0, p99Ms: Number.NaN });
    expect(verdictsOf(report)).toEqual([
      'NO_BUDGET',
      'PASS',
      'PASS',
      'NO_BUDGET',
      'NO_ENTRY',
      'FAIL',
    ]);
  });

  test('count by the lowest of one name, and fail when they are no time', () => {
    const low = { name: 'steer', budgetMs: 1 };
    const high = { name: 'steer', budgetMs: 5 };
    const names = (budgets: ReportBudgets): Verdict[] => verdicts([2 * MS, 0], budgets).slice(2, 3);
    expect(names({ systems: [high] })).toEqual(['PASS']);
    expect(names({ systems: [low, high] })).toEqual(['FAIL']);
    expect(names({ systems: [high, low] })).toEqual(['FAIL']);
    for (const budgetMs of [0, -1, Number.NaN]) {
      expect(names({ systems: [high, { name: 'steer', budgetMs }] })).toEqual(['FAIL']);
      expect(verdicts([1, 1], { tickMeanMs: budgetMs })[0]).toBe('FAIL');
    }
  });

  test('of the tick hold its mean, its 99th percentile or both, equal being legal', () => {
    const profiler = profilerOf([FREE], [[MS], [3 * MS]]);
    const tick = (budgets: ReportBudgets): Verdict => {
      const { ticks, verdict } = buildBudgetReport(profiler, budgets);
      expect(verdict).toBe(ticks.verdict === 'FAIL' ? 'FAIL' : 'PASS');
      return ticks.verdict;
    };
    expect(tick({})).toBe('NO_BUDGET');
    expect(tick({ tickMeanMs: 2 })).toBe('PASS');
    expect(tick({ tickMeanMs: 1.999999 })).toBe('FAIL');
    expect(tick({ tickP99Ms: 3 })).toBe('PASS');
    expect(tick({ tickP99Ms: 2.999999 })).toBe('FAIL');
    expect(tick({ tickMeanMs: 2, tickP99Ms: 2 })).toBe('FAIL');
    expect(tick({ tickMeanMs: 1, tickP99Ms: 3 })).toBe('FAIL');
    expect(tick({ tickMeanMs: 2, tickP99Ms: 3 })).toBe('PASS');
    const { ticks } = buildBudgetReport(new Profiler([]), { tickP99Ms: 3 });
    expect([ticks.meanBudgetMs, ticks.p99BudgetMs, ticks.verdict]).toEqual([null, 3, 'NO_SAMPLES']);
  });
});

describe('any report', () => {
  const times = fc.array(fc.tuple(fc.nat(4 * MS), fc.nat(4 * MS)), { maxLength: 80, size: 'max' });

  test('fails exactly if something in it fails, and is judged by what it shows', () => {
    const budgets = fc.record(
      {
        tickMeanMs: fc.double({ min: 0.1, max: 8, noNaN: true }),
        tickP99Ms: fc.double({ min: 0.1, max: 8, noNaN: true }),
        systems: fc.array(
          fc.record({ name: fc.constantFrom('steer', 'free', 'gone'), budgetMs: fc.nat(5) }),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(times, budgets, (frames, held) => {
        const report = buildBudgetReport(profilerOf([STEER, FREE], frames), held);
        const all = [
          ...verdictsOf(report).slice(0, -1),
          ...report.frameRecords.map((r) => r.verdict),
        ];
        const failing = all.filter((verdict) => !['PASS', 'NO_BUDGET'].includes(verdict));
        expect(report.verdict).toBe(failing.length === 0 ? 'PASS' : 'FAIL');
        for (const { id, budgetMs, p99Ms, windowSamples, verdict } of report.systems) {
          const fits = p99Ms <= (budgetMs ?? Number.NaN) ? 'PASS' : 'FAIL';
          const sampled = windowSamples === 0 ? 'NO_SAMPLES' : fits;
          const judged = budgetMs === null ? 'NO_BUDGET' : sampled;
          expect(verdict).toBe(id === 0 ? 'NO_ENTRY' : judged);
        }
      }),
      runs,
    );
  });

  test('crosses a structured clone whole, and JSON with null for what is not known', () => {
    fc.assert(
      fc.property(times, (frames) => {
        const report = buildBudgetReport(profilerOf([STEER, FREE], frames));
        expect(structuredClone(report)).toEqual(report);
      }),
      runs,
    );
    const json = JSON.parse(JSON.stringify(buildBudgetReport(new Profiler([STEER])))) as unknown;
    const times0 = { meanMs: null, p50Ms: null, p95Ms: null, p99Ms: null, lastMs: null };
    expect(json).toMatchObject({
      ticks: { ...times0, maxMs: null, count: 0, meanBudgetMs: null },
      frames: { ...times0, maxMs: null, simAllocsLast: null, simAllocsTotal: 0 },
      systems: [{ ...times0, budgetMs: 1, verdict: 'NO_SAMPLES' }],
      frameRecords: [],
      verdict: 'FAIL',
    });
  });

  test('changes nothing: two in a row are equal, and recording goes on', () => {
    const profiler = profilerOf([STEER], [[MS], [2 * MS]]);
    expect(buildBudgetReport(profiler)).toEqual(buildBudgetReport(profiler));
    frame(profiler, [MS]);
    expect(buildBudgetReport(profiler).ticks.total).toBe(3);
  });
});

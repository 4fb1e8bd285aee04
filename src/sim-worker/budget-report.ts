import type {
  FrameProfile,
  FrameRecord,
  ProfileReport,
  ReportBudgets,
  SystemProfile,
  TickProfile,
  TimeProfile,
  Verdict,
} from '../shared/profile-report.ts';
import type { SampleRing } from '../shared/sample-ring.ts';
import type { Profiler } from './profiler.ts';
import { budgetNsOf, type SystemTimer } from './system-timer.ts';

/**
 * Returns what the profiler's windows hold, judged by `budgets`; by default each system by the
 * budget it declared, and the ticks by none. Changes nothing and throws nothing: a bad figure fails
 * the report, never the run. Allocates.
 */
export function buildBudgetReport(profiler: Profiler, budgets: ReportBudgets = {}): ProfileReport {
  const ticks = profileTicks(profiler.ticks, budgets);
  const frameRecords = profiler.frameRecords.list();
  const frames = profileFrames(profiler, frameRecords);
  const systems = profileSystems(profiler.systems, budgets);
  const verdicts = [ticks, frames, ...systems].map(({ verdict }) => verdict);
  return {
    enabled: profiler.enabled,
    ticks,
    frames,
    systems,
    frameRecords,
    verdict: verdicts.some(fails) ? 'FAIL' : 'PASS',
  };
}

function fails(verdict: Verdict): boolean {
  return verdict !== 'PASS' && verdict !== 'NO_BUDGET';
}

function profileTimes(ring: SampleRing): TimeProfile {
  return {
    count: ring.count,
    total: ring.totalRecorded,
    meanMs: ring.mean() / 1e6,
    p50Ms: ring.percentile(50) / 1e6,
    p95Ms: ring.percentile(95) / 1e6,
    p99Ms: ring.percentile(99) / 1e6,
    maxMs: ring.max() / 1e6,
    lastMs: ring.last / 1e6,
  };
}

function profileTicks(ring: SampleRing, { tickMeanMs, tickP99Ms }: ReportBudgets): TickProfile {
  const verdicts = [
    judge(ring, ring.mean(), tickMeanMs === undefined ? undefined : budgetNsOf(tickMeanMs)),
    judge(ring, ring.percentile(99), tickP99Ms === undefined ? undefined : budgetNsOf(tickP99Ms)),
  ];
  const failed = verdicts.find(fails);
  const passed = verdicts.includes('PASS') ? 'PASS' : 'NO_BUDGET';
  return {
    ...profileTimes(ring),
    meanBudgetMs: tickMeanMs ?? null,
    p99BudgetMs: tickP99Ms ?? null,
    verdict: failed ?? passed,
  };
}

function profileFrames(profiler: Profiler, records: readonly FrameRecord[]): FrameProfile {
  const passed = records.every(({ verdict }) => verdict === 'PASS') ? 'PASS' : 'FAIL';
  return {
    ...profileTimes(profiler.frames),
    simAllocsLast: records.at(-1)?.simAllocs ?? Number.NaN,
    simAllocsTotal: profiler.frameRecords.simAllocsTotal,
    verdict: records.length === 0 ? 'NO_SAMPLES' : passed,
  };
}

function profileSystems(
  timers: readonly SystemTimer[],
  budgets: ReportBudgets,
): readonly SystemProfile[] {
  if (budgets.systems === undefined) return timers.map((timer) => profile(timer, timer.budgetNs));
  const budgetsNs = new Map<string, number>();
  for (const { name, budgetMs } of budgets.systems) {
    const other = budgetsNs.get(name) ?? Number.POSITIVE_INFINITY;
    budgetsNs.set(name, Math.min(other, budgetNsOf(budgetMs)));
  }
  const systems = timers.map((timer) => profile(timer, budgetsNs.get(timer.name)));
  for (const { name } of timers) budgetsNs.delete(name);
  for (const [name, budgetNs] of budgetsNs) systems.push(missing(name, budgetNs));
  return systems;
}

function profile(timer: SystemTimer, budgetNs: number | undefined): SystemProfile {
  const { id, name, window, runs, warns, errors } = timer;
  const { meanMs, p50Ms, p95Ms, p99Ms, lastMs, count } = profileTimes(window);
  return {
    id,
    name,
    budgetMs: budgetNs === undefined ? null : budgetNs / 1e6,
    p50Ms,
    p95Ms,
    p99Ms,
    lastMs,
    meanMs,
    runs,
    warns,
    errors,
    windowSamples: count,
    verdict: judge(window, window.percentile(99), budgetNs),
  };
}

/** The row of a budget whose system does not exist. */
function missing(name: string, budgetNs: number): SystemProfile {
  const none = Number.NaN;
  return {
    id: 0,
    name,
    budgetMs: budgetNs / 1e6,
    p50Ms: none,
    p95Ms: none,
    p99Ms: none,
    lastMs: none,
    meanMs: none,
    runs: 0,
    warns: 0,
    errors: 0,
    windowSamples: 0,
    verdict: 'NO_ENTRY',
  };
}

function judge(ring: SampleRing, measuredNs: number, budgetNs: number | undefined): Verdict {
  if (budgetNs === undefined) return 'NO_BUDGET';
  if (ring.count === 0) return 'NO_SAMPLES';
  // Not "measured > budget": a budget of NaN has to fail.
  return measuredNs <= budgetNs ? 'PASS' : 'FAIL';
}

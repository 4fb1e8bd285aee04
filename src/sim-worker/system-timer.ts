import { assert } from '../shared/assert.ts';
import type { SubsystemLog } from '../shared/log.ts';
import { SampleRing } from '../shared/sample-ring.ts';

/**
 * How far a run went over its system's budget. A value is also the number of events it makes: a
 * critical run is an overrun first.
 */
export const OVERRUN = { none: 0, warn: 1, critical: 2 } as const;

/** A value of {@link OVERRUN}. */
export type Overrun = (typeof OVERRUN)[keyof typeof OVERRUN];

/** Runs a system's window holds. */
const WINDOW_RUNS = 64;

/** A run of this many budgets is critical. */
const CRITICAL_BUDGETS = 3;

/**
 * Returns a budget in whole nanoseconds, at least 1, since times are whole ones: 1.001 ms must not
 * come out a hair below 1001000. NaN for a budget that is not above 0.
 */
export function budgetNsOf(budgetMs: number): number {
  return budgetMs > 0 ? Math.max(1, Math.round(budgetMs * 1e6)) : Number.NaN;
}

/**
 * Measures one system against its budget. The window rolls over ticks and frames; the counters
 * count every run, also one whose event the log holds back.
 */
export class SystemTimer {
  /** 1 for the system declared first. */
  readonly id: number;
  readonly name: string;
  /** Nanoseconds a run may take; undefined for any. */
  readonly budgetNs: number | undefined;
  readonly window: SampleRing = new SampleRing(WINDOW_RUNS);
  /** Runs recorded. */
  runs = 0;
  /** Runs over budget. */
  warns = 0;
  /** Runs of three budgets or more; counted as warnings too. */
  errors = 0;
  readonly #budgetNs: number;
  readonly #criticalNs: number;

  /** Makes a timer without runs. Asserts that the budget, if any, is above 0 nanoseconds. */
  constructor(id: number, name: string, budgetNs?: number) {
    assert(budgetNs === undefined || budgetNs > 0, 'a budget is above 0 nanoseconds');
    this.id = id;
    this.name = name;
    this.budgetNs = budgetNs;
    this.#budgetNs = budgetNs ?? Number.POSITIVE_INFINITY;
    this.#criticalNs = CRITICAL_BUDGETS * this.#budgetNs;
  }

  /** Nanoseconds of the last run that was held to the budget. */
  judgedNs = 0;

  /** Nanoseconds of the last run; NaN before the first. */
  get lastNs(): number {
    return this.window.last;
  }

  /** Takes a run of whole nanoseconds in and returns how far it went over: equal is not over. */
  record(ns: number): Overrun {
    this.runs += 1;
    this.window.record(ns);
    return this.judge(ns);
  }

  /** Holds a run to the budget without taking it in: the counts go on, the window does not. */
  judge(ns: number): Overrun {
    this.judgedNs = ns;
    if (ns <= this.#budgetNs) return OVERRUN.none;
    this.warns += 1;
    if (ns < this.#criticalNs) return OVERRUN.warn;
    this.errors += 1;
    return OVERRUN.critical;
  }
}

/**
 * Logs what {@link SystemTimer.record} returned: nothing, the warning `budget_overrun`, or that and
 * then the error `budget_critical`. `log` is that of the subsystem `system`; it limits the rate.
 */
export function reportOverrun(log: SubsystemLog, timer: SystemTimer, overrun: Overrun): void {
  if (overrun === OVERRUN.none) return;
  // Where nobody listens, an overrun must not leave garbage in a tick that is late already.
  if (log.isEnabled(overrun === OVERRUN.critical ? 'error' : 'warn')) tell(log, timer, overrun);
}

/** Apart, since a function that makes a closure allocates as soon as it is entered. */
function tell(log: SubsystemLog, timer: SystemTimer, overrun: Overrun): void {
  const fields = (): Record<string, string | number> => ({
    system: timer.name,
    id: timer.id,
    measured_ms: timer.judgedNs / 1e6,
    budget_ms: (timer.budgetNs ?? Number.NaN) / 1e6,
    p99_ms: timer.window.percentile(99) / 1e6,
    window_samples: timer.window.count,
  });
  log.warn('budget_overrun', 'A system took longer than its budget.', fields);
  if (overrun !== OVERRUN.critical) return;
  log.error('budget_critical', 'A system took three times its budget or longer.', fields);
}

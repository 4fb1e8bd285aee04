/**
 * How something measured stands to its budget. `FAIL` is over it, `NO_SAMPLES` has a budget and
 * nothing measured, `NO_ENTRY` is a budget for a system that does not exist: these three fail a
 * report. `NO_BUDGET` is held to nothing and fails nothing.
 */
export type Verdict = 'PASS' | 'FAIL' | 'NO_SAMPLES' | 'NO_ENTRY' | 'NO_BUDGET';

/**
 * Figures of one window of samples. Times in milliseconds; percentiles by nearest rank. NaN (null
 * in JSON) when the window is empty.
 */
export interface TimeProfile {
  /** Samples in the window. */
  readonly count: number;
  /** Samples ever taken. */
  readonly total: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly lastMs: number;
}

/** Describes the ticks that succeeded, the last 512 at most. */
export interface TickProfile extends TimeProfile {
  /** What the mean was held to; null if to nothing. */
  readonly meanBudgetMs: number | null;
  /** What the 99th percentile was held to; null if to nothing. */
  readonly p99BudgetMs: number | null;
  readonly verdict: Verdict;
}

/** Describes the frames of the loop without their sleep, the last 256 at most. */
export interface FrameProfile extends TimeProfile {
  /** Runs of the last frame that allocated; NaN before the first, and where nothing is watched. */
  readonly simAllocsLast: number;
  /** Runs that allocated in all frames recorded and watched. */
  readonly simAllocsTotal: number;
  /** `FAIL` if one of the frame records fails, `NO_SAMPLES` if there are none. */
  readonly verdict: Verdict;
}

/** Describes one frame of the loop. */
export interface FrameRecord {
  /** The tick that stood at the end of the frame. */
  readonly tick: number;
  /** Ticks made in it. */
  readonly ticks: number;
  readonly ms: number;
  /** Runs in it that allocated; NaN where nothing is watched, as outside development. */
  readonly simAllocs: number;
  readonly simAllocBytes: number;
  /** Budget events of systems in it: a run of three budgets or more counts two. */
  readonly overruns: number;
  /** `FAIL` if the simulation allocated or a system ran over its budget, else `PASS`. */
  readonly verdict: Verdict;
}

/** Describes one system by its last 64 runs. Times in milliseconds; NaN before the first run. */
export interface SystemProfile {
  /** 1 for the system declared first; 0 for a budget whose system does not exist. */
  readonly id: number;
  readonly name: string;
  /** What the 99th percentile is held to; null if to nothing. */
  readonly budgetMs: number | null;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly lastMs: number;
  readonly meanMs: number;
  /** Runs ever measured. */
  readonly runs: number;
  /** Runs over the declared budget, counted also when the log held the event back. */
  readonly warns: number;
  /** Runs of three declared budgets or more; each is counted as a warning too. */
  readonly errors: number;
  /** Runs in the window. */
  readonly windowSamples: number;
  readonly verdict: Verdict;
}

/** What the profiler of a simulation knows: plain data, to be posted or written as JSON. */
export interface ProfileReport {
  /** Whether the profiler was measuring when the report was made. */
  readonly enabled: boolean;
  readonly ticks: TickProfile;
  readonly frames: FrameProfile;
  /** By id; behind them the budgets whose systems do not exist. */
  readonly systems: readonly SystemProfile[];
  /** The last 32 frames at most, the oldest first. */
  readonly frameRecords: readonly FrameRecord[];
  /** `PASS` if nothing in the report fails, else `FAIL`. */
  readonly verdict: Verdict;
}

/** Gives one system its budget for a report. */
export interface SystemBudget {
  readonly name: string;
  /** Milliseconds above 0. One that is not fails the system. */
  readonly budgetMs: number;
}

/** What a report holds the measured times to. */
export interface ReportBudgets {
  /**
   * Takes the place of all declared budgets: a system that is not listed has none. Of several
   * entries with one name the lowest counts.
   */
  readonly systems?: readonly SystemBudget[] | undefined;
  /** Milliseconds that the mean tick may take. Default: any. */
  readonly tickMeanMs?: number | undefined;
  /** Milliseconds that the 99th percentile of the ticks may take. Default: any. */
  readonly tickP99Ms?: number | undefined;
}

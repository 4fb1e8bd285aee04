import { EscapementError } from '../shared/error.ts';
import type { RegionHandle, SimulationHandle } from '../shared/handle.ts';
import type { RegionOptions } from '../shared/layout.ts';
import type { LogLevel, LogSink } from '../shared/log.ts';
import type { Tier } from '../shared/protocol.ts';
import type { RunOptions } from '../shared/run-options.ts';
import { checkHandle } from '../shared/run-watch.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { RecordOptions } from '../shared/replay/record-options.ts';

/** Options of `startSimulation`. */
export interface StartOptions<T extends SimulationTypes = SimulationTypes> extends RunOptions<T> {
  /** How ticks reach readers. Default `auto`: the best one that works here. */
  readonly tier?: Tier | 'auto';
  /** Views that can hold a frame at once. Default 4. Each costs three slots of memory. */
  readonly maxViews?: number;
  /** Threads beside the host's that can control the clock at once. Default 4. */
  readonly maxControls?: number;
  /** Followers that can be attached at once, on all threads together. Default 16. */
  readonly maxFollowers?: number;
  /**
   * What advances the clock: `clock`, the simulation's own thread by the readings of its clock, or
   * `host`, nothing but the advances that some thread commands. Default `clock`.
   */
  readonly drivenBy?: 'clock' | 'host';
  /**
   * A simulation whose clock this one follows, as its `share()` returned it: a tick runs each time
   * that clock completes so many quanta as a tick takes, and ticks are numbered by it. Its own
   * clock takes no commands then, and `drivenBy`, `speed` and `mode` mean nothing.
   */
  readonly follow?: SimulationHandle;
  /** Ticks one advance may run; the rest is dropped and counted. Default 8. */
  readonly maxTicksPerAdvance?: number;
  /** Whether a speed above 1 raises that cap. Default false. */
  readonly capScalesWithRate?: boolean;
  /**
   * Checks each run of a system for what only development can afford: components used without being
   * declared, platform calls that make runs differ, allocations run after run. Default false.
   */
  readonly development?: boolean;
  /** Whether the profiler measures from the start. Default true; see `profile` of the handle. */
  readonly profile?: boolean;
  /** Least level of log lines the worker sends. Default `info`. */
  readonly logLevel?: LogLevel;
  /** Where log lines go. Default: the console, from `warn` on. */
  readonly logSink?: LogSink;
  /** Milliseconds until a start that shows no progress is given up. Default 10,000. */
  readonly startTimeoutMs?: number;
  /** Whether a running simulation lets a Node process end. Default false. */
  readonly unref?: boolean;
  /** Records the first run from its first tick on, as `record` of the handle does. */
  readonly record?: RecordOptions;
  /** 32-bit words of the input ring, a power of two. Default 16,384. */
  readonly inputWords?: number;
  /** 32-bit words of the event ring, a power of two. Default 16,384. */
  readonly eventWords?: number;
}

/** Options with every default filled in. */
export interface ResolvedOptions {
  readonly tier: Tier | 'auto';
  readonly maxTicksPerAdvance: number;
  readonly capScalesWithRate: boolean;
  readonly hostDriven: boolean;
  readonly follow: RegionHandle | undefined;
  readonly development: boolean;
  readonly profile: boolean;
  readonly logLevel: LogLevel;
  readonly logSink: LogSink | undefined;
  readonly startTimeoutMs: number;
  readonly unref: boolean;
  readonly record: RecordOptions | undefined;
  readonly region: RegionOptions;
}

const TIERS: readonly string[] = ['auto', 'shared', 'transfer', 'calling-thread'];
const VIEWS_MAX = 64;
const TRACE_WORDS_MIN = 16_384;
const CONTROLS_MAX = 64;
const FOLLOWERS_MAX = 1024;

/** Fills in and checks what lasts for a simulation's life. */
export function resolveOptions(options: StartOptions): ResolvedOptions {
  const tier = options.tier ?? 'auto';
  if (!TIERS.includes(tier)) throw invalid('tier', tier, TIERS.join(', '));
  const maxViews = options.maxViews ?? 4;
  checkInteger('maxViews', maxViews, 1, VIEWS_MAX);
  const { maxControls = 4, maxFollowers = 16, drivenBy = 'clock' } = options;
  checkInteger('maxControls', maxControls, 0, CONTROLS_MAX);
  checkInteger('maxFollowers', maxFollowers, 0, FOLLOWERS_MAX);
  if (drivenBy !== 'clock' && drivenBy !== 'host')
    throw invalid('drivenBy', drivenBy, 'clock, host');
  const maxTicksPerAdvance = options.maxTicksPerAdvance ?? 8;
  checkInteger('maxTicksPerAdvance', maxTicksPerAdvance, 1, 1_000_000);
  const startTimeoutMs = options.startTimeoutMs ?? 10_000;
  if (!(startTimeoutMs > 0))
    throw invalid('startTimeoutMs', startTimeoutMs, 'milliseconds above 0');
  const ring = (name: 'inputWords' | 'eventWords'): number => {
    const words = options[name] ?? 16_384;
    checkInteger(name, words, 64, 2 ** 24);
    if ((words & (words - 1)) !== 0) throw invalid(name, words, 'a power of two');
    return words;
  };
  const inputWords = ring('inputWords');
  return Object.freeze({
    tier,
    maxTicksPerAdvance,
    capScalesWithRate: options.capScalesWithRate ?? false,
    hostDriven: drivenBy === 'host',
    follow: options.follow === undefined ? undefined : checkHandle(options.follow),
    development: options.development ?? false,
    profile: options.profile ?? true,
    logLevel: options.logLevel ?? 'info',
    logSink: options.logSink,
    startTimeoutMs,
    unref: options.unref ?? false,
    record: options.record,
    region: {
      // One more for the host itself, which reads figures and ticks without a view.
      readers: maxViews + 1,
      controllers: maxControls + 1,
      followers: maxFollowers,
      commandWords: 1024,
      inputWords,
      eventWords: ring('eventWords'),
      logWords: 16_384,
      // Whatever an input ring carries is recorded with a few words more.
      traceWords: Math.max(TRACE_WORDS_MIN, 2 * inputWords),
    },
  });
}

function checkInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw invalid(name, value, `an integer from ${least} to ${most}`);
}

function invalid(name: string, given: unknown, allowed: string): EscapementError {
  return new EscapementError('OPTION_INVALID', `\`${name}\` is not possible.`, {
    given: String(given),
    allowed,
  });
}

import { EscapementError } from '../shared/error.ts';
import type { RegionOptions } from '../shared/layout.ts';
import type { LogLevel, LogSink } from '../shared/log.ts';
import type { Tier } from '../shared/protocol.ts';
import { quantumOf } from '../shared/rational.ts';
import type { ParamValue, Schema } from '../shared/schema.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';

/** What may differ from one run of a simulation to the next. */
export interface RunOptions<T extends SimulationTypes = SimulationTypes> {
  /** Parameters in place of the declared ones; those not named keep their value. */
  readonly params?: Partial<T['params']>;
  /** Ticks per second in place of the declared quantum. */
  readonly tickRateHz?: number;
  /**
   * Seed of the generator: an integer from 0 to 2^53 - 1. Part of the run's identity. Default 0.
   */
  readonly seed?: number;
  /** World seconds per wall second at start. Default 1. */
  readonly speed?: number;
  /** Start paused at tick 0. Default false. */
  readonly paused?: boolean;
}

/** Options of `startSimulation`. */
export interface StartOptions<T extends SimulationTypes = SimulationTypes> extends RunOptions<T> {
  /** How ticks reach readers. Default `auto`: the best one that works here. */
  readonly tier?: Tier | 'auto';
  /** Views that can hold a frame at once. Default 4. Each costs three slots of memory. */
  readonly maxViews?: number;
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
  readonly development: boolean;
  readonly profile: boolean;
  readonly logLevel: LogLevel;
  readonly logSink: LogSink | undefined;
  readonly startTimeoutMs: number;
  readonly unref: boolean;
  readonly region: RegionOptions;
}

/** A run's own values with every default filled in. */
export interface ResolvedRun {
  readonly quantum: Schema['quantum'];
  readonly params: Readonly<Record<string, ParamValue>>;
  readonly seed: readonly [high: number, low: number];
  readonly speed: number;
  readonly paused: boolean;
}

const TIERS: readonly string[] = ['auto', 'shared', 'transfer', 'calling-thread'];
const VIEWS_MAX = 64;

/** Fills in and checks what lasts for a simulation's life. */
export function resolveOptions(options: StartOptions): ResolvedOptions {
  const tier = options.tier ?? 'auto';
  if (!TIERS.includes(tier)) throw invalid('tier', tier, TIERS.join(', '));
  const maxViews = options.maxViews ?? 4;
  checkInteger('maxViews', maxViews, 1, VIEWS_MAX);
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
  return Object.freeze({
    tier,
    maxTicksPerAdvance,
    capScalesWithRate: options.capScalesWithRate ?? false,
    development: options.development ?? false,
    profile: options.profile ?? true,
    logLevel: options.logLevel ?? 'info',
    logSink: options.logSink,
    startTimeoutMs,
    unref: options.unref ?? false,
    region: {
      // One more for the host itself, which reads figures and ticks without a view.
      readers: maxViews + 1,
      commandWords: 1024,
      inputWords: ring('inputWords'),
      eventWords: ring('eventWords'),
      logWords: 16_384,
    },
  });
}

/** Fills in and checks what makes one run, over what the schema declares. */
export function resolveRun(options: RunOptions, schema: Schema): ResolvedRun {
  const params: Record<string, ParamValue> = { ...schema.params };
  for (const [name, value] of Object.entries(options.params ?? {})) {
    const declared = schema.params[name];
    if (declared === undefined) {
      const names = Object.keys(schema.params).join(', ') || 'none is declared';
      throw new EscapementError('NAME_UNKNOWN', 'There is no such parameter.', {
        given: JSON.stringify(name),
        allowed: names,
      });
    }
    if (typeof value !== typeof declared || Number.isNaN(value)) {
      throw invalid(`params.${name}`, value, `a ${typeof declared}`);
    }
    params[name] = value as ParamValue;
  }
  const { tickRateHz, seed = 0, speed = 1, paused = false } = options;
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw invalid('seed', seed, 'an integer from 0 to 2^53 - 1');
  }
  if (!(speed >= 0 && Number.isFinite(speed))) throw invalid('speed', speed, '0 or more');
  return {
    quantum: tickRateHz === undefined ? schema.quantum : quantumOf({ tickRateHz }),
    params,
    seed: [Math.floor(seed / 2 ** 32), seed >>> 0],
    speed,
    paused,
  };
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

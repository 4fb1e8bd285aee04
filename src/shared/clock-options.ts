import { EscapementError } from './error.ts';
import { checkQuantum, type Rational } from './rational.ts';
import { effectiveRate, resolveSpeed, SPEED_MAX } from './speed.ts';

/** What makes quanta run: readings or deltas (`live`), or only counted steps. */
export type ClockMode = 'live' | 'paused' | 'stepping';

/** Options of a world clock. */
export interface ClockOptions {
  /** Seconds of one quantum, 1/1000 to 10; see {@link checkQuantum}. */
  readonly quantum: Rational;
  /** World seconds a wall second; 1 by default. See {@link resolveSpeed}. */
  readonly speed?: number | undefined;
  /** Quanta that one advance runs at most; 8 by default. The rest is dropped and counted. */
  readonly maxTicksPerAdvance?: number | undefined;
  /** Whether the cap is multiplied by ceil(speed) for speeds above 1. False by default. */
  readonly capScalesWithRate?: boolean | undefined;
  /** `live` by default. */
  readonly mode?: ClockMode | undefined;
}

/** Options of a world clock, checked and complete. */
export interface ResolvedClockOptions {
  readonly quantum: Rational;
  readonly speed: Rational;
  /** Ticks a wall second at that speed; at speed 0 those of real time, which no reader sees. */
  readonly rate: Rational;
  readonly maxTicksPerAdvance: number;
  readonly capScalesWithRate: boolean;
  readonly mode: ClockMode;
}

/** Quanta that one advance runs at most, unless an option says otherwise. */
const MAX_TICKS_PER_ADVANCE = 8;

/** The longest delta that can be given at once, in seconds: some 31 years. */
const DELTA_MAX_S = 1e9;

const REAL_TIME: Rational = Object.freeze({ numerator: 1, denominator: 1 });
const CAP_MAX = 2 ** 31 - 1;
const MODES: readonly string[] = ['live', 'paused', 'stepping'] satisfies ClockMode[];

/** Checks a clock's options and fills in the defaults. Throws OPTION_INVALID. */
export function resolveClockOptions(options: ClockOptions): ResolvedClockOptions {
  const { speed = 1, mode = 'live', capScalesWithRate = false } = options;
  const quantum = checkQuantum(options.quantum);
  const resolvedSpeed = resolveSpeed(speed, quantum);
  if (resolvedSpeed === undefined) {
    throw new EscapementError('OPTION_INVALID', '`speed` is out of range.', {
      given: String(speed),
      allowed: `0 to ${SPEED_MAX} world seconds a wall second, up to 400000 quanta a second`,
      fix: 'Use 1 for real time, 0 to stand still.',
    });
  }
  return Object.freeze({
    quantum,
    speed: resolvedSpeed,
    rate: effectiveRate(quantum, resolvedSpeed.numerator > 0 ? resolvedSpeed : REAL_TIME),
    maxTicksPerAdvance: checkCap(options.maxTicksPerAdvance ?? MAX_TICKS_PER_ADVANCE),
    capScalesWithRate,
    mode: checkMode(mode),
  });
}

/** Returns `mode` if it is one, else throws OPTION_INVALID. */
export function checkMode(mode: ClockMode): ClockMode {
  if (MODES.includes(mode)) return mode;
  throw new EscapementError('OPTION_INVALID', 'That is no clock mode.', {
    given: String(mode),
    allowed: MODES.join(', '),
    fix: 'Use `live` to follow the clock.',
  });
}

/** Returns `cap` if it can bound an advance, else throws OPTION_INVALID. */
export function checkCap(cap: number): number {
  if (Number.isInteger(cap) && cap >= 1 && cap <= CAP_MAX) return cap;
  throw new EscapementError('OPTION_INVALID', '`maxTicksPerAdvance` is out of range.', {
    given: String(cap),
    allowed: `an integer from 1 to ${CAP_MAX}`,
    fix: 'Leave it out for 8.',
  });
}

/** Throws VALUE_INVALID unless a clock can advance by `wallSeconds`: finite, 0 to 10^9. */
export function checkDelta(wallSeconds: number): void {
  if (wallSeconds >= 0 && wallSeconds <= DELTA_MAX_S) return;
  throw new EscapementError('VALUE_INVALID', 'A clock cannot be advanced by that wall time.', {
    given: String(wallSeconds),
    allowed: `seconds from 0 to ${DELTA_MAX_S}`,
    fix: 'Give the seconds since the last frame, such as 1 / 60.',
  });
}

/** Throws VALUE_INVALID unless `count` ticks can be run: a safe integer of at least 0. */
export function checkTickCount(count: number): void {
  if (Number.isSafeInteger(count) && count >= 0) return;
  throw new EscapementError('VALUE_INVALID', 'That many ticks cannot be run.', {
    given: String(count),
    allowed: 'an integer of at least 0',
    fix: 'Count whole quanta.',
  });
}

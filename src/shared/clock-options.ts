import { EscapementError } from './error.ts';
import { checkQuantum, type Rational } from './rational.ts';
import { MODE_CODES } from './record.ts';
import { effectiveRate, resolveSpeed, SPEED_MAX } from './speed.ts';

/**
 * What makes quanta run. `live`: wall time, by readings or deltas. `lockstep`: each advance by a
 * delta, however long, runs a fixed number. `paused`, `stepping`: only what is counted out.
 * `replay`: that too, but a replay seeks.
 */
export type ClockMode = 'live' | 'paused' | 'stepping' | 'lockstep' | 'replay';

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
  /** Quanta that each advance runs in mode `lockstep`, an integer of at least 1; 1 by default. */
  readonly lockstepSteps?: number | undefined;
  /** `live` by default. */
  readonly mode?: ClockMode | undefined;
}

/** What a world clock is set to: its options, checked and complete. Each clock changes its own. */
export interface ClockSettings {
  readonly quantum: Rational;
  speed: Rational;
  /** Ticks a wall second; at speed 0 those of the speed before, at first those of real time. */
  rate: Rational;
  maxTicksPerAdvance: number;
  capScalesWithRate: boolean;
  lockstepSteps: number;
  mode: ClockMode;
}

/** Quanta that one advance runs at most, unless an option says otherwise. */
const MAX_TICKS_PER_ADVANCE = 8;

/** The longest delta that can be given at once, in seconds: some 31 years. */
export const DELTA_MAX_S = 1e9;

const REAL_TIME: Rational = Object.freeze({ numerator: 1, denominator: 1 });
const COUNT_MAX = 2 ** 31 - 1;
const MODES: readonly string[] = MODE_CODES satisfies readonly ClockMode[];

/** Checks a clock's options and fills in the defaults. Throws OPTION_INVALID. */
export function resolveClockOptions(options: ClockOptions): ClockSettings {
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
  return {
    quantum,
    speed: resolvedSpeed,
    rate: effectiveRate(quantum, resolvedSpeed.numerator > 0 ? resolvedSpeed : REAL_TIME),
    maxTicksPerAdvance: checkCap(options.maxTicksPerAdvance ?? MAX_TICKS_PER_ADVANCE),
    capScalesWithRate,
    lockstepSteps: checkLockstepSteps(options.lockstepSteps ?? 1),
    mode: checkMode(mode),
  };
}

/** Returns the settings with what is given changed. Changes nothing; throws OPTION_INVALID. */
export function changeClockOptions(
  settings: Readonly<ClockSettings>,
  options: Partial<ClockOptions>,
): ClockSettings {
  const { speed } = settings;
  return resolveClockOptions({
    quantum: options.quantum ?? settings.quantum,
    speed: options.speed ?? speed.numerator / speed.denominator,
    maxTicksPerAdvance: options.maxTicksPerAdvance ?? settings.maxTicksPerAdvance,
    capScalesWithRate: options.capScalesWithRate ?? settings.capScalesWithRate,
    lockstepSteps: options.lockstepSteps ?? settings.lockstepSteps,
    mode: options.mode ?? settings.mode,
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
  return checkCount('maxTicksPerAdvance', cap, 8);
}

/** Returns `steps` if an advance in lockstep can run so many, else throws OPTION_INVALID. */
export function checkLockstepSteps(steps: number): number {
  return checkCount('lockstepSteps', steps, 1);
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

/** Throws VALUE_INVALID unless `tick` is a tick that a clock can stand at, up to `most`. */
export function checkTick(tick: number, most: number = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(tick) && tick >= 0 && tick <= most) return;
  throw new EscapementError('VALUE_INVALID', 'That is no tick.', {
    given: String(tick),
    allowed: `an integer from 0 to ${most === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : most}`,
    fix: 'Give a tick that the clock has shown, or 0.',
  });
}

function checkCount(name: string, count: number, fallback: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= COUNT_MAX) return count;
  throw new EscapementError('OPTION_INVALID', `\`${name}\` is out of range.`, {
    given: String(count),
    allowed: `an integer from 1 to ${COUNT_MAX}`,
    fix: `Leave it out for ${fallback}.`,
  });
}

import { nearestRational } from './rational.ts';
import { SPEED_DENOMINATOR_MAX, SPEED_MAX } from './speed.ts';
import type { StateValue } from './state-tree.ts';

/**
 * What values of control keys mean. Undefined is unreadable: it changes nothing, and nobody throws.
 */

/** The modes that a key names; a pause is a key of its own. */
export type KeyMode = 'live' | 'lockstep' | 'stepping' | 'replay';

/** The most steps that a clock takes for its lockstep. */
const STEPS_MAX = 2 ** 31 - 1;

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reads a finite number, or a string that writes one in decimal. */
function readNumber(value: StateValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !NUMBER.test(value.trim())) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Reads a whole number, exact. */
export function readWhole(value: StateValue): number | undefined {
  const number = readNumber(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Reads true or false, written so or as 1 or 0. */
export function readFlag(value: StateValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = String(value).trim();
  if (word === '1' || word === 'true') return true;
  return word === '0' || word === 'false' ? false : undefined;
}

/** Reads a mode; `paused` is none: that is another key. */
export function readKeyMode(value: StateValue): KeyMode | undefined {
  switch (value) {
    case 'live':
    case 'lockstep':
    case 'stepping':
    case 'replay':
      return value;
    default:
      return undefined;
  }
}

/** Reads a speed from 0 to 1000, as a clock will show it: the nearest fraction it can keep. */
export function readSpeed(value: StateValue): number | undefined {
  const number = readNumber(value);
  if (number === undefined || number < 0 || number > SPEED_MAX) return undefined;
  const { numerator, denominator } = nearestRational(number, SPEED_DENOMINATOR_MAX);
  return numerator / denominator;
}

/** Reads how many quanta an advance in lockstep runs, 1 to 2^31 - 1. */
export function readSteps(value: StateValue): number | undefined {
  const steps = readWhole(value);
  return steps === undefined || steps < 1 || steps > STEPS_MAX ? undefined : steps;
}

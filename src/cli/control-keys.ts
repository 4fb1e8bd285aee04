import type { ClockControl, ClockStatus } from '../shared/clock-control.ts';
import type { ClockMode } from '../shared/clock-options.ts';
import { STEP_TICKS_MAX } from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import { SPEED_MAX } from '../shared/speed.ts';
import { refusal } from './field-reader.ts';

/** Every key, controls first. */
export const KEYS = [
  'sim.speed',
  'sim.paused',
  'sim.mode',
  'sim.lockstep_steps',
  'sim.step',
  'sim.time',
  'sim.tick',
  'sim.fixed_dt',
  'sim.realized_speed',
  'sim.dropped',
] as const;

/** Keys that can be set. */
const CONTROLS: readonly string[] = KEYS.slice(0, 5);

export type Key = (typeof KEYS)[number];
export type KeyValue = number | boolean | string;

/** Modes that a key can name; a pause is a key of its own. */
const KEY_MODES = ['live', 'lockstep', 'stepping', 'replay'] as const;
type KeyMode = (typeof KEY_MODES)[number];

const STEPS_MAX = 2 ** 31 - 1;

/** Control values, checked. */
interface Controls {
  speed?: number;
  paused?: boolean;
  mode?: KeyMode;
  lockstepSteps?: number;
  step?: number;
}

/**
 * The state tree's keys as verbs on a clock. A pause wins over live and lockstep, and the mode
 * beneath it is kept; `sim.step` counts requested quanta: an increment runs so many, a decrease
 * runs none. Changes are carried out one after the other.
 */
export class ControlKeys {
  readonly #clock: ClockControl;
  #mode: KeyMode = 'live';
  #paused = false;
  #step = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: ClockControl) {
    this.#clock = clock;
  }

  /** Reads keys from one status of the clock. A number that does not exist yet is NaN. */
  read(keys: readonly Key[]): Record<string, KeyValue> {
    const status = this.#observe();
    return Object.fromEntries(keys.map((key) => [key, this.#valueOf(key, status)]));
  }

  /**
   * Sets controls, all or, when one of the values is refused, none. Resolves once they are in
   * force. Rejects with NAME_UNKNOWN, COMMAND_REFUSED or VALUE_INVALID.
   */
  async write(values: Readonly<Record<string, unknown>>): Promise<void> {
    const controls = checkControls(values);
    const done = this.#last.then(() => this.#apply(controls));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #apply(controls: Controls): Promise<void> {
    const clock = this.#clock;
    const added = (controls.step ?? this.#step) - this.#step;
    if (added > STEP_TICKS_MAX) {
      throw refusal('sim.step', controls.step, `at most ${STEP_TICKS_MAX} above ${this.#step}`);
    }
    if (controls.speed !== undefined) await clock.setSpeed(controls.speed);
    if (controls.lockstepSteps !== undefined) await clock.setLockstepSteps(controls.lockstepSteps);
    if (controls.mode !== undefined || controls.paused !== undefined) await this.#enter(controls);
    if (controls.step === undefined) return;
    this.#step = controls.step;
    if (added > 0) await clock.advanceTicks(added);
  }

  async #enter(controls: Controls): Promise<void> {
    const present = this.#observe().mode;
    const mode = controls.mode ?? this.#mode;
    const paused = controls.paused ?? this.#paused;
    const wanted: ClockMode = paused && (mode === 'live' || mode === 'lockstep') ? 'paused' : mode;
    if (wanted !== present) {
      if (wanted === 'paused') await this.#clock.pause();
      else if (wanted === 'live' && present === 'paused') await this.#clock.resume();
      else await this.#clock.setMode(wanted);
    }
    this.#mode = mode;
    this.#paused = paused;
  }

  /** Takes in what others did to the clock. */
  #observe(): ClockStatus {
    const status = this.#clock.status();
    const { mode } = status;
    if (mode === 'paused') this.#paused = true;
    else {
      this.#mode = mode;
      if (mode === 'live' || mode === 'lockstep') this.#paused = false;
    }
    return status;
  }

  #valueOf(key: Key, status: ClockStatus): KeyValue {
    switch (key) {
      case 'sim.speed':
        return status.speed;
      case 'sim.paused':
        return this.#paused;
      case 'sim.mode':
        return this.#mode;
      case 'sim.lockstep_steps':
        return status.lockstepSteps;
      case 'sim.step':
        return this.#step;
      case 'sim.time':
        return status.time;
      case 'sim.tick':
        return status.tick;
      case 'sim.fixed_dt':
        return status.fixedDt;
      case 'sim.realized_speed':
        return status.realizedSpeed;
      case 'sim.dropped':
        return status.dropped;
    }
  }
}

function checkControls(values: Readonly<Record<string, unknown>>): Controls {
  const controls: Controls = {};
  for (const [key, value] of Object.entries(values)) {
    switch (key) {
      case 'sim.speed':
        controls.speed = number(key, value, SPEED_MAX);
        break;
      case 'sim.paused':
        controls.paused = flag(key, value);
        break;
      case 'sim.mode':
        controls.mode = keyMode(key, value);
        break;
      case 'sim.lockstep_steps':
        controls.lockstepSteps = integer(key, value, 1, STEPS_MAX);
        break;
      case 'sim.step':
        controls.step = integer(key, value, 0, Number.MAX_SAFE_INTEGER);
        break;
      default:
        throw notSettable(key);
    }
  }
  return controls;
}

function number(key: string, value: unknown, most: number): number {
  if (typeof value === 'number' && value >= 0 && value <= most) return value;
  throw refusal(key, value, `a number from 0 to ${most}`);
}

function integer(key: string, value: unknown, least: number, most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) {
    return value as number;
  }
  throw refusal(key, value, `an integer from ${least} to ${most}`);
}

function flag(key: string, value: unknown): boolean {
  if (value === true || value === 1 || value === 'true') return true;
  if (value === false || value === 0 || value === 'false') return false;
  throw refusal(key, value, 'true or false');
}

function keyMode(key: string, value: unknown): KeyMode {
  const mode = KEY_MODES.find((known) => known === value);
  if (mode !== undefined) return mode;
  throw refusal(key, value, `${KEY_MODES.join(', ')}; for a pause set sim.paused`);
}

function notSettable(key: string): EscapementError {
  const isTelemetry = (KEYS as readonly string[]).includes(key);
  const headline = isTelemetry ? 'That key can only be read.' : 'There is no such key.';
  return new EscapementError(isTelemetry ? 'COMMAND_REFUSED' : 'NAME_UNKNOWN', headline, {
    given: key.slice(0, 80),
    allowed: CONTROLS.join(', '),
    fix: 'Set a control; to change the tick, use the verb seek.',
  });
}

import type { ClockControl } from '../shared/clock-control.ts';
import { ClockKeys } from '../shared/clock-keys.ts';
import { STEP_TICKS_MAX } from '../shared/command.ts';
import { ControlBinding } from '../shared/control-binding.ts';
import { readFlag, readKeyMode, readSpeed } from '../shared/control-value.ts';
import { EscapementError } from '../shared/error.ts';
import { quantumOf } from '../shared/rational.ts';
import { resolveSpeed, SPEED_MAX } from '../shared/speed.ts';
import { createStateTree, type StateTree, type StateValue } from '../shared/state-tree.ts';
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
export type KeyValue = StateValue;

/**
 * The state tree of a clock as a connection sees it: by the rules of `ControlBinding`, except that
 * a value which cannot be is refused and nothing of its request set. Requests are carried out one
 * after the other.
 */
export class ControlKeys {
  readonly #clock: ClockControl;
  readonly #tree: StateTree = createStateTree();
  readonly #binding: ControlBinding;
  /** What the clock refused in the present request. */
  #refused: unknown;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: ClockControl) {
    this.#clock = clock;
    this.#binding = new ControlBinding(this.#tree, clock, ClockKeys.under('sim'), {
      onError: (error) => {
        this.#refused ??= error;
      },
    });
  }

  /** Reads keys from one status of the clock. A number that does not exist yet is NaN. */
  read(keys: readonly Key[]): Record<string, KeyValue> {
    this.#binding.refresh();
    return Object.fromEntries(keys.map((key) => [key, this.#tree.get(key) ?? Number.NaN]));
  }

  /**
   * Sets controls, all or, when one of the values is refused, none. Resolves once they are in
   * force. Rejects with NAME_UNKNOWN, COMMAND_REFUSED or VALUE_INVALID.
   */
  async write(values: Readonly<Record<string, unknown>>): Promise<void> {
    const controls = Object.entries(values).map(([key, value]) => [key, this.#check(key, value)]);
    const done = this.#last.then(() => this.#apply(controls as [string, StateValue][]));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #apply(controls: readonly [string, StateValue][]): Promise<void> {
    // What others told the clock is taken in first: only then is a key that undoes it a change.
    this.#binding.refresh();
    const step = controls.find(([key]) => key === 'sim.step')?.[1];
    const before = Number(this.#tree.get('sim.step'));
    if (Number(step) - before > STEP_TICKS_MAX) {
      throw refusal('sim.step', step, `at most ${STEP_TICKS_MAX} above ${before}`);
    }
    for (const [key, value] of controls) this.#tree.set(key, value);
    this.#refused = undefined;
    await this.#binding.drive();
    if (this.#refused !== undefined) throw this.#refused;
  }

  /** Returns a control's value as the tree takes it, else throws. */
  #check(key: string, value: unknown): StateValue {
    switch (key) {
      case 'sim.speed':
        return this.#checkSpeed(key, value);
      case 'sim.paused':
        return taken(key, value, readFlag(value as StateValue), 'true or false');
      case 'sim.mode':
        return taken(key, value, readKeyMode(value as StateValue), MODES);
      case 'sim.lockstep_steps':
        return integer(key, value, 1, STEP_TICKS_MAX);
      case 'sim.step':
        return integer(key, value, 0, Number.MAX_SAFE_INTEGER);
      default:
        throw notSettable(key);
    }
  }

  #checkSpeed(key: string, value: unknown): number {
    const speed = typeof value === 'number' ? readSpeed(value) : undefined;
    const quantum = quantumOf({ fixedDt: this.#clock.status().fixedDt });
    const isKept = speed !== undefined && resolveSpeed(speed, quantum) !== undefined;
    const allowed = `a number from 0 to ${SPEED_MAX}, up to 400,000 quanta a second`;
    return taken(key, value, isKept ? speed : undefined, allowed);
  }
}

const MODES = 'live, lockstep, stepping, replay; for a pause set sim.paused';

function taken<T>(key: string, given: unknown, value: T | undefined, allowed: string): T {
  if (value !== undefined) return value;
  throw refusal(key, given, allowed);
}

function integer(key: string, value: unknown, least: number, most: number): number {
  const isOne = Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  return taken(
    key,
    value,
    isOne ? (value as number) : undefined,
    `an integer from ${least} to ${most}`,
  );
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

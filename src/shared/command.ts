import { EscapementError } from './error.ts';

/** Kinds of command records in a command ring. The first payload word is always the ticket. */
export const COMMAND = {
  /** Starts the clock: the first reading becomes the start reference. */
  begin: 1,
  /** Payload: the mode's code. */
  setMode: 2,
  /** Lets the clock go on, live. */
  resume: 3,
  /** Payload: how many quanta (u32). */
  step: 4,
  /** Payload: the speed as a double (two words). */
  setSpeed: 5,
  /** Ends the simulation after the present tick. */
  stop: 6,
  /** Payload: wall seconds as a double. */
  advance: 7,
  /** Payload: the tick as a double. */
  seek: 8,
  /** Payload: the cap, then 0 or 1 for whether it scales with the speed, 2 to leave that. */
  setCap: 9,
  /** Payload: quanta of each advance in lockstep. */
  setLockstepSteps: 10,
  /** Payload: {@link CONFIGURE_FIELDS} doubles; NaN leaves a setting as it is. */
  configure: 11,
} as const;

/** What a configure command carries, a double each, in this order. */
export const CONFIGURE_FIELDS = [
  'quantumNumerator',
  'quantumDenominator',
  'speed',
  'maxTicksPerAdvance',
  'capScalesWithRate',
  'lockstepSteps',
  'mode',
] as const;

/** What became of a command. */
export const COMMAND_RESULT = {
  done: 0,
  /** The value was refused; the old one stays. */
  refused: 1,
  /** The simulation had ended. */
  ended: 2,
  /** The simulation failed while it carried the command out. */
  failed: 3,
  /** The simulation follows the clock of another one. */
  follows: 4,
  /** The simulation is being recorded: its ticks must not jump. */
  recorded: 5,
  /** The simulation is replayed: what a tick stands for is recorded. */
  replayed: 6,
} as const;

/** The most quanta that one command may make run: no other is obeyed while they do. */
export const STEP_TICKS_MAX = 1_000_000;

/** Returns whether one command may make so many quanta run. */
export function isAdvanceLength(quanta: number): boolean {
  return Number.isInteger(quanta) && quanta >= 1 && quanta <= STEP_TICKS_MAX;
}

/** Throws OPTION_INVALID for what {@link isAdvanceLength} refuses, under the option's name. */
export function checkAdvanceLength(name: string, quanta: number): void {
  if (isAdvanceLength(quanta)) return;
  throw new EscapementError('OPTION_INVALID', `\`${name}\` is out of range.`, {
    given: String(quanta),
    allowed: `an integer from 1 to ${STEP_TICKS_MAX}`,
    fix: 'A simulation obeys nothing within an advance: make it shorter, and several.',
  });
}

/** The highest tick that a command may seek: all that one may make run behind it can be counted. */
export const SEEK_TICK_MAX: number = Number.MAX_SAFE_INTEGER - STEP_TICKS_MAX;

/** What a carried-out command came to. The last four are an advance's; else 0. */
export interface CommandOutcome {
  /** One of {@link COMMAND_RESULT}. */
  code: number;
  /** Quanta that ran: those after `firstTick`. */
  steps: number;
  firstTick: number;
  /** Quanta that the stall cap discarded. */
  dropped: number;
  /** The clock's alpha after the command. */
  alpha: number;
}

/** Makes the outcome of a command that ran nothing. */
export function createOutcome(code: number = COMMAND_RESULT.done): CommandOutcome {
  return { code, steps: 0, firstTick: 0, dropped: 0, alpha: 0 };
}

/** Kinds of command records in the command ring. The first payload word is always the ticket. */
export const COMMAND = {
  /** Starts the clock: the first reading becomes the start reference. */
  begin: 1,
  pause: 2,
  resume: 3,
  /** Payload: how many quanta (u32). */
  step: 4,
  /** Payload: the speed as a double (two words). */
  setSpeed: 5,
  /** Ends the simulation after the present tick. */
  stop: 6,
  /** Payload: 0 to leave the stepping mode, 1 to enter it. */
  stepping: 7,
} as const;

/** What became of a command. */
export const COMMAND_RESULT = {
  done: 0,
  /** The value was refused; the old one stays. */
  refused: 1,
  /** The simulation had ended. */
  ended: 2,
} as const;

/** The most quanta one step command may ask for. */
export const STEP_TICKS_MAX = 1_000_000;

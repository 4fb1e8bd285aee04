import type { ClockMode, ClockOptions } from './clock-options.ts';
import type { GivenQuantum } from './rational.ts';

/** What an advance came to. The quanta that ran are `firstTick` + 1 to `firstTick` + `steps`. */
export interface AdvanceResult {
  /** The last completed tick before the advance. */
  readonly firstTick: number;
  /** Quanta that ran. */
  readonly steps: number;
  /** Quanta that were due beyond the stall cap: discarded, and counted. */
  readonly dropped: number;
  /** The clock's alpha after the advance, in [0, 1]: the fraction of a quantum gone by since. */
  readonly alpha: number;
}

/** What `configure` can change; what is left out stays. */
export interface ClockConfig extends GivenQuantum, Omit<ClockOptions, 'quantum'> {}

/** What a clock shows to the keys of a state tree. */
export interface ClockReadout {
  /** The last completed tick. */
  readonly tick: number;
  /** World seconds: tick x quantum. */
  readonly time: number;
  readonly mode: ClockMode;
  /** World seconds asked for a wall second. */
  readonly speed: number;
  /** World seconds simulated a wall second; NaN before the first half second, 0 while paused. */
  readonly realizedSpeed: number;
  /** Quanta discarded by the stall cap since the last configure. */
  readonly dropped: number;
  /** Seconds of one quantum. */
  readonly fixedDt: number;
  /** Quanta of each advance in lockstep. */
  readonly lockstepSteps: number;
}

/** A clock as it was last published. */
export interface ClockStatus extends ClockReadout {
  /** Raised by each seek and each configure; ticks compare within one epoch. */
  readonly epoch: number;
  /** Alpha while the clock stands or advances by given deltas; 0 while it runs by readings. */
  readonly alpha: number;
  /** Whether it runs by the readings of its own thread. */
  readonly running: boolean;
}

/**
 * Controls a simulation's clock from any thread; each promise resolves once the effect is
 * published. Commands of one control are obeyed in their order, those of several in the order of
 * the controls' making, and none of them within an advance that is under way. What is refused
 * rejects with COMMAND_REFUSED, OPTION_INVALID or VALUE_INVALID and changes nothing.
 */
export interface ClockControl {
  /** Stops the clock, after the advance under way. Alpha stays where it is. */
  pause(): Promise<void>;
  /** Lets the clock go on, live, from the phase at which it was halted. */
  resume(): Promise<void>;
  /** Enters a mode; see `ClockMode`. */
  setMode(mode: ClockMode): Promise<void>;
  /** Runs exactly one quantum, in any mode. */
  stepOnce(): Promise<AdvanceResult>;
  /** Runs exactly `count` quanta at once (1 to 1,000,000), in any mode, whatever the stall cap. */
  advanceTicks(count: number): Promise<AdvanceResult>;
  /**
   * Advances by a wall time in seconds, 0 to 10^9: live, as many quanta as it is worth at the
   * present speed, at most the cap; in lockstep its steps; else none. A frame of it is published
   * even if no quantum ran.
   */
  advance(wallSeconds: number): Promise<AdvanceResult>;
  /**
   * Sets world seconds per wall second: taken as the nearest fraction with a denominator up to
   * 1000; 0 pauses.
   */
  setSpeed(speed: number): Promise<void>;
  /** Sets the quanta of each advance in lockstep. */
  setLockstepSteps(steps: number): Promise<void>;
  /** Sets the quanta that one advance runs at most, and whether a speed above 1 raises that. */
  setCap(maxTicksPerAdvance: number, capScalesWithRate?: boolean): Promise<void>;
  /** Goes to a tick, in any mode, and begins a new epoch there. The world stays as it is. */
  seekTick(tick: number): Promise<void>;
  /** Changes the clock's settings and begins a new epoch at tick 0. The world stays as it is. */
  configure(config: ClockConfig): Promise<void>;
  /** Returns the clock as last published, also after the end: read from memory, no message. */
  status(): ClockStatus;
}

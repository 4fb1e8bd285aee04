/** Takes what a clock shows every frame, see `WorldClock.measure`: reused, not made in a frame. */
export interface ClockMeasures {
  /** How far the clock is into the next quantum, in [0, 1]. */
  alpha: number;
  /** World seconds: tick x quantum. */
  worldTime: number;
  /** World seconds got a wall second; NaN before the first window. */
  realizedSpeed: number;
}

/** Makes measures of a clock that has not run. */
export function createClockMeasures(): ClockMeasures {
  return { alpha: 0, worldTime: 0, realizedSpeed: Number.NaN };
}

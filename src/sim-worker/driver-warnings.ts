import type { SubsystemLog } from '../shared/log.ts';
import type { WorldClock } from '../shared/world-clock.ts';

/** Tells of what a driver's clock could not make up for. */
export class DriverWarnings {
  readonly #log: SubsystemLog;
  #backwardReadings = 0;

  constructor(log: SubsystemLog) {
    this.#log = log;
  }

  /** Tells of quanta that the stall cap discarded. */
  dropped(dropped: number, clock: WorldClock): void {
    this.#log.warn('tick_dropped', 'More ticks were due than the stall cap lets run.', {
      dropped,
      after_tick: clock.tick,
      total_dropped: clock.ticksDropped,
      max_ticks_per_advance: clock.maxTicksPerAdvance,
    });
  }

  /** Tells of readings that went back, if there are more than at the last call. */
  backward(count: number): void {
    if (count <= this.#backwardReadings) return;
    this.#backwardReadings = count;
    this.#log.warn('clock_backward', 'The clock went back; that frame has no time.', { count });
  }
}

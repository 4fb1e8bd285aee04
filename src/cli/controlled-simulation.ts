import type { ClockControl } from '../shared/clock-control.ts';
import type { EscapementError } from '../shared/error.ts';
import type { TickChange } from '../shared/tick-wait.ts';

/** What the control server needs of a simulation: its clock, a wait, and its end. */
export interface ControlledSimulation {
  readonly clock: ClockControl;
  /** Resolves when the simulation has ended: with the cause, or undefined when it was stopped. */
  readonly ended: Promise<EscapementError | undefined>;
  /** Resolves when the tick is no longer `tick`, or with the reason why that will not be. */
  waitForTickChange(tick: number, timeoutMs?: number): Promise<TickChange>;
}

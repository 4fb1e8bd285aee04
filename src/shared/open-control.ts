import { ClockCommands } from './clock-commands.ts';
import type { ClockControl } from './clock-control.ts';
import { claimController, type ControllerClaim, replacedError } from './controller-claim.ts';
import { EscapementError } from './error.ts';
import type { RegionHandle, SimulationHandle } from './handle.ts';
import { forgetOpen, rememberOpen } from './open-ends.ts';
import { checkHandle, openRun, RunWatch } from './run-watch.ts';
import type { SimulationTypes } from './simulation-types.ts';

/** A clock's control on a thread of its own. */
export interface OpenControl extends ClockControl {
  /**
   * Gives the control back; a Node thread that ends does so by itself. Commands that were not
   * answered reject. Idempotent.
   */
  close(): void;
}

/**
 * Opens a control of a simulation's clock on this thread, from the handle that `share()` returned.
 * It outlives restarts. Throws CONTROLS_EXHAUSTED, LAYOUT_MISMATCH, NOT_SHARED where the
 * simulation would not see its commands, and VALUE_INVALID for what is no handle.
 */
export function openControl<T extends SimulationTypes>(handle: SimulationHandle<T>): OpenControl {
  return new RegionControl(checkHandle(handle));
}

class RegionControl extends ClockCommands implements OpenControl {
  readonly #watch: RunWatch;
  #run: number;
  #claim: ControllerClaim;
  #closed = false;

  constructor(handle: RegionHandle) {
    super(
      () => this.#current(),
      () => (this.#closed ? this.#claim : this.#current()).region,
    );
    this.#watch = new RunWatch(handle.id);
    try {
      this.#claim = claimController(openRun(handle, this.#watch, true));
    } catch (cause) {
      this.#watch.close();
      throw cause;
    }
    this.#run = handle.run;
    rememberOpen(this);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    forgetOpen(this);
    this.#watch.close();
    this.#claim.release(closedError());
  }

  #current(): ControllerClaim {
    if (this.#closed) throw closedError();
    const next = this.#watch.successor(this.#claim.region, this.#run);
    if (next === undefined) return this.#claim;
    const claim = claimController(openRun(next, this.#watch, true));
    this.#claim.release(replacedError());
    this.#claim = claim;
    this.#run = next.run;
    return claim;
  }
}

function closedError(): EscapementError {
  return new EscapementError('STATE_INVALID', 'This control has been closed.', {
    fix: 'Open another one with openControl.',
  });
}

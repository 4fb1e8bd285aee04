import type { AdvanceResult, ClockControl, ClockStatus } from './clock-control.ts';
import { ClockKeys } from './clock-keys.ts';
import { type ClockLane, ClockLanes } from './clock-lanes.ts';
import { checkDelta, checkTickCount } from './clock-options.ts';
import { EscapementError } from './error.ts';
import type { StateTree, StateValue } from './state-tree.ts';

/** Options of a {@link ControlBinding}. */
export interface ControlBindingOptions {
  /**
   * Is told what the clock refused; its key is put back. From {@link ControlBinding.update} also
   * what else became of a command, such as STOPPED. By default these are dropped.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** How a command refuses a value. Any other error is no answer to it. */
const REFUSALS: readonly string[] = ['VALUE_INVALID', 'OPTION_INVALID', 'COMMAND_REFUSED'];

/**
 * Binds the keys of a state tree to the clock of a simulation on another thread, by the rules of
 * `ClockLanes`. Commands are sent for keys that changed, and only then; what the clock shows is
 * read from what it published, without a message.
 *
 * Use {@link drive} where this side hands out the time, and {@link update}, once a frame, for a
 * simulation that drives itself.
 */
export class ControlBinding {
  readonly #control: ClockControl;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #lanes: ClockLanes;
  #driving = false;

  /** Binds the keys and seeds those that are not there. Throws OPTION_INVALID for bad keys. */
  constructor(
    tree: StateTree,
    control: ClockControl,
    keys: ClockKeys = ClockKeys.under(),
    options: ControlBindingOptions = {},
  ) {
    this.#control = control;
    this.#onError = options.onError;
    this.#lanes = new ClockLanes(tree, keys, control.status());
  }

  /**
   * Queues `steps` quanta, to run at the next drive or update in any mode. Throws VALUE_INVALID
   * unless it is an integer of at least 0.
   */
  requestSteps(steps: number): void {
    checkTickCount(steps);
    this.#lanes.steps.add(steps);
  }

  /**
   * Tells the clock what changed in the keys, advances it by `wallDt` seconds if that is given,
   * runs the requested steps, and writes the telemetry, each once the one before is in force.
   * Returns what ran: of the advance and of the steps. What the clock refuses is put back and told
   * to `onError`; other errors pass on. Throws VALUE_INVALID for a bad delta and STATE_INVALID
   * while an earlier drive is under way.
   */
  async drive(wallDt?: number): Promise<AdvanceResult> {
    if (wallDt !== undefined) checkDelta(wallDt);
    if (this.#driving) throw overlapError();
    this.#driving = true;
    try {
      await Promise.all(this.#sendChanges());
      return await this.#advance(wallDt);
    } finally {
      this.#driving = false;
    }
  }

  /**
   * Sends commands for the keys that changed and for requested steps, without waiting, and writes
   * the telemetry that was published last. Sends nothing when nothing changed.
   */
  update(): void {
    for (const sent of this.#sendChanges()) sent.catch((error) => this.#onError?.(error));
    const steps = this.#lanes.steps.take();
    if (steps > 0) {
      this.#control.advanceTicks(steps).catch((error) => {
        if (isRefusal(error)) this.#lanes.steps.add(steps);
        this.#onError?.(error);
      });
    }
    this.#lanes.publish(this.#control.status());
  }

  async #advance(wallDt: number | undefined): Promise<AdvanceResult> {
    const { tick: firstTick } = this.#control.status();
    const advanced = wallDt === undefined ? undefined : await this.#control.advance(wallDt);
    const steps = this.#lanes.steps.take();
    const stepped = steps === 0 ? undefined : await this.#step(steps);
    const status = this.refresh();
    return {
      firstTick: (advanced ?? stepped)?.firstTick ?? firstTick,
      steps: (advanced?.steps ?? 0) + (stepped?.steps ?? 0),
      dropped: (advanced?.dropped ?? 0) + (stepped?.dropped ?? 0),
      alpha: (stepped ?? advanced)?.alpha ?? status.alpha,
    };
  }

  /** Runs requested steps; what did not run stays requested. */
  async #step(steps: number): Promise<AdvanceResult> {
    try {
      return await this.#control.advanceTicks(steps);
    } catch (error) {
      if (isRefusal(error)) this.#lanes.steps.add(steps);
      throw error;
    }
  }

  /** Lets the keys follow the clock and writes the telemetry; sends nothing. */
  refresh(): ClockStatus {
    const status = this.#control.status();
    this.#lanes.follow(status);
    this.#lanes.publish(status);
    return status;
  }

  #sendChanges(): readonly Promise<void>[] {
    const lanes = this.#lanes;
    const { speed, lockstepSteps, mode } = lanes;
    lanes.read(this.#control.status());
    if (!(speed.isChanged || lockstepSteps.isChanged || mode.isChanged)) return NOTHING_SENT;
    const sent: Promise<void>[] = [];
    if (speed.isChanged) sent.push(this.#send(speed, (to) => this.#control.setSpeed(to)));
    if (lockstepSteps.isChanged) {
      sent.push(this.#send(lockstepSteps, (to) => this.#control.setLockstepSteps(to)));
    }
    if (mode.isChanged) sent.push(this.#send(mode, (to) => this.#control.setMode(to)));
    return sent;
  }

  async #send<T extends StateValue>(
    lane: ClockLane<T>,
    command: (to: T) => Promise<void>,
  ): Promise<void> {
    lane.send();
    try {
      await command(lane.wanted);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#onError?.(error);
    } finally {
      lane.settle();
    }
    // A value that was refused is put back by this.
    this.#lanes.follow(this.#control.status());
  }
}

const NOTHING_SENT: readonly Promise<void>[] = Object.freeze([]);

function isRefusal(error: unknown): boolean {
  return error instanceof EscapementError && REFUSALS.includes(error.code);
}

function overlapError(): EscapementError {
  return new EscapementError('STATE_INVALID', 'The last drive is still under way.', {
    fix: 'Await each drive before the next.',
  });
}

import { COMMAND, STEP_TICKS_MAX } from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import { checkResult, type HostRun } from './host-run.ts';

/** Controls a simulation's clock; each promise resolves once the effect is published. */
export interface ClockControl {
  /** Stops the clock before the next tick. Alpha stays where it is. */
  pause(): Promise<void>;
  /** Lets the clock go on from where it was paused. */
  resume(): Promise<void>;
  /** Runs exactly one tick, in any mode. */
  stepOnce(): Promise<void>;
  /** Runs exactly `count` ticks at once (1 to 1,000,000), in any mode, whatever the stall cap. */
  advanceTicks(count: number): Promise<void>;
  /** Enters or leaves the stepping mode, in which only asked-for ticks run. */
  setStepping(on: boolean): Promise<void>;
  /**
   * Sets world seconds per wall second: taken as the nearest fraction with a denominator up to
   * 1000; 0 pauses. Throws VALUE_INVALID for anything that is no number of at least 0.
   */
  setSpeed(speed: number): Promise<void>;
}

/** The clock's commands, sent through a run's command ring. */
export class ClockCommands implements ClockControl {
  readonly #run: () => HostRun;
  readonly #double: Float64Array = new Float64Array(1);
  readonly #words: Uint32Array;

  constructor(run: () => HostRun) {
    this.#run = run;
    this.#words = new Uint32Array(this.#double.buffer);
  }

  async pause(): Promise<void> {
    checkResult(await this.#run().command(COMMAND.pause), 'pause', 'pause', 'a running simulation');
  }

  async resume(): Promise<void> {
    checkResult(await this.#run().command(COMMAND.resume), 'resume', 'resume', 'a live simulation');
  }

  async stepOnce(): Promise<void> {
    await this.advanceTicks(1);
  }

  async advanceTicks(count: number): Promise<void> {
    if (!Number.isInteger(count) || count < 1 || count > STEP_TICKS_MAX) {
      throw new EscapementError('VALUE_INVALID', 'That many ticks cannot be run.', {
        given: String(count),
        allowed: `an integer from 1 to ${STEP_TICKS_MAX}`,
      });
    }
    const result = await this.#run().command(COMMAND.step, count);
    checkResult(result, 'step', `${count} ticks`, `1 to ${STEP_TICKS_MAX} ticks`);
  }

  async setStepping(on: boolean): Promise<void> {
    const result = await this.#run().command(COMMAND.stepping, on ? 1 : 0);
    checkResult(result, 'change the mode', String(on), 'a running simulation');
  }

  async setSpeed(speed: number): Promise<void> {
    if (!(speed >= 0 && Number.isFinite(speed))) {
      throw new EscapementError('VALUE_INVALID', 'That is no speed.', {
        given: String(speed),
        allowed: 'a finite number of at least 0; 0 pauses',
      });
    }
    this.#double[0] = speed;
    const [low = 0, high = 0] = this.#words;
    const result = await this.#run().command(COMMAND.setSpeed, low, high);
    checkResult(result, 'change the speed', String(speed), '0 to 1000');
  }
}

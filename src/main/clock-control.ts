import { COMMAND, STEP_TICKS_MAX } from '../shared/command.ts';
import { EscapementError } from '../shared/error.ts';
import { checkResult, type HostRun } from './host-run.ts';

/**
 * Controls a simulation's clock from its host. Each promise resolves once the effect is published.
 */
export class ClockControl {
  readonly #run: () => HostRun;
  readonly #double: Float64Array = new Float64Array(1);
  readonly #words: Uint32Array;

  constructor(run: () => HostRun) {
    this.#run = run;
    this.#words = new Uint32Array(this.#double.buffer);
  }

  /** Stops the clock before the next tick. Alpha stays where it is. */
  async pause(): Promise<void> {
    checkResult(await this.#run().command(COMMAND.pause), 'pause', 'pause', 'a running simulation');
  }

  /** Lets the clock go on from where it was paused. */
  async resume(): Promise<void> {
    checkResult(await this.#run().command(COMMAND.resume), 'resume', 'resume', 'a live simulation');
  }

  /** Runs exactly one tick, in any mode. */
  async stepOnce(): Promise<void> {
    await this.advanceTicks(1);
  }

  /** Runs exactly `count` ticks at once, in any mode, whatever the stall cap. */
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

  /** Enters the stepping mode, where only {@link stepOnce} and {@link advanceTicks} run ticks. */
  async setStepping(on: boolean): Promise<void> {
    const result = await this.#run().command(COMMAND.stepping, on ? 1 : 0);
    checkResult(result, 'change the mode', String(on), 'a running simulation');
  }

  /**
   * Sets world seconds per wall second: taken as the nearest fraction with a denominator up to
   * 1000; 0 pauses. Throws VALUE_INVALID for anything that is no number of at least 0.
   */
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

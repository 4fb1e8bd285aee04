import type { AdvanceResult, ClockConfig, ClockControl, ClockStatus } from './clock-control.ts';
import { checkDelta, checkMode, checkTick, type ClockMode } from './clock-options.ts';
import { readClockStatus } from './clock-status.ts';
import {
  checkAdvanceLength,
  COMMAND,
  type CommandOutcome,
  isAdvanceLength,
  SEEK_TICK_MAX,
  STEP_TICKS_MAX,
} from './command.ts';
import { checkOutcome, type CommandSender } from './command-sender.ts';
import { EscapementError } from './error.ts';
import { givenQuantum } from './rational.ts';
import { MODE_CODES } from './record.ts';
import type { Region } from './region.ts';

/** Speeds that a clock takes. */
const SPEEDS = '0 to 1000, up to 400,000 quanta a second';

/** What the commands of a clock go through: the run that is in force. */
export interface ControlledRun {
  readonly region: Region;
  readonly sender: CommandSender;
}

/** The clock's commands, sent through the command ring of whichever run is in force. */
export class ClockCommands implements ClockControl {
  readonly #run: () => ControlledRun;
  readonly #region: () => Region;

  /**
   * `run` returns the run in force, or throws what ended the simulation; `region` returns the last
   * run's region, also then.
   */
  constructor(run: () => ControlledRun, region: () => Region) {
    this.#run = run;
    this.#region = region;
  }

  async pause(): Promise<void> {
    await this.setMode('paused');
  }

  async resume(): Promise<void> {
    const outcome = await this.#run().sender.send(COMMAND.resume);
    checkOutcome(outcome, 'resume', 'resume', 'a running simulation');
  }

  async setMode(mode: ClockMode): Promise<void> {
    const code = MODE_CODES.indexOf(checkMode(mode));
    const outcome = await this.#run().sender.word(code).send(COMMAND.setMode);
    checkOutcome(outcome, 'change the mode', mode, MODE_CODES.join(', '));
  }

  stepOnce(): Promise<AdvanceResult> {
    return this.advanceTicks(1);
  }

  async advanceTicks(count: number): Promise<AdvanceResult> {
    if (!isAdvanceLength(count)) {
      throw new EscapementError('VALUE_INVALID', 'That many ticks cannot be run.', {
        given: String(count),
        allowed: `an integer from 1 to ${STEP_TICKS_MAX}`,
      });
    }
    const outcome = await this.#run().sender.word(count).send(COMMAND.step);
    return advanceResult(outcome, `${count} ticks`, `1 to ${STEP_TICKS_MAX} ticks`);
  }

  async advance(wallSeconds: number): Promise<AdvanceResult> {
    checkDelta(wallSeconds);
    const outcome = await this.#run().sender.double(wallSeconds).send(COMMAND.advance);
    return advanceResult(outcome, `${wallSeconds} s`, '0 to 10^9 s');
  }

  async setSpeed(speed: number): Promise<void> {
    checkSpeed(speed);
    const outcome = await this.#run().sender.double(speed).send(COMMAND.setSpeed);
    checkOutcome(outcome, 'change the speed', String(speed), SPEEDS);
  }

  async setLockstepSteps(steps: number): Promise<void> {
    checkAdvanceLength('lockstepSteps', steps);
    const outcome = await this.#run().sender.word(steps).send(COMMAND.setLockstepSteps);
    checkOutcome(outcome, 'change the lockstep', String(steps), 'an integer of at least 1');
  }

  async setCap(maxTicksPerAdvance: number, capScalesWithRate?: boolean): Promise<void> {
    checkAdvanceLength('maxTicksPerAdvance', maxTicksPerAdvance);
    const scales = capScalesWithRate === undefined ? 2 : Number(capScalesWithRate);
    const { sender } = this.#run();
    const outcome = await sender.word(maxTicksPerAdvance).word(scales).send(COMMAND.setCap);
    checkOutcome(outcome, 'change the cap', String(maxTicksPerAdvance), 'an integer of at least 1');
  }

  async seekTick(tick: number): Promise<void> {
    checkTick(tick, SEEK_TICK_MAX);
    const outcome = await this.#run().sender.double(tick).send(COMMAND.seek);
    checkOutcome(outcome, 'seek', `tick ${tick}`, `an integer from 0 to ${SEEK_TICK_MAX}`);
  }

  async configure(config: ClockConfig): Promise<void> {
    const quantum = givenQuantum(config);
    if (config.mode !== undefined) checkMode(config.mode);
    const { maxTicksPerAdvance, lockstepSteps } = config;
    if (maxTicksPerAdvance !== undefined)
      checkAdvanceLength('maxTicksPerAdvance', maxTicksPerAdvance);
    if (lockstepSteps !== undefined) checkAdvanceLength('lockstepSteps', lockstepSteps);
    const { speed, capScalesWithRate: scales, mode } = config;
    if (speed !== undefined) checkSpeed(speed);
    const outcome = await this.#run()
      .sender.double(quantum?.numerator ?? Number.NaN)
      .double(quantum?.denominator ?? Number.NaN)
      .double(speed ?? Number.NaN)
      .double(maxTicksPerAdvance ?? Number.NaN)
      .double(scales === undefined ? Number.NaN : Number(scales))
      .double(lockstepSteps ?? Number.NaN)
      .double(mode === undefined ? Number.NaN : MODE_CODES.indexOf(mode))
      .send(COMMAND.configure);
    checkOutcome(outcome, 'reconfigure its clock', JSON.stringify(config), `a speed of ${SPEEDS}`);
  }

  status(): ClockStatus {
    return readClockStatus(this.#region());
  }
}

/** Throws VALUE_INVALID for what is no speed whatever the quantum. */
function checkSpeed(speed: number): void {
  if (speed >= 0 && Number.isFinite(speed)) return;
  throw new EscapementError('VALUE_INVALID', 'That is no speed.', {
    given: String(speed),
    allowed: 'a finite number of at least 0; 0 pauses',
  });
}

function advanceResult(outcome: CommandOutcome, given: string, allowed: string): AdvanceResult {
  const { steps, firstTick, dropped, alpha } = checkOutcome(outcome, 'advance', given, allowed);
  return { firstTick, steps, dropped, alpha };
}

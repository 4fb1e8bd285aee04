import type { Rational } from '../../shared/rational.ts';
import { STEP_TICKS_MAX } from '../../shared/command.ts';
import { EscapementError } from '../../shared/error.ts';
import type { ReplayControl } from '../replay-control.ts';
import type { RunningSimulation } from '../running-simulation.ts';
import type { FrameSchedule } from './frame-schedule.ts';

/** Milliseconds that followers may take for the steps of a frame. */
const TIMEOUT_MS = 60_000;

/**
 * A simulation that a capture takes from frame to frame. A live one goes forward only; a replay
 * goes to any tick of its recording, and each state that was recorded must be met.
 */
export class FilmRun {
  readonly simulation: RunningSimulation;
  /** The recording that is played; undefined for a live run. */
  readonly replay: ReplayControl | undefined;
  readonly #timeoutMs: number;
  /** Whether the tick before the present one was published too, so that a frame can be blended. */
  #hasPair: boolean;

  private constructor(
    simulation: RunningSimulation,
    replay: ReplayControl | undefined,
    timeoutMs: number,
  ) {
    this.simulation = simulation;
    this.replay = replay;
    this.#timeoutMs = timeoutMs;
    this.#hasPair = replay === undefined;
  }

  /** Takes over a simulation that stands still. Throws STATE_INVALID for one that does not. */
  static async open(
    simulation: RunningSimulation,
    timeoutMs: number = TIMEOUT_MS,
  ): Promise<FilmRun> {
    if (simulation.clock.status().running) {
      throw new EscapementError('STATE_INVALID', 'The simulation runs by itself.', {
        allowed: 'one that is advanced by the capture alone',
        fix: 'Start it with `drivenBy: "host"`, or call `clock.pause()` first.',
      });
    }
    const { replay } = simulation;
    // One that was left goes on live.
    const isPlaying = replay !== undefined && (await replay.status()).playing;
    return new FilmRun(simulation, isPlaying ? replay : undefined, timeoutMs);
  }

  /** Throws OPTION_INVALID when a replay does not have what a frame needs. */
  checkFrame(schedule: FrameSchedule, index: number): void {
    if (this.replay !== undefined) checkRecorded(this.replay, schedule, index);
  }

  /** Goes to the state after a tick, with the one before it, and waits for all followers. */
  async goTo(tick: number): Promise<void> {
    const present = this.simulation.clock.status().tick;
    if (this.replay === undefined) {
      if (present > tick) checkTick(present, tick);
      await this.#advance(tick - present);
    } else await this.#playTo(this.replay, present, tick);
    const { reason, behind } = await this.simulation.waitCaughtUp({ timeoutMs: this.#timeoutMs });
    if (reason === 'caught-up') return;
    throw new EscapementError('TIMED_OUT', 'A follower did not come as far as the frame.', {
      given: `${reason}; behind: ${behind.map(({ number }) => number).join(', ') || 'none'}`,
      allowed: `steps published within ${this.#timeoutMs} ms`,
      fix: 'Raise `timeoutMs`, or see what holds that follower up.',
    });
  }

  /** Throws TRAJECTORY_DIFFERS when a state on the way to a tick was not the recorded one. */
  async checkStates(tick: number): Promise<void> {
    const divergence = (await this.replay?.status())?.divergence;
    if (divergence === undefined || divergence.tick > tick) return;
    const { expected, found } = divergence;
    throw new EscapementError('TRAJECTORY_DIFFERS', 'The run is not the one that was recorded.', {
      given: `the state ${found} after tick ${divergence.tick}`,
      allowed: `${expected}, as recorded`,
      fix:
        'Use the code that made the recording. If it is the same, the simulation keeps state ' +
        'outside its world: save it by `foreign`.',
    });
  }

  async #playTo(replay: ReplayControl, present: number, tick: number): Promise<void> {
    const { header, firstTick } = replay;
    // Within that distance no keyframe is worth a seek.
    const isNear = tick >= present && tick - present <= header.keyframeEveryTicks;
    if (this.#hasPair && isNear) return this.#advance(tick - present);
    // A tick that was sought stands alone: the one before it is published by none but a step.
    const before = Math.max(firstTick, tick - 1);
    await this.simulation.clock.seekTick(before);
    await this.#advance(tick - before);
    this.#hasPair = true;
  }

  async #advance(ticks: number): Promise<void> {
    for (let left = ticks; left > 0; left -= STEP_TICKS_MAX) {
      await this.simulation.clock.advanceTicks(Math.min(left, STEP_TICKS_MAX));
    }
  }
}

/** Throws STATE_INVALID unless the simulation is where a frame needs it. */
export function checkTick(tick: number, wanted: number): void {
  if (tick === wanted) return;
  throw new EscapementError('STATE_INVALID', 'The simulation is not where the capture left it.', {
    given: `tick ${tick}, where the frame needs ${wanted}`,
    allowed: 'a capture that alone advances the clock, and frames that lie ahead of it',
    fix: 'Restart the simulation to take its film from the beginning.',
  });
}

/**
 * Throws OPTION_INVALID when a recording does not have all that a frame of a film needs, and says
 * how long it is.
 */
export function checkRecorded(
  { firstTick, lastTick }: Pick<ReplayControl, 'firstTick' | 'lastTick'>,
  schedule: FrameSchedule,
  index: number,
): void {
  const { fromTick, rate, quantum } = schedule;
  const { tick, stateTick } = schedule.place(index);
  if (tick >= firstTick && stateTick <= lastTick) return;
  const seconds = ((lastTick - firstTick) * quantum.numerator) / quantum.denominator;
  const count = schedule.framesUntil(lastTick);
  const frames = `${count} frame${count === 1 ? '' : 's'} of ${text(rate)} a second`;
  throw new EscapementError('OPTION_INVALID', 'The recording does not go that far.', {
    given: `frame ${index}, which needs tick ${tick < firstTick ? tick : stateTick}`,
    allowed:
      `ticks ${firstTick} to ${lastTick}, which are ${Number(seconds.toFixed(3))} s` +
      (fromTick < firstTick ? '' : `: ${frames} from tick ${fromTick} on`),
    fix: 'Take fewer frames, or begin at another tick.',
  });
}

function text({ numerator, denominator }: Rational): string {
  return denominator === 1 ? String(numerator) : `${numerator}/${denominator}`;
}

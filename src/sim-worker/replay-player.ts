import { EscapementError } from '../shared/error.ts';
import { hashText, keyframeBefore } from '../shared/replay/replay-position.ts';
import type { Keyframe, Replay } from '../shared/replay/replay.ts';
import type { InputSource, InputVisit } from './input-queue.ts';
import type { Simulation, TickObserver } from './simulation.ts';

/** A tick whose state is not the recorded one. */
export interface Divergence {
  readonly tick: number;
  /** As recorded: 16 hexadecimal digits. */
  readonly expected: string;
  readonly found: string;
}

/**
 * Makes a simulation run as it was recorded: its ticks consume what the recording says, and nothing
 * else. Every recorded hash that the run comes by is compared; the first that differs is kept.
 */
export class ReplayPlayer implements InputSource, TickObserver {
  readonly replay: Replay;
  /** Hashes compared. */
  compared = 0;
  /** The first hash that differed. */
  divergence: Divergence | undefined;
  readonly #simulation: Simulation;
  readonly #recorded: Uint32Array = new Uint32Array(2);
  readonly #found: Uint32Array = new Uint32Array(2);
  /** The keyframe restored last: whoever scrubs comes back to it. */
  #keyframe: Keyframe | undefined;
  /** What setup made, for a recording that begins there and was cut off before it said so. */
  readonly #setup: Keyframe | undefined;

  /**
   * Attaches to a simulation whose setup has run. Goes to the first tick of the recording, and
   * compares its hash. Throws REPLAY_INVALID for a recording that begins in mid-run without the
   * state it began with.
   */
  constructor(simulation: Simulation, replay: Replay) {
    this.#simulation = simulation;
    this.replay = replay;
    const { header, keyframes } = replay;
    const { firstTick } = header;
    const hasFirst = keyframes[0]?.tick === firstTick;
    if (firstTick > 0 || header.fromSetup === false) {
      if (!hasFirst || !this.#restore(0)) throw noKeyframe();
    } else if (!hasFirst) {
      this.#setup = simulation.saveKeyframe();
    }
    simulation.inputs.source = this;
    simulation.observe(this);
    this.#compare(this.firstTick);
  }

  get firstTick(): number {
    return this.replay.header.firstTick;
  }

  get lastTick(): number {
    return this.replay.lastTick;
  }

  /** Ticks that are left. */
  get left(): number {
    return this.lastTick - this.#simulation.tick;
  }

  /** Whether a tick was recorded. */
  has(tick: number): boolean {
    return Number.isSafeInteger(tick) && tick >= this.firstTick && tick <= this.lastTick;
  }

  inputsOf(tick: number, visit: InputVisit): number {
    return this.replay.inputsOf(tick, visit);
  }

  afterTick(tick: number): void {
    this.#compare(tick);
  }

  /**
   * Goes to the state after a tick, from the nearest whole keyframe before it or from the present
   * one if that is nearer. Events of the ticks that lead there are not sent. Throws VALUE_INVALID
   * for a tick that was not recorded, and REPLAY_INVALID, and stays, when there is no state to come
   * from.
   */
  seek(tick: number): void {
    const { firstTick, lastTick } = this;
    if (!this.has(tick)) {
      throw new EscapementError('VALUE_INVALID', 'That tick was not recorded.', {
        given: String(tick),
        allowed: `a whole tick from ${firstTick} to ${lastTick}`,
      });
    }
    this.#approach(tick);
    this.#simulation.passTo(tick);
  }

  /** Goes to the state from which the fewest ticks lead there; a damaged one is passed by. */
  #approach(tick: number): void {
    const simulation = this.#simulation;
    const isAhead = tick < simulation.tick;
    for (let k = keyframeBefore(this.replay, tick); k >= 0; k--) {
      const at = this.replay.keyframes[k]?.tick as number;
      if (!isAhead && at <= simulation.tick) return;
      if (this.#restore(k)) return;
    }
    if (!isAhead) return;
    if (this.#setup === undefined) throw noKeyframe();
    simulation.restoreKeyframe(this.#setup);
  }

  /** Lets go: from now on ticks consume live inputs again. */
  leave(): void {
    this.#simulation.inputs.source = undefined;
    this.#simulation.forgetObserver(this);
  }

  /** Returns false for a keyframe that cannot be loaded. */
  #restore(k: number): boolean {
    if (this.#keyframe?.tick !== this.replay.keyframes[k]?.tick) {
      try {
        this.#keyframe = this.replay.loadKeyframe(k);
      } catch (cause) {
        if (!(cause instanceof EscapementError && cause.code === 'REPLAY_INVALID')) throw cause;
        return false;
      }
    }
    this.#simulation.restoreKeyframe(this.#keyframe as Keyframe);
    return true;
  }

  #compare(tick: number): void {
    const [recorded, found] = [this.#recorded, this.#found];
    if (!this.replay.findHash(tick, recorded)) return;
    this.compared++;
    this.#simulation.world.stateHash.compute(tick, found);
    if (recorded[0] === found[0] && recorded[1] === found[1]) return;
    const expected = hashText(recorded[0] as number, recorded[1] as number);
    if (this.divergence !== undefined && this.divergence.tick <= tick) return;
    this.divergence = {
      tick,
      expected,
      found: hashText(found[0] as number, found[1] as number),
    };
  }
}

function noKeyframe(): EscapementError {
  return new EscapementError('REPLAY_INVALID', 'The recording has no state to go back to.', {
    given: 'a recording without a keyframe before that tick',
    fix: 'It was cut off, or is damaged: replay it forward from its first tick.',
  });
}

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

  /**
   * Attaches to a simulation whose setup has run. Goes to the first tick of the recording, and
   * compares its hash. Throws REPLAY_INVALID for a recording that begins in mid-run without the
   * state it began with.
   */
  constructor(simulation: Simulation, replay: Replay) {
    this.#simulation = simulation;
    this.replay = replay;
    if (this.firstTick > 0) this.#restore(0);
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
   * Goes to the state after a tick, from the nearest keyframe before it or from the present one if
   * that is nearer. Events of the ticks that lead there are not sent. Throws VALUE_INVALID for a
   * tick that was not recorded.
   */
  seek(tick: number): void {
    const { firstTick, lastTick } = this;
    if (!this.has(tick)) {
      throw new EscapementError('VALUE_INVALID', 'That tick was not recorded.', {
        given: String(tick),
        allowed: `a whole tick from ${firstTick} to ${lastTick}`,
      });
    }
    const simulation = this.#simulation;
    const nearest = keyframeBefore(this.replay, tick);
    const at = this.replay.keyframes[nearest]?.tick ?? -1;
    if (tick < simulation.tick || at > simulation.tick) this.#restore(nearest);
    simulation.passTo(tick);
  }

  /** Lets go: from now on ticks consume live inputs again. */
  leave(): void {
    this.#simulation.inputs.source = undefined;
    this.#simulation.forgetObserver(this);
  }

  #restore(k: number): void {
    const place = this.replay.keyframes[k];
    if (place === undefined) throw noKeyframe();
    if (this.#keyframe?.tick !== place.tick) this.#keyframe = this.replay.loadKeyframe(k);
    this.#simulation.restoreKeyframe(this.#keyframe);
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

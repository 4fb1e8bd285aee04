import type { Log } from '../shared/log.ts';
import type { GivenQuantum } from '../shared/rational.ts';
import { readReplay } from '../shared/replay/replay-reader.ts';
import type { Keyframe, Replay } from '../shared/replay/replay.ts';
import type { SimulationTypes } from '../shared/simulation-types.ts';
import type { SimulationDefinition } from './definition.ts';
import { buildReplay } from './local-simulation.ts';
import { type Divergence, ReplayPlayer } from './replay-player.ts';
import type { Simulation } from './simulation.ts';
import type { World } from './world.ts';

/**
 * Options of {@link openReplay}. The rate is given where a recording was made at another one than
 * is declared: as `tickRateHz`, `fixedDt` or `quantum`.
 */
export interface ReplayOptions extends GivenQuantum {
  /** Where log lines go; nowhere by default. */
  readonly log?: Log | undefined;
}

/** What a replay was compared with. */
export interface VerifyReport {
  /** Whether every recorded hash was met. */
  readonly ok: boolean;
  /** Hashes compared. */
  readonly compared: number;
  readonly firstTick: number;
  /** The last tick that was run: that of the divergence, if there is one. */
  readonly lastTick: number;
  readonly divergence: Divergence | undefined;
}

/**
 * Replays a recording on the calling thread, as fast as it runs: for tools and tests. Give the
 * bytes of a file, or what `readReplay` made of them. Setup has run; the state is the first that
 * was recorded. Throws REPLAY_INVALID for what is no recording, REPLAY_MISMATCH, naming what
 * differs, for one of another simulation, and SIMULATION_FAILED when setup throws.
 */
export async function openReplay<T extends SimulationTypes>(
  definition: SimulationDefinition<T>,
  recording: Uint8Array | Replay,
  options: ReplayOptions = {},
): Promise<LocalReplay<T>> {
  const replay = recording instanceof Uint8Array ? readReplay(recording) : recording;
  const { simulation, log } = await buildReplay(definition, replay, options);
  return new LocalReplay<T>(simulation, replay, log);
}

/** A recording that is replayed on the calling thread; {@link openReplay} makes it. */
export class LocalReplay<T extends SimulationTypes = SimulationTypes> {
  readonly replay: Replay;
  readonly #simulation: Simulation<T>;
  readonly #player: ReplayPlayer;
  readonly #log: Log | undefined;

  /** Called by {@link openReplay} only. */
  constructor(simulation: Simulation<T>, replay: Replay, log: Log | undefined) {
    this.#simulation = simulation;
    this.replay = replay;
    this.#log = log;
    this.#player = new ReplayPlayer(simulation as unknown as Simulation, replay);
  }

  /** The world, as the present tick left it. */
  get world(): World<T['components']> {
    return this.#simulation.world;
  }

  get tick(): number {
    return this.#simulation.tick;
  }

  /** Copies the whole state, as the present tick left it. */
  save(): Keyframe {
    return this.#simulation.saveKeyframe();
  }

  /** The first state that was not the recorded one. */
  get divergence(): Divergence | undefined {
    return this.#player.divergence;
  }

  /** Hashes compared so far. */
  get compared(): number {
    return this.#player.compared;
  }

  /** Returns the hash of the present state: 16 hexadecimal digits. */
  stateHash(): string {
    return this.world.stateHash.hex(this.tick);
  }

  /** Goes to the state after a tick, either way. Throws VALUE_INVALID if it was not recorded. */
  seek(tick: number): void {
    this.#player.seek(tick);
  }

  /** Makes the next tick; returns false at the end of the recording. */
  step(): boolean {
    if (this.#player.left <= 0) return false;
    this.#simulation.passTo(this.tick + 1);
    return true;
  }

  /**
   * Runs to a tick, the last one by default, comparing every recorded hash, and stops at the first
   * that differs. `onTick` is called after each tick.
   */
  verify(toTick: number = this.replay.lastTick, onTick?: (tick: number) => void): VerifyReport {
    while (this.divergence === undefined && this.tick < toTick && this.step()) onTick?.(this.tick);
    const { divergence, compared, tick } = this;
    const { firstTick } = this.replay.header;
    return { ok: divergence === undefined, compared, firstTick, lastTick: tick, divergence };
  }

  /** Ends the replay and clears the world. */
  close(): void {
    this.#player.leave();
    this.#simulation.world.clear();
    this.#log?.close();
  }
}

import { EscapementError } from '../shared/error.ts';
import type { KeyframeMessage, ReplayStatus } from '../shared/protocol.ts';
import type { RecordPeriods } from '../shared/replay/record-options.ts';
import type { Keyframe, Replay } from '../shared/replay/replay.ts';
import { RingWriter } from '../shared/ring-writer.ts';
import type { Region } from '../shared/region.ts';
import { Recorder } from './recorder.ts';
import { ReplayPlayer } from './replay-player.ts';
import type { Simulation } from './simulation.ts';
import { TraceRing } from './trace-ring.ts';

/** Sends a keyframe to the host: its buffers may leave this thread with it. */
export type SendKeyframe = (message: KeyframeMessage) => void;

/** What is recorded of one run, and what it is replayed from. */
export class ReplayDesk {
  readonly #simulation: Simulation;
  readonly #run: number;
  readonly #trace: TraceRing;
  #recorder: Recorder | undefined;
  #player: ReplayPlayer | undefined;

  constructor(simulation: Simulation, region: Region, run: number, send: SendKeyframe) {
    this.#simulation = simulation;
    this.#run = run;
    const ring = new RingWriter(region.i32, region.layout.trace);
    this.#trace = new TraceRing(ring, simulation.schema, (keyframe) =>
      send({ kind: 'escapement/keyframe', run: this.#run, keyframe }),
    );
  }

  /** Whether a replay stands at its end. */
  get isOver(): boolean {
    return this.#player?.left === 0;
  }

  /** Returns how many of the ticks that are wanted can run: a replay has no more than it has. */
  limit(wanted: number): number {
    return this.#player === undefined ? wanted : Math.min(wanted, this.#player.left);
  }

  /** Whether the run is being recorded: then its ticks must not jump. */
  get isRecording(): boolean {
    return this.#recorder !== undefined;
  }

  /**
   * Begins to record from the present state on, or ends it when no periods are given, and hands
   * over what waits for room. Returns the present tick. Throws STATE_INVALID when it is recorded
   * already.
   */
  record(periods: RecordPeriods | undefined): number {
    if (periods === undefined) {
      this.#recorder?.end();
      this.#recorder = undefined;
      this.#trace.flush();
      return this.#simulation.tick;
    }
    if (this.#recorder !== undefined) throw alreadyRecorded();
    this.#recorder = new Recorder(this.#simulation, this.#trace, periods);
    return this.#simulation.tick;
  }

  /** Attaches a recording to the run, whose setup has just run. */
  play(replay: Replay): void {
    this.#player = new ReplayPlayer(this.#simulation, replay);
  }

  /** Goes to a tick of the replay, if there is one. Returns false if it does not have that tick. */
  seek(tick: number): boolean {
    const player = this.#player;
    if (player === undefined) return true;
    if (!player.has(tick)) return false;
    player.seek(tick);
    return true;
  }

  /** Goes on live from the present state. */
  leave(): void {
    this.#player?.leave();
    this.#player = undefined;
  }

  /** Copies the whole state between two ticks. */
  save(): Keyframe {
    return this.#simulation.saveKeyframe();
  }

  /** Says how far a replay is, and what it came to. */
  status(): ReplayStatus {
    const player = this.#player;
    return {
      playing: player !== undefined,
      compared: player?.compared ?? 0,
      divergence: player?.divergence,
      refusedInputs: this.#simulation.inputs.refusedCount,
    };
  }
}

function alreadyRecorded(): EscapementError {
  return new EscapementError('STATE_INVALID', 'The simulation is being recorded already.', {
    fix: 'Stop that recording first.',
  });
}

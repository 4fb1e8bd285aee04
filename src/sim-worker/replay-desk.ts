import { EscapementError } from '../shared/error.ts';
import type {
  KeyframeMessage,
  RecordAnswer,
  ReplayStatus,
  SavedState,
} from '../shared/protocol.ts';
import type { RecordPeriods } from '../shared/replay/record-options.ts';
import type { Replay } from '../shared/replay/replay.ts';
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

  /** Whether ticks consume what a recording says. */
  get isPlaying(): boolean {
    return this.#player !== undefined;
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
   * Begins to record from the present state on, or ends it when no periods are given. Throws
   * STATE_INVALID when it is recorded already.
   */
  record(periods: RecordPeriods | undefined): RecordAnswer {
    const simulation = this.#simulation;
    if (periods === undefined) {
      this.#recorder?.end();
      this.#recorder = undefined;
    } else {
      if (this.#recorder !== undefined) throw alreadyRecorded();
      this.#trace.reset();
      this.#recorder = new Recorder(simulation, this.#trace, periods);
    }
    const { tick, quantum, isFromSetup } = simulation;
    return { tick, quantum, isFromSetup, hasMore: !this.#trace.flush() };
  }

  /** Ends the recording with the run: what it came to is marked as complete. */
  close(isFailed: boolean): void {
    const recorder = this.#recorder;
    this.#recorder = undefined;
    try {
      if (isFailed) recorder?.fail();
      else recorder?.end();
    } catch {
      // A foreign state that cannot be hashed: what was marked before is whole without it.
    }
    this.#trace.flush();
  }

  /** Ends the recording, if there is one, before the run goes on at another tick. */
  jump(): void {
    if (this.#recorder === undefined) return;
    this.#recorder.end();
    this.#recorder = undefined;
    this.#trace.cut(this.#simulation.tick);
  }

  /** Attaches a recording to the run, whose setup has just run. */
  play(replay: Replay): void {
    this.#player = new ReplayPlayer(this.#simulation, replay);
  }

  /**
   * Goes to a tick of the replay, if there is one. Returns false, and stays, if it does not have
   * that tick, or no whole state to come from.
   */
  seek(tick: number): boolean {
    const player = this.#player;
    if (player === undefined) return true;
    if (!player.has(tick)) return false;
    try {
      player.seek(tick);
    } catch (cause) {
      const code = cause instanceof EscapementError ? cause.code : undefined;
      if (code !== 'REPLAY_INVALID' && code !== 'REPLAY_MISMATCH') throw cause;
      return false;
    }
    return true;
  }

  /** Goes on live from the present state. */
  leave(): void {
    this.#player?.leave();
    this.#player = undefined;
  }

  /** Copies the whole state between two ticks. */
  save(): SavedState {
    return { keyframe: this.#simulation.saveKeyframe(), quantum: this.#simulation.quantum };
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

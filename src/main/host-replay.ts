import { EscapementError } from '../shared/error.ts';
import type { KeyframeMessage, ReplayStatus } from '../shared/protocol.ts';
import { MemorySink } from '../shared/replay/memory-sink.ts';
import type { ReplayEndReason, ReplayHeader } from '../shared/replay/replay.ts';
import { ReplayWriter } from '../shared/replay/replay-writer.ts';
import { VERSION } from '../shared/version.ts';
import type { HostRun } from './host-run.ts';
import type { Peer } from './peer.ts';
import {
  type RecordOptions,
  type RecordPeriods,
  resolveRecord,
} from '../shared/replay/record-options.ts';
import { type Recording, RunRecording } from './recording.ts';
import type { ReplayControl } from './replay-control.ts';

/** What is recorded of a simulation, and what it is replayed from, as its host sees it. */
export class HostReplay {
  readonly #peer: Peer;
  readonly #run: () => HostRun;
  /** Settles as its work does, or rejects with what ends the simulation. */
  readonly #orEnd: <R>(work: Promise<R>) => Promise<R>;
  #recording: RunRecording | undefined;
  /** Keyframes that came before the recording had begun here. */
  #early: KeyframeMessage[] | undefined;

  constructor(peer: Peer, run: () => HostRun, orEnd: <R>(work: Promise<R>) => Promise<R>) {
    this.#peer = peer;
    this.#run = run;
    this.#orEnd = orEnd;
    peer.onKeyframe((message) => {
      if (this.#early !== undefined) this.#early.push(message);
      else this.#recording?.take(message);
    });
  }

  /** The recording that was begun last; it may have ended. */
  get recording(): Recording | undefined {
    return this.#recording;
  }

  /** What the present run is replayed from; undefined when it is live from its start. */
  get replay(): ReplayControl | undefined {
    const { replay } = this.#run();
    if (replay === undefined) return undefined;
    const { service } = this.#peer;
    return {
      header: replay.header,
      firstTick: replay.header.firstTick,
      lastTick: replay.lastTick,
      truncated: replay.truncated,
      status: (): Promise<ReplayStatus> => this.#orEnd(service.replayStatus()),
      leave: (): Promise<ReplayStatus> => this.#orEnd(service.leaveReplay()),
    };
  }

  /** Begins a recording from the present state on. */
  async record(options: RecordOptions): Promise<Recording> {
    const resolved = resolveRecord(options);
    const isBusy = this.#early !== undefined || this.#recording?.isOpen === true;
    if (isBusy) {
      throw new EscapementError('STATE_INVALID', 'The simulation is being recorded already.', {
        fix: 'Stop that recording first.',
      });
    }
    const run = this.#run();
    const { service } = this.#peer;
    const early: KeyframeMessage[] = [];
    this.#early = early;
    try {
      const firstTick = await this.#orEnd(service.record(resolved.periods));
      const endAtSource = (): Promise<unknown> => this.#orEnd(service.record(undefined));
      try {
        const header = this.#header(run, firstTick, resolved.periods);
        this.#recording = new RunRecording(run, header, resolved, endAtSource);
      } catch (cause) {
        await endAtSource();
        // What was told of it is nobody's.
        while (run.trace.next());
        throw cause;
      }
    } finally {
      this.#early = undefined;
    }
    for (const message of early) this.#recording.take(message);
    return this.#recording;
  }

  /** Copies the present state, as a recording of no tick. */
  async save(): Promise<Uint8Array> {
    const run = this.#run();
    const keyframe = await this.#orEnd(this.#peer.service.save());
    const { tick } = keyframe;
    const sink = new MemorySink();
    const periods = { hashEveryTicks: 1, keyframeEveryTicks: 1 };
    const writer = new ReplayWriter(sink, this.#header(run, tick, periods), {
      maxBytes: Number.MAX_SAFE_INTEGER,
    });
    writer.addKeyframe(keyframe);
    await writer.close(tick, 'stopped');
    if (writer.failure !== undefined) throw writer.failure;
    return sink.bytes();
  }

  /** Ends the recording with what is there: its run has ended. */
  conclude(reason: ReplayEndReason): void {
    this.#recording?.conclude(reason);
  }

  #header(run: HostRun, firstTick: number, periods: RecordPeriods): ReplayHeader {
    return {
      formatVersion: 1,
      library: VERSION,
      schema: run.schema,
      identity: this.#peer.hello.identity,
      seed: run.seed,
      params: run.schema.params,
      firstTick,
      ...periods,
    };
  }
}

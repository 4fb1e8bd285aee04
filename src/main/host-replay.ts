import { EscapementError } from '../shared/error.ts';
import type { KeyframeMessage, RecordAnswer, ReplayStatus } from '../shared/protocol.ts';
import { MemorySink } from '../shared/replay/memory-sink.ts';
import type { ReplayEndReason, ReplayHeader } from '../shared/replay/replay.ts';
import { ReplayWriter } from '../shared/replay/replay-writer.ts';
import { VERSION } from '../shared/version.ts';
import type { HostRun } from './host-run.ts';
import type { Peer } from './peer.ts';
import {
  type RecordOptions,
  type RecordPeriods,
  type ResolvedRecord,
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
  #isBeginning = false;
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
    const run = this.#run();
    const { replay } = run;
    if (replay === undefined) return undefined;
    const { service } = this.#peer;
    const ask = async (call: () => Promise<ReplayStatus>): Promise<ReplayStatus> => {
      this.#checkSame(run);
      return this.#orEnd(call());
    };
    return {
      header: replay.header,
      firstTick: replay.header.firstTick,
      lastTick: replay.lastTick,
      truncated: replay.truncated,
      status: (): Promise<ReplayStatus> => ask(() => service.replayStatus()),
      leave: (): Promise<ReplayStatus> => ask(() => service.leaveReplay()),
    };
  }

  /** Begins a recording from the present state on. */
  async record(options: RecordOptions): Promise<Recording> {
    // Asked first: what is refused must not have taken the stream that it was to be written to.
    if (this.#isBeginning || this.#recording?.isOpen === true) throw alreadyRecorded();
    const resolved = resolveRecord(options);
    this.#isBeginning = true;
    try {
      // One that ended by itself, or is just being stopped, still takes what is in the ring.
      await this.#recording?.detach();
      return await this.#begin(resolved);
    } finally {
      this.#isBeginning = false;
      this.#early = undefined;
    }
  }

  async #begin(resolved: ResolvedRecord): Promise<Recording> {
    const run = this.#run();
    const { service } = this.#peer;
    const early: KeyframeMessage[] = [];
    this.#early = early;
    const answer = await this.#orEnd(service.record(resolved.periods));
    const endAtSource = async (): Promise<boolean> =>
      (await this.#orEnd(service.record(undefined))).hasMore;
    let recording: RunRecording;
    try {
      this.#checkSame(run);
      const header = this.#header(run, answer, resolved.periods);
      recording = new RunRecording(run, header, resolved, endAtSource);
    } catch (cause) {
      // What was told of it is nobody's.
      do forget(this.#run());
      while (await endAtSource());
      forget(this.#run());
      throw cause;
    }
    this.#recording = recording;
    for (const message of early) recording.take(message);
    return recording;
  }

  /** Copies the present state, as a recording of no tick. */
  async save(): Promise<Uint8Array> {
    const run = this.#run();
    const { keyframe, quantum } = await this.#orEnd(this.#peer.service.save());
    this.#checkSame(run);
    const { tick } = keyframe;
    const sink = new MemorySink();
    const periods = { hashEveryTicks: 1, keyframeEveryTicks: 1 };
    const header = this.#header(run, { tick, quantum, isFromSetup: false }, periods);
    const writer = new ReplayWriter(sink, header, { maxBytes: Number.MAX_SAFE_INTEGER });
    writer.addKeyframe(keyframe);
    await writer.close(tick, 'stopped');
    if (writer.failure !== undefined) throw writer.failure;
    return sink.bytes();
  }

  /** Ends the recording with what is there: its run has ended. */
  conclude(reason: ReplayEndReason): void {
    this.#recording?.conclude(reason);
  }

  /** Throws when another run has taken the place of one that was asked. */
  #checkSame(run: HostRun): void {
    if (this.#run() === run) return;
    throw new EscapementError('STOPPED', 'The run ended because the simulation was restarted.', {
      fix: 'Ask again: another run is there now.',
    });
  }

  #header(
    run: HostRun,
    { tick, quantum, isFromSetup }: Omit<RecordAnswer, 'hasMore'>,
    periods: RecordPeriods,
  ): ReplayHeader {
    const { numerator, denominator } = quantum;
    return {
      formatVersion: 1,
      library: VERSION,
      schema: { ...run.schema, quantum: { numerator, denominator } },
      identity: this.#peer.hello.identity,
      seed: run.seed,
      params: run.schema.params,
      firstTick: tick,
      ...(tick === 0 && !isFromSetup && { fromSetup: false as const }),
      ...periods,
    };
  }
}

/** Empties the trace of a run that nobody writes down. */
function forget({ trace, onEmptied }: HostRun): void {
  while (trace.next() || (onEmptied?.() === true && trace.next()));
}

function alreadyRecorded(): EscapementError {
  return new EscapementError('STATE_INVALID', 'The simulation is being recorded already.', {
    fix: 'Stop that recording first.',
  });
}

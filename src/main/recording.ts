import { EscapementError } from '../shared/error.ts';
import type { KeyframeMessage } from '../shared/protocol.ts';
import { MemorySink, type RecordingResult } from '../shared/replay/memory-sink.ts';
import type { ResolvedRecord } from '../shared/replay/record-options.ts';
import type { ReplayEndReason, ReplayHeader } from '../shared/replay/replay.ts';
import { ReplayWriter } from '../shared/replay/replay-writer.ts';
import { TRACE, TRACE_HEADER_WORDS } from '../shared/replay/trace-words.ts';
import type { HostRun } from './host-run.ts';

/*
 * Threads    the host's thread alone.
 * Memory     empties the region's trace ring.
 * Ordering   the ring orders itself; a keyframe names its tick, wherever it comes between.
 * Progress   never blocks; looks into the ring ten times a second, and once more at the end.
 * Invariant  what was marked as complete is in the file, or `failure` says why it is not.
 */

/** How often what was recorded is fetched. */
const PERIOD_MS = 100;
/** The same once the end was asked for, while there is more. */
const FETCH_ALL_MS = 2;

/** A recording that is being made. */
export interface Recording {
  readonly firstTick: number;
  /** It holds everything up to the state after this tick. */
  readonly lastTick: number;
  readonly bytesWritten: number;
  /** Why it has ended; undefined while it goes on. */
  readonly end: ReplayEndReason | undefined;
  /** What made writing fail; nothing is written any more. */
  readonly failure: EscapementError | undefined;
  /**
   * Ends the recording with the present tick and resolves when all of it is written. Rejects with
   * what made writing fail. Idempotent.
   */
  stop(): Promise<RecordingResult>;
}

/** Writes down what a run sends of itself. */
export class RunRecording implements Recording {
  readonly firstTick: number;
  readonly #run: HostRun;
  readonly #writer: ReplayWriter;
  readonly #memory: MemorySink | undefined;
  readonly #endAtSource: () => Promise<unknown>;
  readonly #timer: unknown;
  #closing: Promise<RecordingResult> | undefined;
  /** Whether the last that the simulation hands over is here. */
  #isWhole = false;
  /** The end of the file, written before anybody asked: it was full, or records were lost. */
  #earlyEnd: Promise<unknown> | undefined;

  /** `endAtSource` tells the simulation that it is no longer recorded. */
  constructor(
    run: HostRun,
    header: ReplayHeader,
    options: ResolvedRecord,
    endAtSource: () => Promise<unknown>,
  ) {
    this.#run = run;
    this.firstTick = header.firstTick;
    this.#memory = options.to === undefined ? new MemorySink() : undefined;
    const sink = options.to ?? (this.#memory as MemorySink);
    const { maxBytes } = options;
    this.#writer = new ReplayWriter(sink, header, maxBytes === undefined ? {} : { maxBytes });
    this.#endAtSource = endAtSource;
    this.#timer = setInterval(() => this.#fetch(), PERIOD_MS);
    // A recording does not keep a Node process alive; the simulation does.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  get lastTick(): number {
    return this.#writer.lastTick;
  }

  get bytesWritten(): number {
    return this.#writer.bytesWritten;
  }

  get end(): ReplayEndReason | undefined {
    return this.#writer.end;
  }

  get failure(): EscapementError | undefined {
    return this.#writer.failure;
  }

  /** Whether more may come. */
  get isOpen(): boolean {
    return this.#closing === undefined && this.end === undefined;
  }

  /** Takes a keyframe that the simulation sent. */
  take({ run, keyframe }: KeyframeMessage): void {
    // Those that were under way when the end was asked for still belong to it.
    if (run === this.#run.run) this.#writer.addKeyframe(keyframe);
  }

  stop(): Promise<RecordingResult> {
    this.#closing ??= this.#fetchAll().then(
      () => this.#close('stopped'),
      (cause: unknown) => this.#close(reasonOf(cause)),
    );
    return this.#closing;
  }

  /** Fetches until the simulation has handed over the last of it: the ring may be full of more. */
  async #fetchAll(): Promise<void> {
    await this.#endAtSource();
    for (this.#fetch(); !this.#isWhole && this.#isWriting; this.#fetch()) {
      await new Promise<void>((resolve) => setTimeout(resolve, FETCH_ALL_MS));
      await this.#endAtSource();
    }
  }

  get #isWriting(): boolean {
    return this.#writer.end === undefined && this.#writer.failure === undefined;
  }

  /** Ends the recording with what is there: the simulation has ended. */
  conclude(reason: ReplayEndReason): void {
    this.#closing ??= this.#close(reason);
    this.#closing.catch(() => undefined);
  }

  async #close(reason: ReplayEndReason): Promise<RecordingResult> {
    clearInterval(this.#timer);
    this.#fetch();
    const writer = this.#writer;
    await this.#earlyEnd;
    if (writer.end === undefined) await writer.close(writer.lastTick, reason);
    if (writer.failure !== undefined) throw writer.failure;
    const { firstTick, lastTick, bytesWritten } = this;
    const bytes = this.#memory?.bytes();
    return { firstTick, lastTick, bytesWritten, reason: writer.end ?? reason, bytes };
  }

  #fetch(): void {
    const { trace } = this.#run;
    while (trace.next() || (this.#run.onEmptied?.() && trace.next())) {
      this.#put(trace.kind, trace.words, trace.lengthWords);
    }
    if (this.#isWriting || this.#closing !== undefined) return;
    // Nothing more is wanted: the simulation need not take it down.
    this.#earlyEnd ??= this.#endAtSource().catch(() => undefined);
  }

  #put(kind: number, words: Uint32Array, length: number): void {
    const writer = this.#writer;
    if (kind === TRACE.end || kind === TRACE.lost) this.#isWhole = true;
    if (!this.#isWriting) return;
    const tick = (words[1] as number) * 2 ** 32 + (words[0] as number);
    if (kind === TRACE.input) {
      const input = words[2] as number;
      writer.addInput(tick, input, words, TRACE_HEADER_WORDS, length - TRACE_HEADER_WORDS);
    } else if (kind === TRACE.hash) {
      writer.addHash(tick, words[2] as number, words[3] as number);
    } else if (kind === TRACE.mark) {
      void writer.flush(tick).catch(() => undefined);
    } else if (kind === TRACE.lost) {
      this.#earlyEnd = writer.close(tick, 'lost').catch(() => undefined);
    }
  }
}

/** Why a recording ends whose simulation does not answer any more. */
function reasonOf(cause: unknown): ReplayEndReason {
  return cause instanceof EscapementError && cause.code === 'STOPPED' ? 'stopped' : 'failed';
}

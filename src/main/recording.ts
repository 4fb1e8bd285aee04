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
  readonly #endAtSource: () => Promise<boolean>;
  readonly #timer: unknown;
  #closing: Promise<RecordingResult> | undefined;
  /** Whether all that the simulation sent is here: while it is told to end, more comes. */
  #isClosed = false;
  #setDetached: () => void = () => undefined;
  readonly #detached: Promise<void> = new Promise((resolve) => {
    this.#setDetached = resolve;
  });

  /**
   * `endAtSource` tells the simulation that it is no longer recorded. It resolves with whether
   * records still wait there for room in the ring: that is emptied then, and it is told again.
   */
  constructor(
    run: HostRun,
    header: ReplayHeader,
    options: ResolvedRecord,
    endAtSource: () => Promise<boolean>,
  ) {
    this.#run = run;
    this.firstTick = header.firstTick;
    this.#memory = options.to === undefined ? new MemorySink() : undefined;
    const sink = options.to ?? (this.#memory as MemorySink);
    const { maxBytes } = options;
    this.#writer = new ReplayWriter(sink, header, maxBytes === undefined ? {} : { maxBytes });
    this.#endAtSource = endAtSource;
    this.#timer = setInterval(() => this.#look(), PERIOD_MS);
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
    return this.#closing === undefined && !this.#isOver;
  }

  /** Ends it, if it has not ended; resolves when it takes nothing of the run any more. */
  detach(): Promise<void> {
    this.stop().catch(() => undefined);
    return this.#detached;
  }

  /** Takes a keyframe that the simulation sent. */
  take({ run, keyframe }: KeyframeMessage): void {
    if (run === this.#run.run && !this.#isClosed) this.#writer.addKeyframe(keyframe);
  }

  stop(): Promise<RecordingResult> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Ends the recording with what is there: the simulation has ended. */
  conclude(reason: ReplayEndReason): void {
    this.#closing ??= this.#close(reason);
    this.#closing.catch(() => undefined);
  }

  async #end(): Promise<RecordingResult> {
    try {
      while (await this.#endAtSource()) this.#fetch();
    } catch (cause) {
      return this.#close(reasonOf(cause));
    }
    return this.#close('stopped');
  }

  async #close(reason: ReplayEndReason): Promise<RecordingResult> {
    clearInterval(this.#timer);
    this.#fetch();
    this.#isClosed = true;
    this.#setDetached();
    const writer = this.#writer;
    await writer.close(writer.lastTick, reason);
    const { firstTick, lastTick, bytesWritten } = this;
    const bytes = this.#memory?.bytes();
    return { firstTick, lastTick, bytesWritten, reason: writer.end ?? reason, bytes };
  }

  /** Whether nothing more is written. */
  get #isOver(): boolean {
    return this.#writer.end !== undefined || this.#writer.failure !== undefined;
  }

  #look(): void {
    this.#fetch();
    // Nothing more is wanted: the simulation need not take it down, and another one may begin.
    if (this.#isOver) this.stop().catch(() => undefined);
  }

  #fetch(): void {
    const { trace } = this.#run;
    while (trace.next() || (this.#run.onEmptied?.() && trace.next())) {
      this.#put(trace.kind, trace.words, trace.lengthWords);
    }
  }

  #put(kind: number, words: Uint32Array, length: number): void {
    const writer = this.#writer;
    if (this.#isOver) return;
    const tick = (words[1] as number) * 2 ** 32 + (words[0] as number);
    if (kind === TRACE.input) {
      const input = words[2] as number;
      writer.addInput(tick, input, words, TRACE_HEADER_WORDS, length - TRACE_HEADER_WORDS);
    } else if (kind === TRACE.hash) {
      writer.addHash(tick, words[2] as number, words[3] as number);
    } else if (kind === TRACE.mark) {
      void writer.flush(tick).catch(() => undefined);
    } else if (kind === TRACE.lost) {
      void writer.close(tick, 'lost').catch(() => undefined);
    } else if (kind === TRACE.cut) {
      void writer.close(tick, 'stopped').catch(() => undefined);
    }
  }
}

/** Why a recording ends whose simulation does not answer any more. */
function reasonOf(cause: unknown): ReplayEndReason {
  return cause instanceof EscapementError && cause.code === 'STOPPED' ? 'stopped' : 'failed';
}

import { assert } from '../assert.ts';
import { describeCause, EscapementError } from '../error.ts';
import { getU32, putU32 } from '../little-endian.ts';
import { ChunkStage } from './chunk-stage.ts';
import { packEnd } from './end-record.ts';
import {
  CHUNK_HEAD_BYTES,
  END_BYTES,
  FORMAT_VERSION,
  MAGIC,
  MAX_BYTES_DEFAULT,
  PRELUDE_BYTES,
  RECORD_FRAME_BYTES,
  RECORD_HEAD_BYTES,
  RECORD_TYPE,
} from './format.ts';
import { encodeHeader, type ReplayShape, shapeOf } from './header.ts';
import { assertKeyframe, packKeyframe, stateBytes } from './keyframe-record.ts';
import { createRecord, sealRecord } from './record.ts';
import type {
  Keyframe,
  ReplayEndReason,
  ReplayHeader,
  ReplaySink,
  ReplayWriterOptions,
} from './replay.ts';

/** Kept free for the last record. */
const END_ROOM_BYTES = RECORD_FRAME_BYTES + END_BYTES;

/** Bytes of keyframes that may wait to be written; one may wait whatever its size. */
const KEYFRAMES_WAITING_BYTES_MAX: number = 64 * 2 ** 20;

/**
 * Writes a recording to a sink, record by record, so that what is there can be read at any moment.
 * One write is under way at a time. Waiting for it are at most one chunk, which holds all that was
 * added meanwhile, and 64 MiB of keyframes.
 *
 * What it is told must be in order: inputs by tick, hashes by ascending tick, keyframes by
 * ascending tick, none of them at a tick that was flushed (keyframes may be). A breach throws
 * AssertionError. Once the recording ended, for whatever reason, adding does nothing but count.
 */
export class ReplayWriter {
  readonly #sink: ReplaySink;
  readonly #shape: ReplayShape;
  readonly #stage: ChunkStage;
  readonly #maxBytes: number;
  readonly #totals: { inputCount: number; hashCount: number; keyframeCount: number };
  #chunkCount = 0;
  #bytesWritten = 0;
  #lastTick: number;
  /** What was asked to be written: the chunk that is written next goes through it. */
  #throughTick: number;
  #keyframeTick = -1;
  #keyframesWaitingBytes = 0;
  #keyframesSkipped = 0;
  #ignoredCount = 0;
  /** Whether nothing more is taken. */
  #isOver = false;
  #isSinkClosed = false;
  #end: ReplayEndReason | undefined;
  #failure: EscapementError | undefined;
  /** Settles when all that is queued is written; never rejects. */
  #queue: Promise<void> = Promise.resolve();
  /** Settles when all keyframes are written or skipped; never rejects. */
  #keyframes: Promise<void> = Promise.resolve();
  /** The chunk that is queued and not begun. */
  #nextChunk: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /**
   * Begins the file. Throws REPLAY_INVALID for a header that no reader would take, OPTION_INVALID
   * for a `maxBytes` that is no integer or has no room for the header.
   */
  constructor(sink: ReplaySink, header: ReplayHeader, options: ReplayWriterOptions = {}) {
    const begin = beginningOf(header);
    this.#maxBytes = checkMaxBytes(options.maxBytes ?? MAX_BYTES_DEFAULT, begin.length);
    this.#sink = sink;
    this.#shape = shapeOf(header.schema);
    this.#stage = new ChunkStage(this.#shape.inputWords, header.firstTick);
    this.#totals = { inputCount: 0, hashCount: 0, keyframeCount: 0 };
    this.#lastTick = header.firstTick;
    this.#throughTick = header.firstTick;
    void this.#enqueue(async () => void (await this.#write(begin)));
  }

  /** Bytes that the sink has taken. */
  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  /** The file is complete through this tick. */
  get lastTick(): number {
    return this.#lastTick;
  }

  /** Why the file ended, undefined while it has no last record. */
  get end(): ReplayEndReason | undefined {
    return this.#end;
  }

  /** RECORDING_FAILED once the sink threw: the file ends there, and stays as it is. */
  get failure(): EscapementError | undefined {
    return this.#failure;
  }

  /** Inputs, hashes and keyframes that came when the recording was over. */
  get ignoredCount(): number {
    return this.#ignoredCount;
  }

  /** Keyframes left out because the sink could not keep up, or the file was full. */
  get keyframesSkipped(): number {
    return this.#keyframesSkipped;
  }

  /** Adds an input that `tick` consumed. Allocates nothing but room that is kept. */
  addInput(tick: number, input: number, words: Uint32Array, begin: number, length: number): void {
    if (this.#isOver) {
      this.#ignoredCount++;
      return;
    }
    this.#stage.addInput(tick, input, words, begin, length);
    this.#checkRoom();
  }

  /** Adds the hash of the state after `tick`. Allocates nothing but room that is kept. */
  addHash(tick: number, high: number, low: number): void {
    if (this.#isOver) {
      this.#ignoredCount++;
      return;
    }
    this.#stage.addHash(tick, high, low);
    this.#checkRoom();
  }

  /**
   * Adds the state after a tick; its arrays are the writer's from now on. It is compressed beside
   * this thread and written when that is done. Left out, and counted, if 64 MiB of keyframes wait.
   */
  addKeyframe(keyframe: Keyframe): void {
    if (this.#isOver) {
      this.#ignoredCount++;
      return;
    }
    assertKeyframe(keyframe, this.#shape);
    assert(keyframe.tick > this.#keyframeTick, 'recorded keyframes come in order');
    const bytes = stateBytes(keyframe);
    const waiting = this.#keyframesWaitingBytes;
    if (waiting > 0 && waiting + bytes > KEYFRAMES_WAITING_BYTES_MAX) {
      this.#keyframesSkipped++;
      return;
    }
    this.#keyframeTick = keyframe.tick;
    this.#keyframesWaitingBytes += bytes;
    this.#keyframes = this.#keyframes.then(async () => {
      await this.#takeKeyframe(keyframe);
      this.#keyframesWaitingBytes -= bytes;
    });
  }

  /**
   * For whoever can wait: settles when the keyframes that wait are written, if they take more than
   * half of the room that there is for them; undefined if they do not.
   */
  relief(): Promise<void> | undefined {
    const isPressed = 2 * this.#keyframesWaitingBytes > KEYFRAMES_WAITING_BYTES_MAX;
    return isPressed ? this.#keyframes : undefined;
  }

  /**
   * Hands over all inputs and hashes up to and with `tick`; none of them may follow. Resolves when
   * the sink has them, or when the recording is over: see {@link end} and {@link lastTick}. Rejects
   * with {@link failure} if there is one.
   */
  async flush(tick: number): Promise<void> {
    if (this.#isOver) await this.#queue;
    else await this.#flushThrough(tick);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Flushes, waits for the keyframes, ends the file and closes the sink. A recording that has ended
   * already keeps its reason. Rejects with {@link failure} if there is one. A second call waits for
   * the first.
   */
  async close(tick: number, reason: ReplayEndReason): Promise<void> {
    this.#closing ??= this.#close(tick, reason);
    await this.#closing;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #close(tick: number, reason: ReplayEndReason): Promise<void> {
    const flushed = this.#isOver ? this.#queue : this.#flushThrough(tick);
    this.#isOver = true;
    await flushed;
    await this.#keyframes;
    await this.#enqueue(() => this.#finish(reason));
    await this.#closeSink();
  }

  /** Whether the file can still grow. */
  get #canWrite(): boolean {
    return this.#end === undefined && this.#failure === undefined;
  }

  #flushThrough(tick: number): Promise<void> {
    assert(Number.isSafeInteger(tick), 'a recording is flushed through a tick');
    if (tick <= this.#throughTick) return this.#nextChunk ?? this.#queue;
    this.#throughTick = tick;
    this.#stage.settle(tick);
    this.#nextChunk ??= this.#enqueue(() => this.#writeChunk());
    return this.#nextChunk;
  }

  /** Ends a recording that cannot be flushed any more, so that what is staged has a bound. */
  #checkRoom(): void {
    const least = RECORD_FRAME_BYTES + CHUNK_HEAD_BYTES + this.#stage.leastBytes;
    if (this.#bytesWritten + least + END_ROOM_BYTES > this.#maxBytes) this.#endFull();
  }

  /** On its own: a function that holds a closure makes the closure's context at every call. */
  #endFull(): void {
    this.#isOver = true;
    void this.#enqueue(() => this.#finish('full'));
  }

  async #writeChunk(): Promise<void> {
    this.#nextChunk = undefined;
    const through = this.#throughTick;
    if (!this.#canWrite || through <= this.#lastTick) return;
    const record = this.#stage.takeRecord(this.#lastTick, through);
    if (!(await this.#writeIfRoom(record))) return;
    this.#lastTick = through;
    this.#chunkCount++;
    this.#totals.inputCount += getU32(record, RECORD_HEAD_BYTES + 16);
    this.#totals.hashCount += getU32(record, RECORD_HEAD_BYTES + 20);
  }

  async #takeKeyframe(keyframe: Keyframe): Promise<void> {
    const before = this.#totals.keyframeCount;
    try {
      const record = this.#canWrite ? await packKeyframe(keyframe) : undefined;
      if (record !== undefined) await this.#enqueue(() => this.#writeKeyframe(record));
    } catch {
      // No memory for the record: the run follows from the inputs without it.
    }
    if (this.#totals.keyframeCount === before) this.#keyframesSkipped++;
  }

  async #writeKeyframe(record: Uint8Array): Promise<void> {
    if (this.#canWrite && (await this.#writeIfRoom(record))) this.#totals.keyframeCount++;
  }

  async #writeIfRoom(record: Uint8Array): Promise<boolean> {
    if (this.#bytesWritten + record.length + END_ROOM_BYTES <= this.#maxBytes) {
      return await this.#write(record);
    }
    await this.#finish('full');
    return false;
  }

  async #finish(reason: ReplayEndReason): Promise<void> {
    this.#isOver = true;
    if (!this.#canWrite) return;
    const totals = { ...this.#totals, tick: this.#lastTick, chunkCount: this.#chunkCount };
    if (!(await this.#write(packEnd(totals, reason)))) return;
    this.#end = reason;
    await this.#closeSink();
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    // The sink may keep what it is given, so the length is taken before.
    const { length } = bytes;
    try {
      await this.#sink.write(bytes);
      this.#bytesWritten += length;
      return true;
    } catch (cause) {
      this.#fail(cause);
      return false;
    }
  }

  async #closeSink(): Promise<void> {
    if (this.#isSinkClosed) return;
    this.#isSinkClosed = true;
    try {
      await this.#sink.close();
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(work).catch((cause: unknown) => this.#fail(cause));
    return this.#queue;
  }

  #fail(cause: unknown): void {
    this.#isOver = true;
    const kept =
      this.#bytesWritten === 0
        ? 'Nothing was written.'
        : `What was written through tick ${this.#lastTick} can be read.`;
    this.#failure ??= new EscapementError('RECORDING_FAILED', 'The recording cannot be written.', {
      given: describeCause(cause).split('\n', 1)[0],
      fix: `${kept} Record again elsewhere.`,
      cause,
    });
  }
}

function beginningOf(header: ReplayHeader): Uint8Array {
  const json = encodeHeader(header);
  const record = createRecord(RECORD_TYPE.header, 0, json.length);
  record.set(json, RECORD_HEAD_BYTES);
  const begin = new Uint8Array(PRELUDE_BYTES + record.length);
  begin.set(MAGIC);
  putU32(begin, MAGIC.length, FORMAT_VERSION);
  begin.set(sealRecord(record), PRELUDE_BYTES);
  return begin;
}

function checkMaxBytes(maxBytes: number, beginBytes: number): number {
  const min = beginBytes + END_ROOM_BYTES;
  if (Number.isSafeInteger(maxBytes) && maxBytes >= min) return maxBytes;
  throw new EscapementError('OPTION_INVALID', '`maxBytes` is out of range.', {
    given: String(maxBytes),
    allowed: `an integer from ${min}, which this header and the end of a file take`,
    fix: `Leave it out: the default is ${MAX_BYTES_DEFAULT}.`,
  });
}

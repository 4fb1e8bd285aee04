import { readFile, rm } from 'node:fs/promises';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { CapturedShot } from '../main/capture/capture-frames.ts';
import { EscapementError } from '../shared/error.ts';
import type { SpoolMessage, SpoolOutcome, SpoolTask } from './capture-worker.ts';
import type { Still, StillTask, TakenOf } from './capture-stills.ts';
import { splitFrames } from './frame-range.ts';
import { spooledStill } from './spooled-still.ts';
import { UsageError } from './usage-error.ts';

/** What a pool tells while it works. */
export interface PoolListener {
  /** A frame was taken, in no order. */
  taken(): void;
  err(text: string): void;
}

/**
 * Takes a film on several threads at once: each takes a run of frames of its own, and all that it
 * shows follows from a frame's number alone. Frames wait in a folder until their turn has come.
 */
export class CapturePool {
  readonly #tasks: readonly StillTask[];
  readonly #spool: string;
  readonly #listener: PoolListener;
  readonly #pool: Piscina<SpoolTask, void>;
  readonly #shots: Map<number, CapturedShot> = new Map();
  #of: TakenOf | undefined;
  #failure: unknown;
  #changed: () => void = () => undefined;

  constructor(task: StillTask, jobs: number, spool: string, listener: PoolListener) {
    this.#tasks = splitFrames(task, jobs).map((range) => ({ ...task, ...range }));
    this.#spool = spool;
    this.#listener = listener;
    this.#pool = new Piscina<SpoolTask, void>({
      filename: new URL('capture-worker.js', import.meta.url).href,
      minThreads: this.#tasks.length,
      maxThreads: this.#tasks.length,
      concurrentTasksPerWorker: 1,
      execArgv: [],
    });
  }

  /** What is taken; known with the first frame. */
  get of(): TakenOf {
    if (this.#of !== undefined) return this.#of;
    throw new EscapementError('STATE_INVALID', 'No frame has been taken yet.');
  }

  /** Returns the frames in their order. Rejects with what made a part fail. */
  async *take(): AsyncGenerator<Still, void, undefined> {
    const parts = this.#tasks.map((task) => this.#run(task));
    for (const part of parts) {
      part.catch((cause: unknown) => {
        this.#failure ??= cause;
        this.#changed();
      });
    }
    for (const { first, count } of this.#tasks) {
      for (let index = first; index < first + count; index++) yield await this.#arrival(index);
    }
    await Promise.all(parts);
  }

  /** Ends all threads, whatever they do; what is being taken rejects. Idempotent. */
  async close(): Promise<void> {
    this.#failure ??= new EscapementError('STOPPED', 'The pool was closed.');
    this.#changed();
    await this.#pool.destroy();
  }

  async #arrival(index: number): Promise<Still> {
    for (;;) {
      const shot = this.#shots.get(index);
      if (shot !== undefined) {
        this.#shots.delete(index);
        const path = spooledStill(this.#spool, index);
        const bytes = await readFile(path);
        await rm(path);
        return { shot, bytes };
      }
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  async #run(task: StillTask): Promise<void> {
    const { port1: near, port2: port } = new MessageChannel();
    const ended = new Promise<SpoolOutcome>((resolve) => {
      near.on('message', (message: SpoolMessage) => {
        if ('end' in message) resolve(message.end);
        else this.#hear(message);
      });
    });
    try {
      const spool = this.#spool;
      await this.#pool.run({ task, spool, port }, { transferList: [port] });
      // The pool's own answer may come before the last frames.
      const outcome = await ended;
      if (outcome === undefined) return;
      const error = EscapementError.fromRecord(outcome.error);
      throw outcome.isUsage ? UsageError.from(error) : error;
    } finally {
      near.close();
    }
  }

  #hear(message: Exclude<SpoolMessage, { end: SpoolOutcome }>): void {
    if ('err' in message) this.#listener.err(message.err);
    else if ('of' in message) this.#of = message.of;
    else {
      this.#shots.set(message.shot.index, message.shot);
      this.#listener.taken();
      this.#changed();
    }
  }
}

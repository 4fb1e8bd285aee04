import type { ReplayEndReason, ReplaySink } from './replay.ts';

/** What a recording came to. */
export interface RecordingResult {
  readonly firstTick: number;
  /** The last tick whose state it leads to. */
  readonly lastTick: number;
  readonly bytesWritten: number;
  readonly reason: ReplayEndReason;
  /** All of it, when it was kept in memory. */
  readonly bytes: Uint8Array | undefined;
}

/** Keeps a recording in memory. */
export class MemorySink implements ReplaySink {
  readonly #parts: Uint8Array[] = [];

  write(bytes: Uint8Array): void {
    this.#parts.push(bytes.slice());
  }

  close(): void {}

  /** Returns all that was written. */
  bytes(): Uint8Array {
    const length = this.#parts.reduce((sum, part) => sum + part.length, 0);
    const all = new Uint8Array(length);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

import type { ResolvedConditions } from './link-options.ts';

/**
 * The one place through which everything leaves a sender, at so many bytes a second. What comes
 * while it is busy waits behind what came before.
 */
export class Bottleneck {
  /** When it is free again. Times come and go in arrays: a double that is handed over is boxed. */
  readonly #freeMs: Float64Array = new Float64Array(1);

  /** Says whether `length` more bytes may wait at the time `nowMs[0]`. */
  hasRoom(conditions: ResolvedConditions, nowMs: Float64Array, length: number): boolean {
    const { bandwidthBytesPerS, maxQueuedBytes } = conditions;
    if (bandwidthBytesPerS === Infinity) return true;
    const waitMs = (this.#freeMs[0] as number) - (nowMs[0] as number);
    const queuedBytes = waitMs > 0 ? (waitMs * bandwidthBytesPerS) / 1000 : 0;
    // Times are rounded, so what waits may come out a hair above whole bytes.
    return Math.floor(queuedBytes + 0.5) + length <= maxQueuedBytes;
  }

  /** Sends `length` bytes from the time `timesMs[at]` on; writes there when the last has left. */
  send(conditions: ResolvedConditions, length: number, timesMs: Float64Array, at: number): void {
    const free = this.#freeMs;
    const begin = Math.max(timesMs[at] as number, free[0] as number);
    // Without a limit the quotient is 0.
    free[0] = begin + (length * 1000) / conditions.bandwidthBytesPerS;
    timesMs[at] = free[0] as number;
  }
}

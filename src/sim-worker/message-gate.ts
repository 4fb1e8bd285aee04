import { HEADER } from '../shared/words.ts';

/*
 * Threads    the simulation thread alone.
 * Memory     reads `messagesPosted`.
 * Ordering   the host raises the word before it posts, then wakes the driver.
 * Progress   never blocks; the driver leaves its wait and stays in the event loop meanwhile.
 * Invariant  a driver parks only when it has handled as many messages as were posted.
 */

/** Counts handled messages, so that a parked driver never starves the few that come. */
export class MessageGate {
  #handled = 0;
  #posted: Int32Array | undefined;
  #resume: (() => void) | undefined;

  /** Compares with a region's counter from now on; the host carries its total over. */
  attach(words: Int32Array): void {
    this.#posted = words;
  }

  /** Notes that one message has been handled. */
  handled(): void {
    this.#handled = (this.#handled + 1) | 0;
    if (!this.pending) this.#release();
  }

  /** Whether the host posted messages that were not handled yet. */
  get pending(): boolean {
    const words = this.#posted;
    if (words === undefined) return false;
    return ((Atomics.load(words, HEADER.messagesPosted) - this.#handled) | 0) > 0;
  }

  /** Resolves when nothing is pending. */
  async drained(): Promise<void> {
    while (this.pending) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }

  #release(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }
}

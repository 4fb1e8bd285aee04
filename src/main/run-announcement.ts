import type { RegionHandle } from '../shared/handle.ts';
import { WHICH_RUN } from '../shared/run-watch.ts';

interface Channel {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  unref?(): void;
  close(): void;
}

/**
 * Tells what is open on other threads that a restart made another region, so that it can move over,
 * and answers who comes too late to have heard. Rare, so it is a message; memory that is not shared
 * stays on this thread and is not announced.
 */
export class RunAnnouncement {
  readonly #newest: () => RegionHandle;
  #channel: Channel | undefined;

  /** `newest` returns the handle of the run in force. */
  constructor(newest: () => RegionHandle) {
    this.#newest = newest;
  }

  /** Announces the newest run. Listens from the first one on: before it nobody can be late. */
  announce(shared: boolean): void {
    const { BroadcastChannel } = globalThis as { BroadcastChannel?: new (name: string) => Channel };
    if (!shared || BroadcastChannel === undefined) return;
    this.#channel ??= this.#listen(new BroadcastChannel(`escapement/${this.#newest().id}`));
    this.#channel.postMessage(this.#newest());
  }

  /** Answers no more. */
  close(): void {
    this.#channel?.close();
  }

  #listen(channel: Channel): Channel {
    channel.onmessage = ({ data }) => {
      if (data === WHICH_RUN) channel.postMessage(this.#newest());
    };
    channel.unref?.();
    return channel;
  }
}

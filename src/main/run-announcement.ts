import type { RegionHandle } from '../shared/handle.ts';
import type { HostRun } from './host-run.ts';

interface Channel {
  postMessage(message: unknown): void;
  close(): void;
}

/**
 * Tells views on other threads that a restart made another region, so that they can move over.
 * Rare, so it is a message; memory that is not shared stays on this thread and is not announced.
 */
export function announceRun(handle: RegionHandle, run: HostRun): void {
  const { BroadcastChannel } = globalThis as { BroadcastChannel?: new (name: string) => Channel };
  if (!run.region.shared || BroadcastChannel === undefined) return;
  const channel = new BroadcastChannel(`escapement/${handle.id}`);
  channel.postMessage(handle);
  channel.close();
}

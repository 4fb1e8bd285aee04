import type { MonotonicClock } from './instant.ts';
import { RECORD_BYTES } from './layout.ts';
import { RECORD_WORD } from './record.ts';
import type { Region } from './region.ts';
import type { Signal } from './signal.ts';
import { waitUntil, waitUntilAsync } from './wait.ts';
import { HEADER, REGION_STATE } from './words.ts';

/*
 * Threads    any.
 * Memory     state, sequence, current, and the tick words of the record in force.
 * Ordering   a record's tick words are stored before `current` names it, and stored again only
 *            after `sequence` went on: between two equal loads of it they belong together.
 * Progress   lock-free; waits are bounded slices.
 * Invariant  a wait ends with a reason, whatever happens to the simulation.
 */

/** Why a wait for a tick ended. */
export type TickWaitReason = 'changed' | 'epoch-changed' | 'stopped' | 'failed' | 'timed-out';

/** Where a wait for a tick ended, and why. */
export interface TickChange {
  readonly reason: TickWaitReason;
  readonly tick: number;
  readonly epoch: number;
}

/** Reads the tick and epoch in force; both 0 before the first. May be stale as soon as returned. */
export function readTick(region: Region): { readonly tick: number; readonly epoch: number } {
  const words = region.i32;
  for (;;) {
    const sequence = Atomics.load(words, HEADER.sequence);
    const current = Atomics.load(words, HEADER.current);
    if (current < 0) return { tick: 0, epoch: 0 };
    const record = (region.layout.records + current * RECORD_BYTES) / 4;
    const low = Atomics.load(words, record + RECORD_WORD.tickLow) >>> 0;
    const high = Atomics.load(words, record + RECORD_WORD.tickHigh) >>> 0;
    const epoch = Atomics.load(words, record + RECORD_WORD.epoch) >>> 0;
    if (Atomics.load(words, HEADER.sequence) === sequence) {
      return { tick: high * 2 ** 32 + low, epoch };
    }
  }
}

function condition(region: Region, tick: number, epoch: number): () => TickChange | undefined {
  return () => {
    const state = Atomics.load(region.i32, HEADER.state);
    const now = readTick(region);
    if (now.epoch !== epoch) return { reason: 'epoch-changed', ...now };
    if (now.tick !== tick) return { reason: 'changed', ...now };
    if (state === REGION_STATE.failed) return { reason: 'failed', ...now };
    if (state === REGION_STATE.stopped || state === REGION_STATE.replaced) {
      return { reason: 'stopped', ...now };
    }
    return undefined;
  };
}

function settle(region: Region, ended: TickChange | 'timed-out' | 'closed'): TickChange {
  if (typeof ended === 'object') return ended;
  const failed = Atomics.load(region.i32, HEADER.state) === REGION_STATE.failed;
  const closed: TickWaitReason = failed ? 'failed' : 'stopped';
  return { reason: ended === 'closed' ? closed : 'timed-out', ...readTick(region) };
}

/** Blocks until the tick in force is no longer `tick`, the epoch changes, or the run ends. */
export function waitForTickChange(
  region: Region,
  sequence: Signal,
  tick: number,
  timeoutMs: number,
  clock: MonotonicClock,
): TickChange {
  const { epoch } = readTick(region);
  return settle(region, waitUntil(sequence, condition(region, tick, epoch), timeoutMs, clock));
}

/** Waits as {@link waitForTickChange} does, without blocking the thread. */
export async function waitForTickChangeAsync(
  region: Region,
  sequence: Signal,
  tick: number,
  timeoutMs: number,
  clock: MonotonicClock,
): Promise<TickChange> {
  const { epoch } = readTick(region);
  const ended = condition(region, tick, epoch);
  return settle(region, await waitUntilAsync(sequence, ended, timeoutMs, clock));
}

import { isPaused } from './clock-status.ts';
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
 * Ordering   a record is filled before `current` names it, and again only after `sequence` went
 *            on: what is read between two equal loads of it belongs together.
 * Progress   lock-free; waits are bounded slices.
 * Invariant  a wait ends with a reason, whatever happens to the simulation.
 */

/** Why a wait for a tick ended; `paused` only if that was asked for. */
export type TickWaitReason =
  | 'changed'
  | 'epoch-changed'
  | 'paused'
  | 'stopped'
  | 'failed'
  | 'timed-out';

/** Where a wait for a tick ended, and why. */
export interface TickChange {
  readonly reason: TickWaitReason;
  readonly tick: number;
  readonly epoch: number;
}

/** A tick and the epoch it belongs to. */
export interface TickReading {
  tick: number;
  epoch: number;
}

/**
 * Writes the tick and epoch in force into `out` and returns it; both 0 before the first record. May
 * be stale as soon as returned. Allocates nothing.
 */
export function readTickInto(region: Region, out: TickReading): TickReading {
  const words = region.i32;
  for (;;) {
    const sequence = Atomics.load(words, HEADER.sequence);
    const current = Atomics.load(words, HEADER.current);
    if (current < 0) {
      out.tick = 0;
      out.epoch = 0;
      return out;
    }
    const record = (region.layout.records + current * RECORD_BYTES) / 4;
    const low = Atomics.load(words, record + RECORD_WORD.tickLow) >>> 0;
    const high = Atomics.load(words, record + RECORD_WORD.tickHigh) >>> 0;
    const epoch = Atomics.load(words, record + RECORD_WORD.epoch) >>> 0;
    if (Atomics.load(words, HEADER.sequence) === sequence) {
      out.tick = high * 2 ** 32 + low;
      out.epoch = epoch;
      return out;
    }
  }
}

/** Reads the tick and epoch in force; both 0 before the first. May be stale as soon as returned. */
export function readTick(region: Region): Readonly<TickReading> {
  return readTickInto(region, { tick: 0, epoch: 0 });
}

function condition(
  region: Region,
  tick: number,
  epoch: number,
  endWhenPaused: boolean,
): () => TickChange | undefined {
  return () => {
    const state = Atomics.load(region.i32, HEADER.state);
    // Asked before the tick: what was published before the pause ends the wait as a change.
    const paused = endWhenPaused && isPaused(region);
    const now = readTick(region);
    if (now.epoch !== epoch) return { reason: 'epoch-changed', ...now };
    if (now.tick !== tick) return { reason: 'changed', ...now };
    if (state === REGION_STATE.failed) return { reason: 'failed', ...now };
    if (state === REGION_STATE.stopped || state === REGION_STATE.replaced) {
      return { reason: 'stopped', ...now };
    }
    return paused ? { reason: 'paused', ...now } : undefined;
  };
}

function settle(region: Region, ended: TickChange | 'timed-out' | 'closed'): TickChange {
  if (typeof ended === 'object') return ended;
  const failed = Atomics.load(region.i32, HEADER.state) === REGION_STATE.failed;
  const closed: TickWaitReason = failed ? 'failed' : 'stopped';
  return { reason: ended === 'closed' ? closed : 'timed-out', ...readTick(region) };
}

/**
 * Blocks until the tick in force is no longer `tick`, the epoch changes, the run ends, or, with
 * `endWhenPaused`, the clock stands.
 */
export function waitForTickChange(
  region: Region,
  sequence: Signal,
  tick: number,
  timeoutMs: number,
  clock: MonotonicClock,
  endWhenPaused = false,
): TickChange {
  const ended = condition(region, tick, readTick(region).epoch, endWhenPaused);
  return settle(region, waitUntil(sequence, ended, timeoutMs, clock));
}

/** Waits as {@link waitForTickChange} does, without blocking the thread. */
export async function waitForTickChangeAsync(
  region: Region,
  sequence: Signal,
  tick: number,
  timeoutMs: number,
  clock: MonotonicClock,
  endWhenPaused = false,
): Promise<TickChange> {
  const ended = condition(region, tick, readTick(region).epoch, endWhenPaused);
  return settle(region, await waitUntilAsync(sequence, ended, timeoutMs, clock));
}

import type { Region } from './region.ts';
import { LocalSignal, SharedSignal, type Signal } from './signal.ts';

/*
 * Threads    any; a signal object belongs to the thread that made it.
 * Memory     one word of the region.
 * Ordering   as `signal.ts` says.
 * Progress   making one allocates; using it does not.
 * Invariant  on unshared memory all code of the thread shares one signal a word, since only that
 *            object knows who waits.
 */

const locals = new WeakMap<ArrayBufferLike, Map<number, LocalSignal>>();

/** Opens the signal of a region's word: across threads if the memory is shared, else within one. */
export function openSignal(region: Region, wordIndex: number): Signal {
  if (region.shared) return new SharedSignal(region.i32, wordIndex);
  let signals = locals.get(region.buffer);
  if (signals === undefined) {
    signals = new Map();
    locals.set(region.buffer, signals);
  }
  let signal = signals.get(wordIndex);
  if (signal === undefined) {
    signal = new LocalSignal(region.i32, wordIndex);
    signals.set(wordIndex, signal);
  }
  return signal;
}

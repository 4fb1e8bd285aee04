import type { Region } from './region.ts';
import { HEADER } from './words.ts';

/*
 * Threads    any.
 * Memory     loads `sequence`; stores to a word of its own thread.
 * Ordering   the store comes after the plain reads before it and before the load behind it, on
 *            weakly ordered machines too: an atomic load alone would not keep earlier reads back.
 * Progress   wait-free.
 * Invariant  while `sequence` is what it was before the reads, the record was not refilled.
 */

const fence = new Int32Array(1);

/** Returns whether `sequence` is still `seen` after all reads before this call. */
export function isStillInForce(region: Region, seen: number): boolean {
  Atomics.store(fence, 0, 0);
  return Atomics.load(region.i32, HEADER.sequence) === seen;
}

import { heapGrowth } from '../bench/lib/heap.ts';

const TRIES = 7;
const PATIENCE_MS = 5000;

/**
 * Returns the bytes that `work` leaves on the heap a call, whole ones. Warmed first; of some tries
 * the least counts, since the engine's own compiling lands in some, and the growth of an empty loop
 * is taken off. Code that is not compiled yet boxes its doubles, and on a busy machine the compiler
 * comes late: while something is left, it is tried for some seconds, `patienceMs`.
 */
export function bytesLeft(calls: number, work: () => void, patienceMs = PATIENCE_MS): number {
  const nothing = (): void => undefined;
  for (let i = 0; i < 3 * calls; i++) work();
  for (let i = 0; i < 3 * calls; i++) nothing();
  let floor = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && floor > 0; attempt++) {
    floor = Math.min(floor, heapGrowth(calls, nothing));
  }
  const end = performance.now() + patienceMs;
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES || performance.now() < end; attempt++) {
    least = Math.min(least, heapGrowth(calls, work));
    // Less than a whole byte is none: no other try could tell less.
    if (least < floor + 1) return 0;
  }
  return Math.floor(least - floor);
}

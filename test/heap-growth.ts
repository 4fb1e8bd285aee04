import { heapGrowth } from '../bench/lib/heap.ts';

/**
 * Returns the bytes that `work` leaves on the heap a call, whole ones. Warmed first; of some tries
 * the least counts, since the engine's own compiling lands in some, and the growth of an empty loop
 * is taken off. Code that is not compiled yet boxes its doubles, and on a busy machine the compiler
 * comes late: while something is left, it is tried for some seconds.
 */
export function bytesLeft(calls: number, work: () => void): number {
  const nothing = (): void => undefined;
  for (let i = 0; i < 3 * calls; i++) work();
  for (let i = 0; i < 3 * calls; i++) nothing();
  const floor = leastGrowth(calls, nothing, Number.POSITIVE_INFINITY);
  return Math.max(0, Math.floor(leastGrowth(calls, work, floor) - floor));
}

const TRIES = 7;
const PATIENCE_MS = 5000;

function leastGrowth(calls: number, work: () => void, floor: number): number {
  const end = performance.now() + PATIENCE_MS;
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES || performance.now() < end; attempt++) {
    least = Math.min(least, heapGrowth(calls, work));
    if (attempt >= TRIES - 1 && least < floor + 1) break;
  }
  return least;
}

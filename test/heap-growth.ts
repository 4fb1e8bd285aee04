import { getHeapStatistics } from 'node:v8';

const STRIDE = 100;

/**
 * Returns the bytes that `work` leaves on the heap a call, whole ones: the heap's growth is added
 * up every 100 calls, so that a collection in between hides nothing but its own stretch. Warmed
 * first; of some tries the least counts, since the engine's own compiling lands in some, and the
 * growth of an empty loop is taken off.
 */
export function bytesLeft(calls: number, work: () => void): number {
  const nothing = (): void => undefined;
  for (let i = 0; i < 3 * calls; i++) work();
  for (let i = 0; i < 3 * calls; i++) nothing();
  const floor = leastGrowth(calls, nothing);
  return Math.max(0, Math.floor(leastGrowth(calls, work) - floor));
}

function leastGrowth(calls: number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 7; attempt++) least = Math.min(least, growth(calls, work));
  return least;
}

function growth(calls: number, work: () => void): number {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  globalThis.gc();
  let grown = 0;
  let last = getHeapStatistics().used_heap_size;
  for (let done = 0; done < calls; done += STRIDE) {
    for (let i = 0; i < STRIDE; i++) work();
    const now = getHeapStatistics().used_heap_size;
    grown += Math.max(0, now - last);
    last = now;
  }
  return grown / calls;
}

import { getHeapStatistics } from 'node:v8';

/** Calls between two looks: a look itself may leave some hundred bytes, or none once optimised. */
const STRIDE = 1000;

/**
 * Returns the bytes that `work` leaves on the heap a call, whole ones: the heap's growth is added
 * up every 1000 calls, so that a collection in between hides nothing but its own stretch. Warmed
 * first; of some tries the least counts, since the engine's own compiling lands in some, and the
 * growth of an empty loop is taken off. Code that is not compiled yet boxes its doubles, and on a
 * busy machine the compiler comes late: while something is left, it is tried for some seconds.
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
    least = Math.min(least, growth(calls, work));
    if (attempt >= TRIES - 1 && least < floor + 1) break;
  }
  return least;
}

/** What was read last: kept, so that every look leaves the same, optimised or not. */
let looked = getHeapStatistics();

function usedHeap(): number {
  looked = getHeapStatistics();
  return looked.used_heap_size;
}

function growth(calls: number, work: () => void): number {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  globalThis.gc();
  let grown = 0;
  let last = usedHeap();
  const stride = Math.min(STRIDE, calls);
  for (let done = 0; done < calls; done += stride) {
    for (let i = 0; i < stride; i++) work();
    const now = usedHeap();
    grown += Math.max(0, now - last);
    last = now;
  }
  return grown / calls;
}

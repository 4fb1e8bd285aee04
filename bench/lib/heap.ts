import { getHeapStatistics } from 'node:v8';

/** Calls between two looks: few, so that a collection hides little. */
const STRIDE = 100;

/** What was read last: kept, so that no engine saves itself the making of it. */
let looked = getHeapStatistics();

function usedHeap(): number {
  looked = getHeapStatistics();
  return looked.used_heap_size;
}

/**
 * Returns the bytes that the heap gains a call over `calls` calls, added up between looks at it,
 * but for stretches with a collection in them. Two looks at both ends would not do: a collection
 * takes the garbage away, and 2 kB a call read as 4 bytes. A look leaves bytes itself, how many
 * depends on what the engine has made of it: two in a row tell, and that is taken off.
 */
export function heapGrowth(calls: number, work: () => void): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('run with --expose-gc');
  collect();
  collect();
  let grown = 0;
  const stride = Math.min(STRIDE, calls);
  for (let done = 0; done < calls; done += stride) {
    const begin = usedHeap();
    for (let i = 0; i < stride; i++) work();
    const end = usedHeap();
    const look = Math.max(0, usedHeap() - end);
    grown += Math.max(0, end - begin - look);
  }
  return grown / calls;
}

/**
 * Returns the bytes that the heap gains by one call, of work that cannot be called twice in a row.
 * The process needs a young generation with room for all of them, since a collection takes the
 * garbage away. Buffers that lie outside the heap do not count.
 */
export function heapGrowthOnce(work: () => void): number {
  const begin = usedHeap();
  work();
  const end = usedHeap();
  const look = Math.max(0, usedHeap() - end);
  return Math.max(0, end - begin - look);
}

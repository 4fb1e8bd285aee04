import { getHeapStatistics } from 'node:v8';

/** Calls between two looks: a look itself may leave some hundred bytes, or none once optimised. */
const STRIDE = 1000;
/** Nobody leaves so much that a collection falls into fewer calls than this. */
const STRIDE_LEAST = 10;

/** What was read last: kept, so that every look leaves the same, optimised or not. */
let looked = getHeapStatistics();

function usedHeap(): number {
  looked = getHeapStatistics();
  return looked.used_heap_size;
}

/**
 * Returns the bytes that the heap gains a call over `calls` calls, added up between looks at it,
 * but for stretches with a collection in them. Two looks at both ends would not do: a collection
 * takes the garbage away, and 2 kB a call read as 4 bytes. Where collections fall into half of the
 * stretches it looks again, more often.
 */
export function heapGrowth(calls: number, work: () => void, longest: number = STRIDE): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('run with --expose-gc');
  collect();
  collect();
  let grown = 0;
  let stretches = 0;
  let collected = 0;
  let last = usedHeap();
  const stride = Math.min(longest, calls);
  for (let done = 0; done < calls; done += stride) {
    for (let i = 0; i < stride; i++) work();
    const now = usedHeap();
    stretches++;
    if (now < last) collected++;
    grown += Math.max(0, now - last);
    last = now;
  }
  if (2 * collected >= stretches && stride > STRIDE_LEAST) {
    return heapGrowth(calls, work, Math.max(STRIDE_LEAST, Math.ceil(stride / 10)));
  }
  return grown / calls;
}

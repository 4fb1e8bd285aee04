import { heapGrowthOnce } from '../lib/heap.ts';
import { HerdMotion } from '../lib/herd-motion.ts';
import { median } from '../lib/measure.ts';
import { loadContender } from '../lib/replicate-contender.ts';
import { answer, parseRun } from '../lib/replicate-run.ts';

/*
 * A process of its own for what one contender leaves on the heap. Its young generation is so large
 * that no collection falls into a call, which would take the garbage away unseen; that would be no
 * process to time anything in.
 */

const run = parseRun();
const contender = await loadContender(run.contender);
const herd = new HerdMotion(run.entities);
const encoder = contender.createEncoder(run.entities);
const encode = (): void => void encoder.encode(herd);

encoder.take?.(herd);
encode();
const grown = (): number => {
  herd.advance();
  encoder.take?.(herd);
  return heapGrowthOnce(encode);
};
for (let i = 0; i < run.warmTicks; i++) grown();
answer({ allocatedBytes: median(Array.from({ length: run.heapTicks }, grown)) });

import { prepareOurs } from '../lib/blend-ours.ts';
import { preparePlain } from '../lib/blend-plain.ts';
import type { BlendedChannel } from '../lib/blend-states.ts';
import { timeNs } from '../lib/measure.ts';

/*
 * A process of its own for one channel blended in one way: fork of `blend-child.js SIDE CHANNEL
 * ENTITIES BLOCK_MS WARM_MS`. Once warm it says what its output adds up to; for every message it
 * then runs a block and answers with nanoseconds a frame, and with those of the copies beside it.
 */
const [side = '', channel = '', entities = '', blockMs = '', warmMs = ''] = process.argv.slice(2);
const count = Number(entities);

/** What is timed: a frame, then the copies, where the side has some. */
interface Works {
  readonly works: readonly (() => void)[];
  readonly out: Float32Array;
}

function prepare(): Works {
  if (side === 'plain') {
    const { frame, out } = preparePlain(channel as BlendedChannel, count);
    return { works: [frame], out };
  }
  const ours = prepareOurs(side as 'simd' | 'js', channel as BlendedChannel, count);
  if (side === 'js') return { works: [ours.frame], out: ours.out };
  return { works: [ours.frame, ours.copySet, ours.copyMemory], out: ours.out };
}

const { works, out } = prepare();
const [frame = (): void => undefined] = works;
frame();
const sum = out.reduce((total, value) => total + Math.abs(value), 0);
/** How often each work is called to fill a block, found while it gets warm. */
const calls = works.map((work) => {
  const until = process.hrtime.bigint() + BigInt(Number(warmMs) * 1e6);
  let ns = timeNs(1, work);
  while (process.hrtime.bigint() < until) ns = timeNs(Math.ceil(1e5 / ns), work);
  return Math.max(1, Math.round((Number(blockMs) * 1e6) / ns));
});
process.on('message', () => {
  process.send?.(works.map((work, index) => timeNs(calls[index] as number, work)));
});
process.send?.([sum]);

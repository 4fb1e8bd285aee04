import { heapGrowth } from './heap.ts';

/** Returns the `percent`-th percentile by nearest rank; NaN of nothing. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent * sorted.length) / 100) - 1)] ?? Number.NaN;
}

/** Returns the median by nearest rank. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Returns nanoseconds a call over `calls` calls. */
export function timeNs(calls: number, work: () => void): number {
  const begin = process.hrtime.bigint();
  for (let i = 0; i < calls; i++) work();
  return Number(process.hrtime.bigint() - begin) / calls;
}

/** What two pieces of work took in turn: medians, and the median of their block-wise ratios. */
export interface Pair {
  readonly ns: number;
  readonly otherNs: number;
  readonly ratio: number;
}

/** Times `work` against `other` in alternating blocks, after both were warmed. */
export function pairNs(blocks: number, calls: number, work: () => void, other: () => void): Pair {
  timeNs(calls, work);
  timeNs(calls, other);
  const ours: number[] = [];
  const theirs: number[] = [];
  const ratios: number[] = [];
  for (let block = 0; block < blocks; block++) {
    const a = timeNs(calls, work);
    const b = timeNs(calls, other);
    ours.push(a);
    theirs.push(b);
    ratios.push(a / b);
  }
  return { ns: median(ours), otherNs: median(theirs), ratio: median(ratios) };
}

/** Samples of two sides, taken in alternating blocks. */
export class PairedBlocks {
  readonly #ours: readonly (readonly number[])[];
  readonly #others: readonly (readonly number[])[];

  constructor(ours: readonly (readonly number[])[], others: readonly (readonly number[])[]) {
    this.#ours = ours;
    this.#others = others;
  }

  /** Returns the median over the blocks of a percentile of ours. */
  ours(percent: number): number {
    return median(percentiles(this.#ours, percent));
  }

  /** Returns the same of the other side. */
  others(percent: number): number {
    return median(percentiles(this.#others, percent));
  }

  /** Returns the median of the block-wise ratios of a percentile. */
  ratio(percent: number): number {
    const others = percentiles(this.#others, percent);
    const ratios = percentiles(this.#ours, percent).map((it, i) => it / (others[i] as number));
    return median(ratios);
  }
}

function percentiles(blocks: readonly (readonly number[])[], percent: number): number[] {
  return blocks.map((block) => percentile(block, percent));
}

/** Calls of one measurement of the heap. */
const HEAP_CALLS = 10_000;
const HEAP_TRIES = 5;

/**
 * Returns the heap growth a call over `calls` calls after warm-up, minus that of an empty loop,
 * rounded down. Of five tries each side counts its least, since the engine's own compiling lands
 * in some of them; work that left nothing is not tried again.
 */
export function allocatedBytes(
  work: () => void,
  warmUp = 300_000,
  calls: number = HEAP_CALLS,
): number {
  const nothing = (): void => undefined;
  for (let i = 0; i < warmUp; i++) work();
  for (let i = 0; i < warmUp; i++) nothing();
  let floor = Number.POSITIVE_INFINITY;
  for (let i = 0; i < HEAP_TRIES; i++) floor = Math.min(floor, heapGrowth(calls, nothing));
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < HEAP_TRIES && least > 0; i++) {
    least = Math.min(least, Math.max(0, Math.floor(heapGrowth(calls, work) - floor)));
  }
  return least;
}

import type { RingBlock } from '#dist/shared/ring-block.js';

/** What both ends of a ring under test are given. */
export interface RingTask {
  readonly words: Int32Array;
  readonly block: RingBlock;
  /** Records offered to the ring. */
  readonly count: number;
  /** Whether the producer waits for room; else the ring drops what does not fit. */
  readonly lossless: boolean;
  /** An end whose guard is removed: it gives away words before it is done with them. */
  readonly hasty: 'producer' | 'consumer' | 'none';
}

/** What the consumer saw. */
export interface RingReport {
  readonly records: number;
  readonly dropped: number;
  /** What was wrong with the first bad record, or undefined. */
  readonly fault: string | undefined;
}

function mix(value: number): number {
  const a = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (a ^ (a >>> 15)) >>> 0;
}

/** Returns the payload length of a record of the known sequence: 1 to `most` words. */
export function lengthOf(sequence: number, most: number): number {
  return 1 + (mix(sequence) % most);
}

/** Returns a payload word of a record of the known sequence; the first is its number. */
export function wordOf(sequence: number, index: number): number {
  return index === 0 ? sequence : mix(sequence * 31 + index);
}

/** Spins for a while, then yields the core: the other end may need it. */
export class Patience {
  readonly #pillow = new Int32Array(new SharedArrayBuffer(4));
  #spins = 0;

  wait(): void {
    if (++this.#spins % 500 === 0) Atomics.wait(this.#pillow, 0, 0, 0.05);
  }
}

/** Burns a little time, differently long each time, to widen a race. */
export function dawdle(sequence: number): void {
  const word = new Int32Array(1);
  for (let i = mix(sequence) % 300; i > 0; i--) Atomics.add(word, 0, 1);
}

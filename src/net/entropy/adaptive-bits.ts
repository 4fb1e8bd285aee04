import type { RangePort } from './range-port.ts';

/** A word of chances that have learned nothing. */
export const EVEN = 0x8000_8000;
const FAST_SHIFT = 4;
const SLOW_SHIFT = 7;
/** How near to certain a chance may get. */
const LEAST = 32;

/**
 * Bits by one adaptive model each: a word holds two estimates of the chance of a 1, one that
 * follows fast in the high half and one that follows slowly in the low half; their mean is used.
 */
export class AdaptiveBits {
  words: Uint32Array = new Uint32Array(0);
  readonly #port: RangePort;

  constructor(port: RangePort) {
    this.#port = port;
  }

  /** Passes a bit by the model at `at`. */
  bit(bit: number, at: number): number {
    const word = this.words[at] as number;
    const fast = word >>> 16;
    const slow = word & 0xffff;
    const chance = (fast + slow) >>> 1;
    const most = 0x1_0000 - LEAST;
    const passed = this.#port.bit(bit, chance < LEAST ? LEAST : chance > most ? most : chance);
    const target = passed === 1 ? 0xffff : 0;
    const newFast = fast + ((target - fast) >> FAST_SHIFT);
    this.words[at] = ((newFast << 16) | (slow + ((target - slow) >> SLOW_SHIFT))) >>> 0;
    return passed;
  }

  /** Passes a number of `levels` bits, highest first, by the 2^levels models from `tree` on. */
  tree(value: number, levels: number, tree: number): number {
    let node = 1;
    for (let level = levels - 1; level >= 0; level--) {
      node = (node << 1) | this.bit((value >>> level) & 1, tree + node);
    }
    return node - (1 << levels);
  }
}

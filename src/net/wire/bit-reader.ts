import { assert } from '../../shared/assert.ts';

/** Reads what a `BitWriter` wrote. The caller knows how many bits there are: see `bitsLeft`. */
export class BitReader {
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;
  /** Bits of the last byte that are not yet read, at the bottom. */
  #held = 0;
  #heldBits = 0;

  /** Starts at a whole byte; reads up to, not including, `end`. */
  start(bytes: Uint8Array, at: number, end: number): void {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = Math.min(end, bytes.length);
    this.#held = 0;
    this.#heldBits = 0;
  }

  get bitsLeft(): number {
    return this.#heldBits + 8 * (this.#end - this.#at);
  }

  /** Reads 1 to 32 bits, unsigned. Reading past the end is a broken invariant. */
  read(bits: number): number {
    if (bits <= 24) return this.#take(bits);
    const upper = this.#take(bits - 16);
    return ((upper << 16) | this.#take(16)) >>> 0;
  }

  /** Goes to the next whole byte. Returns false if a bit that is passed over is not zero. */
  skipPadding(): boolean {
    const isZero = this.#held === 0;
    this.#held = 0;
    this.#heldBits = 0;
    return isZero;
  }

  #take(bits: number): number {
    let held = this.#held;
    let count = this.#heldBits;
    while (count < bits) {
      assert(this.#at < this.#end, 'there are as many bits as are read');
      held = (held << 8) | (this.#bytes[this.#at++] as number);
      count += 8;
    }
    count -= bits;
    this.#held = held & ((1 << count) - 1);
    this.#heldBits = count;
    return held >>> count;
  }
}

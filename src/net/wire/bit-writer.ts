import { assert } from '../../shared/assert.ts';

/**
 * Writes numbers of 1 to 32 bits one behind the other, the most significant bit of each and of each
 * byte first. One is kept and reused.
 */
export class BitWriter {
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** Bits that are not yet a whole byte, at the bottom. */
  #held = 0;
  #heldBits = 0;

  /** Starts at a whole byte. The bytes must have room for all that is written. */
  start(bytes: Uint8Array, at: number): void {
    this.#bytes = bytes;
    this.#at = at;
    this.#held = 0;
    this.#heldBits = 0;
  }

  /** Writes the lower `bits` bits of a value, 1 to 32. */
  write(value: number, bits: number): void {
    // At most 7 bits are held; with 24 more they stay within 31.
    if (bits > 24) {
      this.#put(value >>> 16, bits - 16);
      this.#put(value & 0xffff, 16);
    } else this.#put(value & (0xff_ffff >>> (24 - bits)), bits);
  }

  /** Fills the last byte with zeros. Returns the place behind it. */
  finish(): number {
    if (this.#heldBits > 0) this.#bytes[this.#at++] = this.#held << (8 - this.#heldBits);
    this.#heldBits = 0;
    this.#held = 0;
    assert(this.#at <= this.#bytes.length, 'there is room for the bits that are written');
    return this.#at;
  }

  #put(value: number, bits: number): void {
    let held = (this.#held << bits) | (value & ((1 << bits) - 1));
    let count = this.#heldBits + bits;
    while (count >= 8) {
      count -= 8;
      this.#bytes[this.#at++] = held >>> count;
    }
    held &= (1 << count) - 1;
    this.#held = held;
    this.#heldBits = count;
  }
}

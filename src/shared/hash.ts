/**
 * FNV-1a of 64 bits (offset basis cbf29ce484222325, prime 100000001b3), as two 32-bit halves:
 * without BigInt, and without allocation except in {@link hex}. Not for adversaries.
 */
export class Fnv64 {
  #high: number;
  #low: number;

  /** Starts at the offset basis. */
  constructor() {
    this.#high = BASIS_HIGH;
    this.#low = BASIS_LOW;
  }

  /** Starts over at the offset basis. */
  reset(): void {
    this.#high = BASIS_HIGH;
    this.#low = BASIS_LOW;
  }

  /** Feeds one byte; only its low eight bits count. */
  byte(value: number): void {
    const low = this.#low ^ (value & 0xff);
    // h * (2^40 + 0x1b3): the small factor in 16-bit steps, 2^40 as a shift into the high half.
    const product = (low & 0xffff) * 0x1b3;
    const upper = (low >>> 16) * 0x1b3 + (product >>> 16);
    this.#high = (Math.imul(this.#high, 0x1b3) + (upper >>> 16) + (low << 8)) | 0;
    this.#low = (upper << 16) | (product & 0xffff);
  }

  /** Feeds a 32-bit word, most significant byte first. A u64 is its high word, then its low one. */
  u32(value: number): void {
    this.byte(value >>> 24);
    this.byte(value >>> 16);
    this.byte(value >>> 8);
    this.byte(value);
  }

  /** Feeds `source[begin]` up to, not including, `source[end]`; all of it by default. */
  bytes(source: Uint8Array, begin: number = 0, end: number = source.length): void {
    // As `byte`, with the halves in locals: files are long, and this takes half the time.
    let high = this.#high;
    let low = this.#low;
    for (let index = begin; index < end; index++) {
      const mixed = low ^ (source[index] as number);
      const product = (mixed & 0xffff) * 0x1b3;
      const upper = (mixed >>> 16) * 0x1b3 + (product >>> 16);
      high = (Math.imul(high, 0x1b3) + (upper >>> 16) + (mixed << 8)) | 0;
      low = (upper << 16) | (product & 0xffff);
    }
    this.#high = high;
    this.#low = low;
  }

  /** Feeds `text` as UTF-8; a lone surrogate counts as U+FFFD, as in `TextEncoder`. */
  string(text: string): void {
    for (let index = 0; index < text.length; index++) {
      const unit = text.codePointAt(index) as number;
      if (unit < 0x80) {
        this.byte(unit);
        continue;
      }
      if (unit > 0xffff) index++;
      this.#codePoint(unit >= 0xd800 && unit <= 0xdfff ? 0xfffd : unit);
    }
  }

  /** The upper 32 bits of the hash so far, unsigned. */
  get high(): number {
    return this.#high >>> 0;
  }

  /** The lower 32 bits of the hash so far, unsigned. */
  get low(): number {
    return this.#low >>> 0;
  }

  /** Returns the hash so far as 16 lowercase hexadecimal digits. */
  hex(): string {
    return hexOf(this.high) + hexOf(this.low);
  }

  #codePoint(code: number): void {
    if (code < 0x800) {
      this.byte(0xc0 | (code >> 6));
    } else {
      if (code < 0x10000) {
        this.byte(0xe0 | (code >> 12));
      } else {
        this.byte(0xf0 | (code >> 18));
        this.byte(0x80 | ((code >> 12) & 0x3f));
      }
      this.byte(0x80 | ((code >> 6) & 0x3f));
    }
    this.byte(0x80 | (code & 0x3f));
  }
}

const BASIS_HIGH = 0xcbf29ce4 | 0;
const BASIS_LOW = 0x84222325 | 0;

function hexOf(word: number): string {
  return word.toString(16).padStart(8, '0');
}

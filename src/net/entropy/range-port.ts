import { assert } from '../../shared/assert.ts';
import type { NumberPort } from './number-port.ts';

const ROOM = 256;
/** The range is kept at or above this, so that 16 plain bits pass in one step. */
const LEAST_RANGE = 2 ** 24;
const TWO_32 = 2 ** 32;
/** Places in the state. */
const LOW = 0;
const RANGE = 1;
const CODE = 2;

/**
 * A binary range coder whose encoder and decoder are the same calls: a bit goes in and comes out
 * again when encoding; when decoding, what goes in is not looked at. All arithmetic is on whole
 * numbers below 2^53, so it is exact. Zero bytes at the end are not written; a decoder reads zeros
 * there.
 */
export class RangePort implements NumberPort {
  decoding = false;
  #bytes = new Uint8Array(ROOM);
  #position = 0;
  #end = 0;
  /** Low end of the interval, 33 bits; its width; when decoding, what is read, less the low end. */
  readonly #state = new Float64Array(3);
  /** A byte that a carry may still change, and the count of 255s that follow it; -1: no byte. */
  #cache = -1;
  #pending = 0;

  startWriting(): void {
    this.decoding = false;
    this.#position = 0;
    this.#cache = -1;
    this.#pending = 0;
    this.#state[LOW] = 0;
    this.#state[RANGE] = TWO_32 - 1;
  }

  startReading(bytes: Uint8Array, first: number, end: number): void {
    this.decoding = true;
    const length = end - first;
    if (this.#bytes.length < length) this.#bytes = new Uint8Array(length * 2);
    for (let i = 0; i < length; i++) this.#bytes[i] = bytes[first + i] as number;
    this.#position = 0;
    this.#end = length;
    this.#state[RANGE] = TWO_32 - 1;
    let code = 0;
    for (let i = 0; i < 4; i++) code = code * 256 + this.#next();
    this.#state[CODE] = code;
  }

  /** Passes a bit that is 1 with a probability of `chance` / 65536; `chance` is 1 to 65535. */
  bit(bit: number, chance: number): number {
    const state = this.#state;
    const range = (state[RANGE] as number) >>> 0;
    const part = (Math.imul(range & 0xffff, chance) >>> 16) >>> 0;
    const bound = (Math.imul(range >>> 16, chance) + part) >>> 0;
    if (this.decoding) {
      const code = (state[CODE] as number) >>> 0;
      if (code < bound) {
        if (bound >= LEAST_RANGE) state[RANGE] = bound;
        else this.#refill(bound, code);
        return 1;
      }
      const rest = (range - bound) >>> 0;
      if (rest >= LEAST_RANGE) {
        state[RANGE] = rest;
        state[CODE] = (code - bound) >>> 0;
      } else {
        this.#refill(rest, (code - bound) >>> 0);
      }
      return 0;
    }
    let next = bound;
    if (bit === 0) {
      state[LOW] = (state[LOW] as number) + bound;
      next = (range - bound) >>> 0;
    }
    if (next >= LEAST_RANGE) state[RANGE] = next;
    else this.#shift(next);
    return bit;
  }

  /** Passes `count` bits, 0 to 16, each as likely 0 as 1. */
  bits(value: number, count: number): number {
    if (count === 0) return 0;
    const state = this.#state;
    const unit = ((state[RANGE] as number) >>> 0) >>> count;
    if (this.decoding) {
      const code = (state[CODE] as number) >>> 0;
      const read = Math.min((code / unit) >>> 0, (1 << count) - 1);
      const rest = code - unit * read;
      if (unit >= LEAST_RANGE) {
        state[RANGE] = unit;
        state[CODE] = rest;
      } else {
        this.#refill(unit, rest);
      }
      return read;
    }
    state[LOW] = (state[LOW] as number) + unit * value;
    if (unit >= LEAST_RANGE) state[RANGE] = unit;
    else this.#shift(unit);
    return value;
  }

  /** Passes `count` bits, 0 to 32, each as likely 0 as 1. */
  word(value: number, count: number): number {
    if (count <= 16) return this.bits(value, count);
    const high = this.bits(value >>> 16, count - 16);
    return ((high << 16) | this.bits(value & 0xffff, 16)) >>> 0;
  }

  number(value: number): number {
    let length = this.decoding ? 0 : 32 - Math.clz32(value);
    if (this.bit(length === 0 ? 1 : 0, 0x8000) === 1) return 0;
    length = this.bits(length - 1, 5) + 1;
    const top = (1 << (length - 1)) >>> 0;
    const rest = this.word(this.decoding ? 0 : value - top, length - 1);
    return (top | rest) >>> 0;
  }

  readonly overran: boolean = false;

  /** Ends the writing; returns the count of bytes, at least `least`. */
  finish(least: number): number {
    assert(!this.decoding, 'only what is written is finished');
    const state = this.#state;
    const low = state[LOW] as number;
    const high = low + (state[RANGE] as number) - 1;
    let best = low;
    for (let unit = 2 ** 8; unit <= TWO_32; unit *= 256) {
      const rounded = Math.floor(high / unit) * unit;
      if (rounded >= low) best = rounded;
    }
    state[LOW] = best;
    for (let i = 0; i < 5; i++) this.#carry();
    while (this.#position > 0 && this.#bytes[this.#position - 1] === 0) this.#position--;
    while (this.#position < least) this.#put(0);
    return this.#position;
  }

  /** Copies what was written. */
  copyTo(target: Uint8Array, offset: number): void {
    for (let i = 0; i < this.#position; i++) target[offset + i] = this.#bytes[i] as number;
  }

  /** Whether nothing but zeros is left to be read. */
  get drained(): boolean {
    for (let i = this.#position; i < this.#end; i++) if (this.#bytes[i] !== 0) return false;
    return true;
  }

  #next(): number {
    const at = this.#position++;
    return at < this.#end ? (this.#bytes[at] as number) : 0;
  }

  #refill(range: number, code: number): void {
    let wide = range >>> 0;
    let read = code >>> 0;
    while (wide < LEAST_RANGE) {
      wide = (wide << 8) >>> 0;
      read = ((read << 8) | this.#next()) >>> 0;
    }
    this.#state[RANGE] = wide;
    this.#state[CODE] = read;
  }

  #shift(range: number): void {
    let wide = range >>> 0;
    while (wide < LEAST_RANGE) {
      wide = (wide << 8) >>> 0;
      this.#carry();
    }
    this.#state[RANGE] = wide;
  }

  /** Moves the top byte of the low end out; it waits while a carry may still reach it. */
  #carry(): void {
    const low = this.#state[LOW] as number;
    if (low < 0xff00_0000 || low >= TWO_32) {
      const carry = low >= TWO_32 ? 1 : 0;
      if (this.#cache >= 0) this.#put(this.#cache + carry);
      for (; this.#pending > 0; this.#pending--) this.#put(0xff + carry);
      this.#cache = Math.floor(low / LEAST_RANGE) & 0xff;
    } else {
      this.#pending++;
    }
    this.#state[LOW] = (low % LEAST_RANGE) * 256;
  }

  #put(byte: number): void {
    if (this.#position === this.#bytes.length) {
      const bytes = new Uint8Array(this.#bytes.length * 2);
      bytes.set(this.#bytes);
      this.#bytes = bytes;
    }
    this.#bytes[this.#position++] = byte;
  }
}

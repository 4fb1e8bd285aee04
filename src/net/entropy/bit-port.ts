import { assert } from '../../shared/assert.ts';
import type { NumberPort } from './number-port.ts';

const ROOM = 1024;
/** Bytes behind the end that may be looked at. */
const PADDING = 8;
/** Where a number of {@link BitPort.writeAll} says how many bits it has. */
export const REST_WIDTH = 16;
/** Bits that pass in one step at most. */
const STEP = 24;

/**
 * Bits that are written or read by the same calls, so that an encoder and its decoder are one piece
 * of code. The first bit is the lowest of the first byte. When reading, what lies behind the end is
 * zero and is counted, so that nothing throws and the caller can tell at the end.
 */
export class BitPort implements NumberPort {
  decoding = false;
  #bytes = new Uint8Array(ROOM);
  #view = new DataView(this.#bytes.buffer);
  /** Bytes that are full, when writing. */
  #position = 0;
  /** Bits of the next four bytes, when writing, and how many there are: 0 to 31. */
  #held = 0;
  #heldCount = 0;
  /** The next bit, and the bit behind the last one, when reading. */
  #cursor = 0;
  #end = 0;

  startWriting(): void {
    this.decoding = false;
    this.#position = 0;
    this.#held = 0;
    this.#heldCount = 0;
  }

  startReading(bytes: Uint8Array, first: number, end: number): void {
    this.decoding = true;
    const length = end - first;
    this.reserve(length + PADDING);
    for (let i = 0; i < length; i++) this.#bytes[i] = bytes[first + i] as number;
    for (let i = length; i < length + PADDING; i++) this.#bytes[i] = 0;
    this.#cursor = 0;
    this.#end = length * 8;
  }

  /** Passes `count` bits, 0 to 24; returns what was written or read. */
  bits(value: number, count: number): number {
    if (this.decoding) {
      const passed = this.#peek() & ((1 << count) - 1);
      this.#cursor += count;
      return passed;
    }
    const held = this.#heldCount;
    this.#held |= value << held;
    const now = held + count;
    if (now < 32) {
      this.#heldCount = now;
      return value;
    }
    if (this.#position + 4 > this.#bytes.length) this.reserve(this.#bytes.length * 2);
    this.#view.setUint32(this.#position, this.#held, true);
    this.#position += 4;
    this.#heldCount = now - 32;
    this.#held = (value >>> (32 - held)) | 0;
    return value;
  }

  /** Passes `count` bits, 0 to 32. */
  word(value: number, count: number): number {
    if (count <= 16) return this.bits(value, count);
    const low = this.bits(value & 0xffff, 16);
    return (low | (this.bits(value >>> 16, count - 16) << 16)) >>> 0;
  }

  /**
   * Passes a number of 32 bits by the exponential Golomb code of order `order`, 0 to 20: as many
   * ones as its width is above the order, a zero, and the bits below its top.
   */
  golomb(value: number, order: number): number {
    if (this.decoding) {
      const ahead = this.#peek();
      const ones = 31 - Math.clz32(~ahead & -~ahead);
      const width = order + ones;
      if (ones < 0 || ones + 1 + width > STEP) return this.#readLong(order);
      this.#cursor += ones + 1 + width;
      const rest = (ahead >>> (ones + 1)) & ((1 << width) - 1);
      return rest + (1 << width) - (1 << order);
    }
    const shifted = value + (1 << order);
    const width = 31 - Math.clz32(shifted);
    const ones = width - order;
    if (shifted >= 0x7fff_ffff || ones + 1 + width > STEP) return this.#writeLong(value, order);
    const rest = shifted - (1 << width);
    this.bits(((1 << ones) - 1) | (rest << (ones + 1)), ones + 1 + width);
    return value;
  }

  number(value: number): number {
    return this.golomb(value, 0);
  }

  /** Writes numbers of 0 to 16 bits; from bit {@link REST_WIDTH} on each says how many. */
  writeAll(numbers: Int32Array, count: number): void {
    this.reserve(this.#position + count * 3 + PADDING);
    const view = this.#view;
    // Four bytes are written each time, and as many kept as are full.
    let position = this.#position;
    let held = this.#held;
    let heldCount = this.#heldCount;
    for (; heldCount >= 8; heldCount -= 8) {
      view.setUint8(position++, held);
      held >>>= 8;
    }
    for (let i = 0; i < count; i++) {
      const number = numbers[i] as number;
      held |= (number & 0xffff) << heldCount;
      heldCount += number >>> REST_WIDTH;
      view.setInt32(position, held, true);
      position += heldCount >> 3;
      held >>>= heldCount & ~7;
      heldCount &= 7;
    }
    this.#position = position;
    this.#held = held;
    this.#heldCount = heldCount;
  }

  /** Goes on at the next whole byte; returns which that is. */
  align(): number {
    if (this.decoding) {
      this.#cursor = (this.#cursor + 7) & ~7;
      return this.#cursor >> 3;
    }
    this.reserve(this.#position + PADDING);
    this.#view.setUint32(this.#position, this.#held, true);
    this.goTo(this.#position + ((this.#heldCount + 7) >> 3));
    return this.#position;
  }

  /** Goes on at a byte, for one that wrote or read the bytes before it by itself. */
  goTo(position: number): void {
    this.#cursor = position * 8;
    this.#position = position;
    this.#held = 0;
    this.#heldCount = 0;
  }

  /** The bytes that are written or read; `reserve` makes them anew. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** The byte behind the last one, when reading. */
  get byteEnd(): number {
    return this.#end >> 3;
  }

  /** Makes room for `length` bytes. */
  reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const bytes = new Uint8Array(Math.max(length, this.#bytes.length * 2));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  /** Ends the writing; returns the count of bytes, at least `least`. */
  finish(least: number): number {
    assert(!this.decoding, 'only what is written is finished');
    const count = this.#position + ((this.#heldCount + 7) >> 3);
    this.reserve(Math.max(count, least) + PADDING);
    this.#view.setUint32(this.#position, this.#held, true);
    for (let i = count; i < least; i++) this.#bytes[i] = 0;
    this.#position = Math.max(count, least);
    return this.#position;
  }

  /** Copies what was written. */
  copyTo(target: Uint8Array, offset: number): void {
    for (let i = 0; i < this.#position; i++) target[offset + i] = this.#bytes[i] as number;
  }

  /** Whether more was read than was there. */
  get overran(): boolean {
    return this.decoding && this.#cursor > this.#end;
  }

  /** Whether nothing but zeros is left to be read. */
  get drained(): boolean {
    for (let i = (this.#cursor + 7) >> 3; i < this.#end >> 3; i++) {
      if (this.#bytes[i] !== 0) return false;
    }
    const used = this.#cursor & 7;
    return used === 0 || (this.#bytes[this.#cursor >> 3] as number) >>> used === 0;
  }

  /** Returns the next 25 bits or more. */
  #peek(): number {
    const cursor = this.#cursor;
    if (cursor > this.#end) return 0;
    return this.#view.getUint32(cursor >>> 3, true) >>> (cursor & 7);
  }

  #readLong(order: number): number {
    let width = order;
    while (width < 32 && this.bits(0, 1) === 1) width++;
    return (2 ** width - 2 ** order + this.word(0, width)) >>> 0;
  }

  #writeLong(value: number, order: number): number {
    const shifted = value + 2 ** order;
    const width = shifted < 2 ** 32 ? 31 - Math.clz32(shifted) : 32;
    for (let i = order; i < width; i++) this.bits(1, 1);
    if (width < 32) this.bits(0, 1);
    this.word(width < 32 ? (shifted & (2 ** width - 1)) >>> 0 : shifted - 2 ** 32, width);
    return value;
  }
}

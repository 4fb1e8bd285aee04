/*
 * Whole numbers at any byte offset, little-endian; ticks as 64 bits, of which 53 are used.
 */

/** Writes a u32. */
export function putU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** Reads a u32. */
export function getU32(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  return (low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0;
}

/** Writes a whole number from 0 to 2^53 - 1 as a u64. */
export function putU64(bytes: Uint8Array, at: number, value: number): void {
  putU32(bytes, at, value >>> 0);
  putU32(bytes, at + 4, Math.floor(value / 4_294_967_296));
}

/** Reads a u64; -1 for one above 2^53 - 1. */
export function getU64(bytes: Uint8Array, at: number): number {
  const high = getU32(bytes, at + 4);
  return high < 2_097_152 ? high * 4_294_967_296 + getU32(bytes, at) : -1;
}

/** Returns the bytes that {@link putVarint} takes for a whole number from 0 to 2^53 - 1. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/** Writes a whole number, seven bits a byte, the low ones first; returns the offset behind it. */
export function putVarint(bytes: Uint8Array, begin: number, value: number): number {
  let at = begin;
  let rest = value;
  while (rest >= 128) {
    bytes[at++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  bytes[at++] = rest;
  return at;
}

/** Walks over bytes up to an end that it never passes. Allocates nothing. */
export class ByteCursor {
  readonly #bytes: Uint8Array;
  /** Offset of the next byte. */
  at = 0;
  /** Offset behind the last byte. */
  end = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Goes to a range. */
  open(at: number, end: number): void {
    this.at = at;
    this.end = end;
  }

  /**
   * Reads what {@link putVarint} wrote. Returns -1 past the end, above 2^53 - 1, and for more bytes
   * than the number needs; `at` has then no meaning.
   */
  varint(): number {
    if (this.at >= this.end) return -1;
    let byte = this.#bytes[this.at++] as number;
    if (byte < 128) return byte;
    let value = byte - 128;
    for (let scale = 128; scale <= 0x2_0000_0000_0000; scale *= 128) {
      if (this.at >= this.end) return -1;
      byte = this.#bytes[this.at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return byte === 0 || value > Number.MAX_SAFE_INTEGER ? -1 : value;
    }
    return -1;
  }
}

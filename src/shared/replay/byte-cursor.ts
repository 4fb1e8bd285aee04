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

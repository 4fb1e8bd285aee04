import type { BitPort } from './bit-port.ts';
import { SEEN, SYMBOLS, TABLE_SCALE, TABLE_WORDS } from './symbol-tables.ts';

/**
 * The interval has 31 bits, so that no number here is more than a small integer; its range is kept
 * at 23 bits or more.
 */
const WHOLE = 0x7fff_ffff;
/** Bytes that a bit or a symbol takes at most. */
const BYTES = 2;
/** Bytes at the end of a run, after which anything may follow. */
const TAIL = 2;
/** Bytes that a decoder is ahead of the encoder. */
const AHEAD = 4;

/**
 * Symbols in one call. An engine that first meets a loop in a call that lasts compiles it for that
 * call alone, and leaves what it compiled at the loop's end, each time.
 */
const CHUNK = 256;

/** Flags that pass as one symbol. */
const TOGETHER = 4;
/** Tables that flags need: one for each way that the contexts of those together can be. */
export const FLAG_TABLES: number = 1 << TOGETHER;
/** Symbols of flags. */
export const FLAG_SYMBOLS: number = 1 << TOGETHER;

/**
 * A run of whole bytes within plain bits, coded by a range coder. Symbols pass in batches, with
 * all of the coder's state in locals, for thousands of them a packet. A decoder finds the end of
 * the run by what it read, so no length is written.
 */
export class RangeRun {
  readonly #port: BitPort;
  #low = 0;
  #range = WHOLE;
  /** When decoding: what is read less the low end, and the last byte, half of which is ahead. */
  #code = 0;
  #last = 0;
  #position = 0;
  #places: Int32Array = new Int32Array(0);

  constructor(port: BitPort) {
    this.#port = port;
  }

  /** Begins at the next whole byte of the port. */
  begin(): void {
    this.#position = this.#port.align();
    this.#low = 0;
    this.#range = WHOLE;
    if (!this.#port.decoding) return;
    const { bytes, byteEnd } = this.#port;
    let code = 0;
    let last = 0;
    for (let i = 0; i < AHEAD; i++) {
      const at = this.#position++;
      last = at < byteEnd ? (bytes[at] as number) : 0;
      code = i < AHEAD - 1 ? (code << 8) | last : (code << 7) | (last >>> 1);
    }
    this.#code = code;
    this.#last = last;
  }

  /** Ends the run; the port goes on behind it. */
  end(): void {
    if (this.#port.decoding) {
      this.#port.goTo(this.#position - AHEAD + TAIL);
      return;
    }
    this.#port.reserve(this.#position + TAIL);
    const { bytes } = this.#port;
    const low = (this.#low + 0x7fff) | 0;
    if (low < 0) carry(bytes, this.#position);
    bytes[this.#position++] = low >>> 23;
    bytes[this.#position++] = low >>> 15;
    this.#port.goTo(this.#position);
  }

  /**
   * Passes flags, four at once as a symbol.
   *
   * @param base - Where in `words` their {@link FLAG_TABLES} tables are.
   * @param contexts - Something of each flag, 0 or 1, that both sides know.
   * @param flags - 0 or 1 each: read when encoding, written when decoding.
   */
  flags(
    words: Uint32Array,
    base: number,
    contexts: Uint8Array,
    flags: Uint8Array,
    count: number,
  ): void {
    const groups = Math.ceil(count / TOGETHER);
    this.#reserve(groups);
    const places = this.#places;
    const isDecoding = this.#port.decoding;
    for (let k = 0; k < groups; k++) {
      const i = k * TOGETHER;
      let context = 0;
      let symbol = 0;
      if (i + TOGETHER <= count) {
        context =
          (contexts[i] as number) |
          ((contexts[i + 1] as number) << 1) |
          ((contexts[i + 2] as number) << 2) |
          ((contexts[i + 3] as number) << 3);
        symbol =
          (flags[i] as number) |
          ((flags[i + 1] as number) << 1) |
          ((flags[i + 2] as number) << 2) |
          ((flags[i + 3] as number) << 3);
      } else {
        for (let j = i; j < count; j++) {
          context |= (contexts[j] as number) << (j - i);
          symbol |= (flags[j] as number) << (j - i);
        }
      }
      places[k] = base + context * TABLE_WORDS + (isDecoding ? 0 : symbol);
    }
    this.symbols(words, places, groups);
    if (!isDecoding) return;
    for (let i = 0; i < count; i++) {
      flags[i] = ((places[i >> 2] as number) >> (i & (TOGETHER - 1))) & 1;
    }
  }

  /**
   * Passes symbols of 0 to 31, of adaptive frequencies.
   *
   * @param places - When encoding, for each symbol the place of its table in `words` and itself,
   * added up. When decoding, the place of its table, which is replaced by the symbol.
   */
  symbols(words: Uint32Array, places: Int32Array, count: number): void {
    const isDecoding = this.#port.decoding;
    if (!isDecoding) this.#port.reserve(this.#position + count * BYTES + BYTES);
    for (let first = 0; first < count; first += CHUNK) {
      const end = first + CHUNK < count ? first + CHUNK : count;
      if (isDecoding) this.#read(words, places, first, end);
      else this.#write(words, places, first, end);
    }
  }

  #write(words: Uint32Array, places: Int32Array, first: number, end: number): void {
    const { bytes } = this.#port;
    let low = this.#low;
    let range = this.#range;
    let position = this.#position;
    for (let i = first; i < end; i++) {
      const at = places[i] as number;
      const word = (words[at] as number) | 0;
      words[at + SYMBOLS] = (words[at + SYMBOLS] as number) + SEEN;
      const unit = range >>> TABLE_SCALE;
      low = (low + Math.imul(unit, word & 0xffff)) | 0;
      range = Math.imul(unit, word >>> 16);
      // Both bytes are written, and as many kept as there are: a branch would often be mistaken.
      if (low < 0) carry(bytes, position);
      const done = ((Math.clz32(range) - 1) >> 3) << 3;
      bytes[position] = low >>> 23;
      bytes[position + 1] = low >>> 15;
      position += done >> 3;
      low = (low << done) & WHOLE;
      range <<= done;
    }
    this.#low = low;
    this.#range = range;
    this.#position = position;
  }

  #read(words: Uint32Array, places: Int32Array, first: number, end: number): void {
    const { bytes, byteEnd } = this.#port;
    let code = this.#code;
    let range = this.#range;
    let last = this.#last;
    let position = this.#position;
    for (let i = first; i < end; i++) {
      const table = places[i] as number;
      const unit = range >>> TABLE_SCALE;
      const place = Math.min((code / unit) | 0, (1 << TABLE_SCALE) - 1);
      const at = findSymbol(words, table, place);
      places[i] = at - table;
      const word = (words[at] as number) | 0;
      words[at + SYMBOLS] = (words[at + SYMBOLS] as number) + SEEN;
      code = (code - Math.imul(unit, word & 0xffff)) | 0;
      range = Math.imul(unit, word >>> 16);
      while (range < 1 << 23) {
        const next = position < byteEnd ? (bytes[position] as number) : 0;
        position++;
        code = ((code << 8) | (((last << 7) | (next >>> 1)) & 0xff)) & WHOLE;
        last = next;
        range <<= 8;
      }
    }
    this.#code = code;
    this.#range = range;
    this.#last = last;
    this.#position = position;
  }

  #reserve(count: number): void {
    if (this.#places.length >= count) return;
    this.#places = new Int32Array(Math.max(count, this.#places.length * 2));
  }
}

/** Returns where the symbol is whose frequencies hold `place`: the fourth part, then the symbol. */
function findSymbol(words: Uint32Array, table: number, place: number): number {
  let at = table;
  for (let i = 4; i < SYMBOLS; i += 4) {
    at += ((((words[table + i] as number) & 0xffff) - place - 1) >> 31) & 4;
  }
  const one = ((((words[at + 1] as number) & 0xffff) - place - 1) >> 31) & 1;
  const two = ((((words[at + 2] as number) & 0xffff) - place - 1) >> 31) & 1;
  const three = ((((words[at + 3] as number) & 0xffff) - place - 1) >> 31) & 1;
  return at + one + two + three;
}

/** Adds one to the number that ends before `position`. */
function carry(bytes: Uint8Array, position: number): void {
  let at = position - 1;
  while (bytes[at] === 0xff) bytes[at--] = 0;
  bytes[at] = (bytes[at] as number) + 1;
}

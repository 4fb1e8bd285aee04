import { EscapementError } from '../../shared/error.ts';

/** The one picture of a GIF file, taken apart. */
export interface GifStill {
  readonly width: number;
  readonly height: number;
  /** Its colours, 3 bytes each; a power of two of them. */
  readonly palette: Uint8Array;
  /** The colour that is no colour; undefined when all are. */
  readonly transparent: number | undefined;
  readonly interlaced: boolean;
  /** The compressed picture: the code size, and blocks up to and with the empty one. */
  readonly data: Uint8Array;
}

const EXTENSION = 0x21;
const CONTROL = 0xf9;
const IMAGE = 0x2c;
const HEADER_BYTES = 13;

/**
 * Takes a GIF file of one picture apart. Throws ENCODER_FAILED for bytes that are none. Format:
 * GIF89a, https://www.w3.org/Graphics/GIF/spec-gif89a.txt.
 */
export function readGifStill(bytes: Uint8Array): GifStill {
  const cursor = new ByteCursor(bytes);
  if (new TextDecoder().decode(bytes.subarray(0, 3)) !== 'GIF') throw broken();
  cursor.at = 10;
  const common = paletteBytes(cursor.byte());
  cursor.at = HEADER_BYTES;
  let palette = cursor.take(common);
  let transparent: number | undefined;
  for (;;) {
    const kind = cursor.byte();
    if (kind === IMAGE) break;
    if (kind !== EXTENSION) throw broken();
    const label = cursor.byte();
    const blocks = cursor.blocks();
    if (label === CONTROL && ((blocks[1] as number) & 1) !== 0) transparent = blocks[4];
  }
  cursor.at += 4;
  const width = cursor.u16();
  const height = cursor.u16();
  const flags = cursor.byte();
  const own = paletteBytes(flags);
  if (own > 0) palette = cursor.take(own);
  const begin = cursor.at;
  cursor.at++;
  cursor.blocks();
  const data = bytes.subarray(begin, cursor.at);
  return { width, height, palette, transparent, interlaced: (flags & 0x40) !== 0, data };
}

/** Reads on from a place, and refuses to read beyond the end. */
class ByteCursor {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.take(1)[0] as number;
  }

  u16(): number {
    const [low = 0, high = 0] = this.take(2);
    return low + 256 * high;
  }

  take(count: number): Uint8Array {
    const end = this.at + count;
    if (end > this.#bytes.length) throw broken();
    const taken = this.#bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  /** Returns blocks with their lengths, up to and with the empty one. */
  blocks(): Uint8Array {
    const begin = this.at;
    for (let length = this.byte(); length > 0; length = this.byte()) this.take(length);
    return this.#bytes.subarray(begin, this.at);
  }
}

function paletteBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function broken(): EscapementError {
  return new EscapementError('ENCODER_FAILED', 'A frame came as no GIF that can be read.');
}

import type { FileHandle } from 'node:fs/promises';
import { EscapementError } from '../../shared/error.ts';
import { type Film, type FilmShape, unitsShown } from './film.ts';

/** WebP counts time in milliseconds. */
const UNITS = 1000;

/** The longest that a frame can be shown, and the longest side. */
const UNITS_MAX = 2 ** 24 - 1;
const SIDE_MAX = 16_384;
const ANIMATED = 0x02;
const ALPHA = 0x10;
const DO_NOT_BLEND = 0x02;
const HEAD_BYTES = 44;

/**
 * Strings still WebPs together to one that moves and repeats for ever. Frames go to the file as
 * they come; the head is written last. Format: RFC 9649, section 2.7.
 */
export class WebpFilm implements Film {
  readonly #file: FileHandle;
  readonly #shape: FilmShape;
  #bytes = HEAD_BYTES;
  #hasAlpha = false;

  constructor(file: FileHandle, shape: FilmShape) {
    this.#file = file;
    this.#shape = shape;
  }

  async add(still: Uint8Array, index: number): Promise<void> {
    const { width, height } = this.#shape;
    if (width > SIDE_MAX || height > SIDE_MAX) {
      throw new EscapementError('ENCODER_FAILED', 'A WebP cannot be that large.', {
        given: `${width} x ${height}`,
        allowed: `up to ${SIDE_MAX} x ${SIDE_MAX}`,
      });
    }
    const picture = pictureOf(still);
    this.#hasAlpha ||= picture.hasAlpha;
    const payload = picture.chunks.reduce((sum, chunk) => sum + chunk.length, 16);
    const duration = Math.min(UNITS_MAX, unitsShown(this.#shape, index, UNITS));
    const head = new Uint8Array(24);
    writeChunkHead(head, 0, 'ANMF', payload);
    writeU24(head, 14, width - 1);
    writeU24(head, 17, height - 1);
    writeU24(head, 20, duration);
    head[23] = DO_NOT_BLEND;
    for (const part of [head, ...picture.chunks]) {
      await this.#file.write(part, 0, part.length, this.#bytes);
      this.#bytes += part.length;
    }
  }

  async finish(): Promise<void> {
    const { width, height } = this.#shape;
    const head = new Uint8Array(HEAD_BYTES);
    writeChunkHead(head, 0, 'RIFF', this.#bytes - 8);
    head.set(new TextEncoder().encode('WEBP'), 8);
    writeChunkHead(head, 12, 'VP8X', 10);
    head[20] = ANIMATED + (this.#hasAlpha ? ALPHA : 0);
    writeU24(head, 24, width - 1);
    writeU24(head, 27, height - 1);
    writeChunkHead(head, 30, 'ANIM', 6);
    await this.#file.write(head, 0, HEAD_BYTES, 0);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** What of a still goes into a film: its picture, and its transparency beside it. */
function pictureOf(still: Uint8Array): {
  readonly chunks: readonly Uint8Array[];
  readonly hasAlpha: boolean;
} {
  const view = new DataView(still.buffer, still.byteOffset, still.byteLength);
  const chunks: Uint8Array[] = [];
  let hasAlpha = false;
  for (let at = 12; at + 8 <= still.length; ) {
    const name = new TextDecoder().decode(still.subarray(at, at + 4));
    const length = view.getUint32(at + 4, true);
    const end = at + 8 + length + (length % 2);
    if (end > still.length) break;
    if (name === 'ALPH' || name === 'VP8 ' || name === 'VP8L') chunks.push(still.subarray(at, end));
    // A lossless picture says in its 29th bit, after a byte of its own, whether it uses alpha.
    const usesAlpha = name === 'VP8L' && (view.getUint32(at + 9, true) >>> 28) % 2 === 1;
    hasAlpha ||= name === 'ALPH' || usesAlpha;
    at = end;
  }
  if (chunks.length > 0) return { chunks, hasAlpha };
  throw new EscapementError('ENCODER_FAILED', 'A frame came as no WebP that can be read.');
}

function writeChunkHead(bytes: Uint8Array, at: number, name: string, length: number): void {
  bytes.set(new TextEncoder().encode(name), at);
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(at + 4, length, true);
}

function writeU24(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value & 0xff;
  bytes[at + 1] = (value >>> 8) & 0xff;
  bytes[at + 2] = value >>> 16;
}

import type { FileHandle } from 'node:fs/promises';
import { EscapementError } from '../../shared/error.ts';
import { type Film, type FilmShape, unitsShown } from './film.ts';
import { readGifStill } from './gif-still.ts';

/** GIF counts time in hundredths of a second. */
const UNITS = 100;

/** Viewers show a frame of less than two units much longer. */
export const GIF_FPS_MAX = 50;

const SIDE_MAX = 65_535;
const KEEP = 1 << 2;
const CLEAR = 2 << 2;

/**
 * Strings GIFs of one picture together to one that moves, each frame with its own colours, and
 * repeats for ever. Frames go to the file as they come.
 */
export class GifFilm implements Film {
  readonly #file: FileHandle;
  readonly #shape: FilmShape;

  constructor(file: FileHandle, shape: FilmShape) {
    this.#file = file;
    this.#shape = shape;
  }

  async add(still: Uint8Array, index: number): Promise<void> {
    const { first } = this.#shape;
    if (index === first) await this.#file.write(this.#head());
    const { width, height, palette, transparent, interlaced, data } = readGifStill(still);
    const delay = unitsShown(this.#shape, index, UNITS);
    const isClear = transparent !== undefined;
    const control = [(isClear ? CLEAR : KEEP) + Number(isClear), ...u16(delay), transparent ?? 0];
    const bits = Math.log2(palette.length / 3);
    const flags = 0x80 + (interlaced ? 0x40 : 0) + bits - 1;
    const head = [0x21, 0xf9, 4, ...control, 0];
    const picture = [0x2c, 0, 0, 0, 0, ...u16(width), ...u16(height), flags];
    await this.#file.write(Uint8Array.from([...head, ...picture, ...palette]));
    await this.#file.write(data);
  }

  async finish(): Promise<void> {
    await this.#file.write(Uint8Array.of(0x3b));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #head(): Uint8Array {
    const { width, height } = this.#shape;
    if (width > SIDE_MAX || height > SIDE_MAX) {
      throw new EscapementError('ENCODER_FAILED', 'A GIF cannot be that large.', {
        given: `${width} x ${height}`,
        allowed: `up to ${SIDE_MAX} x ${SIDE_MAX}`,
      });
    }
    const text = (name: string): number[] => [...new TextEncoder().encode(name)];
    const head = [...text('GIF89a'), ...u16(width), ...u16(height), 0, 0, 0];
    const repeat = [0x21, 0xff, 11, ...text('NETSCAPE2.0'), 3, 1, 0, 0, 0];
    return Uint8Array.from([...head, ...repeat]);
  }
}

function u16(value: number): [number, number] {
  return [value & 0xff, value >>> 8];
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Film } from './film.ts';

/** A folder of PNG files, one a frame, named by the frame's number. */
export class PngFolder implements Film {
  /** Matches what such a folder holds. */
  static readonly CONTENTS: RegExp = /^(?:frame-\d{6,}\.png|manifest\.json)$/;

  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(still: Uint8Array, index: number): Promise<void> {
    return writeFile(join(this.#folder, `frame-${String(index).padStart(6, '0')}.png`), still);
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {}
}

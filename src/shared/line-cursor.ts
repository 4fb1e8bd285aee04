import { LINE_BYTES } from './words.ts';

/** Hands out places one after the other, each at the start of a cache line. */
export class LineCursor {
  /** Byte offset of the next place. */
  offset: number;

  constructor(begin = 0) {
    this.offset = begin;
  }

  /** Takes a place of `bytes` and returns where it begins. */
  take(bytes: number): number {
    const at = this.offset;
    this.offset = at + Math.ceil(bytes / LINE_BYTES) * LINE_BYTES;
    return at;
  }
}

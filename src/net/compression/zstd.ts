/**
 * Compresses and inflates zstd frames. {@link loadZstd} gives one; any other may be given in its
 * place, such as one that stands on what a platform brings.
 *
 * What a method returns may be a view of memory that its next call overwrites: whoever wants to
 * keep it copies it.
 */
export interface Zstd {
  /**
   * Compresses bytes, one at least, into one frame whose header has the size of the content. Levels
   * go from 1 to 19.
   */
  compress(bytes: Uint8Array, level: number): Uint8Array;
  /**
   * Inflates one frame. Throws when it is not valid or holds more than `maxBytes`; never takes
   * memory for more than these.
   */
  decompress(frame: Uint8Array, maxBytes: number): Uint8Array;
}

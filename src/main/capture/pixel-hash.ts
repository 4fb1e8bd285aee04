import { EscapementError } from '../../shared/error.ts';

/** Bytes of pixels: red, green, blue and alpha of each, row by row from the top. */
export type Pixels = Uint8Array | Uint8ClampedArray;

/** What of the platform's `crypto` is used. */
interface HashScope {
  readonly crypto?: {
    readonly subtle?: { digest(name: 'SHA-256', bytes: Pixels): Promise<ArrayBuffer> };
  };
}

/** How many of the hash's 32 bytes are kept. */
const BYTES_KEPT = 16;

/**
 * Returns the hash of a picture: the first 128 bits of SHA-256 of its bytes, as 32 lowercase
 * hexadecimal digits; the same on Node and in pages. Rejects with STATE_INVALID in a page that is
 * no secure context.
 */
export async function hashPixels(pixels: Pixels): Promise<string> {
  const { subtle } = (globalThis as HashScope).crypto ?? {};
  if (subtle === undefined) {
    throw new EscapementError('STATE_INVALID', 'This page may not hash pixels.', {
      given: 'a page that is no secure context',
      fix: 'Serve it over https or from localhost, or return no pixels from `draw`.',
    });
  }
  // Shared memory is refused there.
  const isShared = !(pixels.buffer instanceof ArrayBuffer);
  const digest = await subtle.digest('SHA-256', isShared ? pixels.slice() : pixels);
  return [...new Uint8Array(digest, 0, BYTES_KEPT)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

import { EscapementError } from '../../shared/error.ts';

/** What of a 2D context, of a page or of Node's, is used. */
export interface PlaneContext {
  getImageData(
    x: number,
    y: number,
    width: number,
    height: number,
  ): { readonly data: Uint8ClampedArray };
}

/** What of a WebGL context is used. */
export interface GlContext {
  readonly RGBA: number;
  readonly UNSIGNED_BYTE: number;
  readonly drawingBufferWidth: number;
  readonly drawingBufferHeight: number;
  readPixels(
    x: number,
    y: number,
    width: number,
    height: number,
    format: number,
    type: number,
    pixels: Uint8Array,
  ): void;
}

/** A context whose picture can be read. */
export type PictureContext =
  | (PlaneContext & { readonly canvas: { readonly width: number; readonly height: number } })
  | GlContext;

/**
 * Returns the picture that a 2D or a WebGL context has just drawn: red, green, blue and alpha, a
 * byte each, row by row from the top. Call it in the same task as the drawing: a page's WebGL
 * canvas is cleared once that is over, unless it preserves its drawing buffer. A canvas of WebGL
 * should be opaque (`alpha: false`), or its colours are read as they are blended with the page.
 * Throws VALUE_INVALID when `into` has another length than the picture.
 */
export function readPixels(context: PictureContext, into?: Uint8Array): Uint8Array {
  if ('readPixels' in context) return readFlipped(context, into);
  const { width, height } = context.canvas;
  const { data } = context.getImageData(0, 0, width, height);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (into === undefined) return bytes;
  checkLength(into, bytes.length).set(bytes);
  return into;
}

/** WebGL counts rows from below. */
function readFlipped(gl: GlContext, into: Uint8Array | undefined): Uint8Array {
  const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
  const stride = 4 * width;
  const pixels = checkLength(into ?? new Uint8Array(stride * height), stride * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  const row = new Uint8Array(stride);
  for (let upper = 0, lower = height - 1; upper < lower; upper++, lower--) {
    row.set(pixels.subarray(upper * stride, (upper + 1) * stride));
    pixels.copyWithin(upper * stride, lower * stride, (lower + 1) * stride);
    pixels.set(row, lower * stride);
  }
  return pixels;
}

function checkLength(pixels: Uint8Array, bytes: number): Uint8Array {
  if (pixels.length === bytes) return pixels;
  throw new EscapementError('VALUE_INVALID', 'The picture does not fit there.', {
    given: `${pixels.length} bytes`,
    allowed: `${bytes} bytes, 4 a pixel`,
  });
}

import { EscapementError } from '../../shared/error.ts';
import { type Column, type ScalarType, scalarBytes, viewColumn } from '../../shared/schema.ts';
import { UPLOAD_BUFFERS } from '../tick-uploads.ts';

/** Puts columns into buffers: from shared memory itself where the browser takes it. */
export class Uploader {
  readonly gl: WebGL2RenderingContext;
  /** Whether the last upload read shared memory itself; undefined before the first. */
  inPlace: boolean | undefined;
  /** Uploads so far. */
  count = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.gl = gl;
  }
}

/** Three buffers of one column: the two ticks of a frame, and one more; see `tick-uploads.ts`. */
export class PairBuffers {
  readonly scalar: ScalarType;
  readonly width: number;
  readonly #uploader: Uploader;
  readonly #buffers: WebGLBuffer[] = [];
  #rows = 0;
  #staging: Column;

  constructor(uploader: Uploader, scalar: ScalarType, width: number) {
    this.#uploader = uploader;
    this.scalar = scalar;
    this.width = width;
    this.#staging = viewColumn(new ArrayBuffer(0), scalar, 0, 0);
  }

  /** Makes the buffers anew, of zeros, with room for `rows`. */
  allocate(rows: number): void {
    const { gl } = this.#uploader;
    this.free();
    this.#rows = rows;
    for (let buffer = 0; buffer < UPLOAD_BUFFERS; buffer++) {
      const made = gl.createBuffer();
      this.#buffers.push(made);
      gl.bindBuffer(gl.ARRAY_BUFFER, made);
      gl.bufferData(gl.ARRAY_BUFFER, this.#elements * scalarBytes(this.scalar), gl.DYNAMIC_DRAW);
    }
  }

  /** Gives the buffers back. */
  free(): void {
    const { gl } = this.#uploader;
    // Those of a context that was lost are gone, and deleting them is an error.
    for (const buffer of this.#buffers) if (gl.isBuffer(buffer)) gl.deleteBuffer(buffer);
    this.#buffers.length = 0;
  }

  /** Uploads the first `rows` rows of a column; the buffer stays bound. */
  upload(buffer: number, column: Column, rows: number): void {
    const uploader = this.#uploader;
    const { gl } = uploader;
    const length = rows * this.width;
    this.bind(buffer);
    uploader.count++;
    if (uploader.inPlace !== false) {
      try {
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, column, 0, length);
        uploader.inPlace = true;
        return;
      } catch (cause) {
        // Some browsers refuse views of shared memory here, by a TypeError, for good.
        if (!(cause instanceof TypeError)) throw cause;
        uploader.inPlace = false;
      }
    }
    if (this.#staging.length < length) {
      const bytes = new ArrayBuffer(this.#elements * scalarBytes(this.scalar));
      this.#staging = viewColumn(bytes, this.scalar, 0, this.#elements);
    }
    // A view object an upload, in browsers that refuse: copying one by one costs more than that.
    this.#staging.set(column.subarray(0, length));
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.#staging, 0, length);
  }

  /** Binds one of the buffers for what is done next. */
  bind(buffer: number): void {
    const { gl } = this.#uploader;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffers[buffer] as WebGLBuffer);
  }

  get #elements(): number {
    return this.#rows * this.width;
  }
}

/** Returns the type of a buffer's numbers as WebGL names it. */
export function glScalar(gl: WebGL2RenderingContext, scalar: ScalarType): number {
  switch (scalar) {
    case 'f32':
      return gl.FLOAT;
    case 'i32':
    case 'fixed':
      return gl.INT;
    case 'u32':
      return gl.UNSIGNED_INT;
    case 'u16':
      return gl.UNSIGNED_SHORT;
    case 'u8':
      return gl.UNSIGNED_BYTE;
    case 'f64':
      throw new EscapementError('OPTION_INVALID', 'WebGL has no 64-bit numbers.');
  }
}

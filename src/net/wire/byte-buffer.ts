/**
 * Bytes that grow when they must and never shrink, so that one that is reused allocates nothing.
 */
export class ByteBuffer {
  /** Longer than `length`; made anew by `reserve`. */
  bytes: Uint8Array;
  /** The same memory: one call writes a whole word, wherever it lies. Made anew by `reserve`. */
  data: DataView;
  /** Bytes that are in use. */
  length = 0;

  constructor(capacityBytes = 0) {
    this.bytes = new Uint8Array(capacityBytes);
    this.data = new DataView(this.bytes.buffer);
  }

  /** Makes room for `count` bytes in all; keeps those in use. */
  reserve(count: number): void {
    if (count <= this.bytes.length) return;
    const bytes = new Uint8Array(Math.max(count, this.bytes.length * 2, 256));
    bytes.set(this.bytes.subarray(0, this.length));
    this.bytes = bytes;
    this.data = new DataView(bytes.buffer);
  }

  /** Returns a view of the bytes in use; good until the next change. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** Returns a copy of the bytes in use. */
  toBytes(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }
}

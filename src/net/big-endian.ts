/*
 * Whole numbers at any byte offset, big-endian: what all messages of replication are written in.
 */

/** Writes a u16. */
export function putU16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

/** Writes a u32. */
export function putU32(bytes: Uint8Array, at: number, value: number): void {
  putU16(bytes, at, value >>> 16);
  putU16(bytes, at + 2, value);
}

/** Reads a u16. */
export function getU16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

/** Reads a u32. */
export function getU32(bytes: Uint8Array, at: number): number {
  return ((getU16(bytes, at) << 16) | getU16(bytes, at + 2)) >>> 0;
}

/** Reads an i32, which is handed on without being boxed. */
export function getI32(bytes: Uint8Array, at: number): number {
  return (getU16(bytes, at) << 16) | getU16(bytes, at + 2);
}

/** Reads a word of `size` bytes, 1 to 4, most significant first, unsigned. */
export function getToken(bytes: Uint8Array, at: number, size: number): number {
  let value = bytes[at] as number;
  for (let index = 1; index < size; index++) value = (value << 8) | (bytes[at + index] as number);
  return value >>> 0;
}

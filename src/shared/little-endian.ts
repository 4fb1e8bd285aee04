/*
 * Whole numbers at any byte offset, little-endian; 64 bits of which 53 are used.
 */

/** Writes a u32. */
export function putU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** Reads a u32. */
export function getU32(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  return (low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0;
}

/** Writes a whole number from 0 to 2^53 - 1 as a u64. */
export function putU64(bytes: Uint8Array, at: number, value: number): void {
  putU32(bytes, at, value >>> 0);
  putU32(bytes, at + 4, Math.floor(value / 4_294_967_296));
}

/** Reads a u64; -1 for one above 2^53 - 1. */
export function getU64(bytes: Uint8Array, at: number): number {
  const high = getU32(bytes, at + 4);
  return high < 2_097_152 ? high * 4_294_967_296 + getU32(bytes, at) : -1;
}

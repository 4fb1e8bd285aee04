/** Reads the 32-bit word at `at`, most significant byte first, unsigned. */
export function getU32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  );
}

/**
 * Reads the 32-bit word at `at`, most significant byte first, signed: a number that is handed on
 * without being boxed.
 */
export function getI32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}

/** Reads the 16-bit word at `at`, most significant byte first. */
export function getU16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

/** Reads a word of `size` bytes, 1 to 4, most significant first, unsigned. */
export function getToken(bytes: Uint8Array, at: number, size: number): number {
  let value = bytes[at] as number;
  for (let index = 1; index < size; index++) value = (value << 8) | (bytes[at + index] as number);
  return value >>> 0;
}

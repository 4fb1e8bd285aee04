/** Reads bytes from pairs of hexadecimal digits. */
export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Writes bytes as pairs of hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the words of hexadecimal digits, eight a word. */
export function wordsOfHex(digits: string): number[] {
  return (digits.match(/.{8}/g) ?? []).map((word) => Number.parseInt(word, 16));
}

/** Returns words as hexadecimal digits, eight a word. */
export function hexOfWordList(words: Iterable<number>): string {
  return [...words].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

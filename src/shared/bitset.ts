/** Says whether the bit at `index` is set. */
export function hasBit(bits: Uint32Array, index: number): boolean {
  return (((bits[index >>> 5] as number) >>> (index & 31)) & 1) === 1;
}

/** Sets the bit at `index`. */
export function setBit(bits: Uint32Array, index: number): void {
  const word = index >>> 5;
  bits[word] = (bits[word] as number) | (1 << (index & 31));
}

/** Clears the bit at `index`. */
export function clearBit(bits: Uint32Array, index: number): void {
  const word = index >>> 5;
  bits[word] = (bits[word] as number) & ~(1 << (index & 31));
}

/** Returns the place, 0 to 31, of the lowest set bit of a word that is not 0. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

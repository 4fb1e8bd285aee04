import { REST_WIDTH } from './bit-port.ts';

/**
 * Sizes of differences up to 3 are classes of their own, then those of as many bits, to so many.
 * Each class has two symbols for the sign, but 0. Greater differences have one symbol.
 */
export const OWN_MOST = 3;
export const SIZED_BITS = 14;
export const ESCAPE = 31;
/** Differences from minus this to below this have their items at hand. */
export const NEAR = 512;
/** Where an item has what remains of a difference; its symbol is below. */
export const ITEM_REST = 5;

/**
 * Returns the symbol of a difference and, from bit {@link ITEM_REST} on, the rest of it as a number
 * for {@link BitPort.writeAll}.
 */
export function itemOf(error: number): number {
  const side = error >> 31;
  const size = (error ^ side) - side;
  const sized = 32 - Math.clz32(size);
  if (sized > SIZED_BITS) return ESCAPE;
  const isOwn = size <= OWN_MOST;
  const symbol = 2 * (isOwn ? size : sized + 1) - ((0 - error) >>> 31);
  const width = isOwn ? 0 : sized - 1;
  const rest = (size & ((1 << width) - 1)) | (width << REST_WIDTH);
  return symbol | (rest << ITEM_REST);
}

/** The items of differences from -NEAR to NEAR - 1: a look is faster than to make them. */
export const nearItems: Int32Array = Int32Array.from({ length: 2 * NEAR }, (_, i) =>
  itemOf(i - NEAR),
);

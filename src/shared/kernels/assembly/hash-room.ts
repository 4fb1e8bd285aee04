/*
 * What lies where in the room of a hash behind its parameters, as 32-bit words from its first.
 */

/** The presence words of the block at hand. */
export const HASH_HEADER = 32;
/** Sixteen lanes: their first words, then their second ones. */
export const HASH_LANES = 64;
/** Numbers of which none is NaN any more. */
export const HASH_CLEAN = 96;
/** Bytes that are hashed together, gathered. */
export const HASH_STAGE = 128;
/** Staged bytes from which they are hashed; a row more, and a vector beyond it, must fit behind. */
export const HASH_STAGE_FULL = 4096;

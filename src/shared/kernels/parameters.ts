/*
 * What a call of a kernel is told, as 32-bit words of a reader's scratch in the region: the kernel
 * gets the address of the first. Addresses are bytes from the start of the region; 0 means that
 * there is none. Doubles lie at even words and take two.
 */

/** What becomes of the rows that are blended. */
export const KIND_COPY = 0;
export const KIND_LERP = 1;
export const KIND_ANGLE = 2;
export const KIND_FIXED = 3;
export const KIND_NLERP = 4;
export const KIND_SLERP = 5;

// Words of a blend. `BLEND_FROM` is what KIND_COPY copies, and the earlier column of the others.
export const BLEND_KIND = 0;
export const BLEND_FROM = 1;
export const BLEND_LATER = 2;
export const BLEND_OUT = 3;
/** The list of slot indices; 0 when they are 0, 1, 2, ... and no row needs a second look. */
export const BLEND_LIVE = 4;
export const BLEND_COUNT = 5;
export const BLEND_WIDTH = 6;
export const BLEND_ROW_BYTES = 7;
/** Stamps of both ticks, and bitsets by slot index; 0 where they need not be looked at. */
export const BLEND_EARLIER_STAMPS = 8;
export const BLEND_LATER_STAMPS = 9;
export const BLEND_PRESENCE = 10;
export const BLEND_UNBLENDED = 11;
/** Two words that are repeated over a row that is not there. */
export const BLEND_MISSING = 12;
/** Doubles. */
export const BLEND_ALPHA = 14;
export const BLEND_PERIOD = 16;
/**
 * Numbers for quaternions, f32: t and 1 - t, their squares, then seven coefficients of the arc and
 * four of the sine.
 */
export const BLEND_TABLE = 32;

/** How a matrix is turned: not at all, by a quaternion, about z. */
export const TURN_NONE = 0;
export const TURN_QUATERNION = 1;
export const TURN_ANGLE = 2;

// Words of a composition of matrices.
export const COMPOSE_POSITION = 0;
export const COMPOSE_POSITION_WIDTH = 1;
export const COMPOSE_ORIENTATION = 2;
export const COMPOSE_TURN = 3;
export const COMPOSE_SCALE = 4;
export const COMPOSE_SCALE_WIDTH = 5;
/** The list of rows; 0 for all of them. */
export const COMPOSE_ROWS = 6;
export const COMPOSE_COUNT = 7;
export const COMPOSE_OUT = 8;
/** A double: quarter turns in one unit of the angle. */
export const COMPOSE_QUARTERS = 10;

// Words of a cull.
export const CULL_POSITION = 0;
export const CULL_WIDTH = 1;
/** The list of rows; 0 for all of them. */
export const CULL_ROWS = 2;
export const CULL_COUNT = 3;
export const CULL_OUT = 4;
/** 1 for six planes (a, b, c, d), 0 for a rectangle (left, bottom, right, top). */
export const CULL_FRUSTUM = 5;
/** The bounds: f32, four for the rectangle or 24 for the planes. */
export const CULL_BOUNDS = 32;

/** What numbers are to a hash: bits, or floats of which some count as others. */
export const HASH_BITS = 0;
export const HASH_F32 = 1;
export const HASH_F64 = 2;

/** Words of a bitset that are hashed as one block. */
export const HASH_BLOCK_WORDS = 32;

// Words of a hash.
export const HASH_ALIVE = 0;
export const HASH_PRESENCE = 1;
/** Words of both bitsets to look at. */
export const HASH_WORDS = 2;
export const HASH_ROWS = 3;
export const HASH_ROW_BYTES = 4;
export const HASH_KIND = 5;
/** 1 where rows lie packed, 0 where there is one for each slot. */
export const HASH_PACKED = 6;
export const HASH_OUT = 7;
/** Words of the whole room; `assembly/hash-room.ts` says what lies where in it. */
export const HASH_ROOM_WORDS = 3328;

// Constants of the hash. Both factors are odd, so that each step can be undone.
export const HASH_FACTOR_A = 0x9e3779b1;
export const HASH_FACTOR_B = 0x85ebca77;
export const HASH_SHIFT_A = 15;
export const HASH_SHIFT_B = 13;
export const HASH_START_A = 0x27d4eb2f;
export const HASH_START_B = 0x165667b1;

/** Byte at which a kernel of quantisation has its table: for each of 16 masks, 16 bytes. */
export const QUANTISE_TABLE = 16;
